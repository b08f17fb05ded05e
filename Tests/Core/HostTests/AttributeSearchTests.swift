import BleperaBluetooth
import Testing

@testable import BleperaHost

@Suite("A server's answers to requests with a range of handles, of Vol 3, Part F, 3.4.3 and 3.4.4")
struct AttributeSearchTests {
  private static let uuid = BluetoothUUID("6E400001-B5A3-F393-E0A9-E50E24DCCA9E") ?? BluetoothUUID(0 as UInt16)
  private static let uuidBytes = "9ECADC240EE5A9E093F3A3B50100406E"

  private static func attribute(
    _ handle: AttributeHandle, _ type: UInt16, end: AttributeHandle? = nil, _ value: String
  ) -> ATTAttribute {
    ATTAttribute(handle: handle, end: end, type: BluetoothUUID(type), value: .bytes(Hex.bytes(value) ?? []))
  }

  /// Generic Access, Generic Attribute, a service of 128 bits and, after a gap, Battery.
  static let database: [ATTAttribute] = [
    attribute(0x0001, 0x2800, end: 0x0005, "0018"),
    attribute(0x0002, 0x2803, "020300002A"),
    attribute(0x0003, 0x2A00, "6950686F6E65"),
    attribute(0x0004, 0x2803, "020500012A"),
    attribute(0x0005, 0x2A01, "4000"),
    attribute(0x0006, 0x2800, end: 0x0009, "0118"),
    attribute(0x0007, 0x2803, "200800052A"),
    ATTAttribute(handle: 0x0008, type: BluetoothUUID(0x2A05 as UInt16), value: .refused(.readNotPermitted)),
    ATTAttribute(handle: 0x0009, type: BluetoothUUID(0x2902 as UInt16), value: .bytes([0, 0])),
    attribute(0x000A, 0x2800, end: 0x000C, uuidBytes),
    attribute(0x000B, 0x2803, "020C00" + uuidBytes),
    ATTAttribute(handle: 0x000C, type: uuid, value: .asked),
    attribute(0x0020, 0x2800, end: 0xFFFF, "0F18"),
    attribute(0x0021, 0x2803, "122200192A"),
    ATTAttribute(
      handle: 0x0022, type: BluetoothUUID(0x2A19 as UInt16), value: .refused(.insufficientAuthentication)),
    ATTAttribute(handle: 0x0023, type: BluetoothUUID(0x2902 as UInt16), value: .refused(.insufficientEncryption)),
  ]

  /// The request, the MTU, the response.
  static let responses: [(String, Int, String)] = [
    // Find Information: one width an answer, what fits, 0A past the last.
    ("040100FFFF", 23, "0501" + "01000028" + "02000328" + "0300002A" + "04000328" + "0500012A"),
    ("040600FFFF", 64, "0501" + "06000028" + "07000328" + "0800052A" + "09000229" + "0A000028" + "0B000328"),
    ("040C00FFFF", 23, "05020C00" + uuidBytes),
    ("0403000300", 23, "05010300002A"),
    ("040D001F00", 23, "01040D000A"),
    ("042400FFFF", 23, "010424000A"),
    // Find By Type Value: groups with their ends; what cannot be read or differs is no match.
    ("060100FFFF00280118", 23, "0706000900"),
    ("060100FFFF00280F18", 23, "072000FFFF"),
    ("060100FFFF0028" + uuidBytes, 23, "070A000C00"),
    ("060700FFFF00280118", 23, "010607000A"),
    ("060100FFFF002801", 23, "010601000A"),
    ("060100FFFF052A", 23, "010601000A"),
    ("060100FFFF0229", 23, "010601000A"),
    ("060100FFFF02290000", 23, "0709000900"),
    // Read By Type: equal lengths, what fits.
    ("080100FFFF0328", 64, "0907" + "0200020300002A" + "0400020500012A" + "0700200800052A"),
    ("080100FFFF0328", 23, "0907" + "0200020300002A" + "0400020500012A" + "0700200800052A"),
    ("080B00FFFF0328", 64, "0915" + "0B00020C00" + uuidBytes),
    ("080C00FFFF0328", 64, "0907" + "2100122200192A"),
    (
      "080100FFFFFB349B5F8000008000100000" + "03280000", 23,
      "0907" + "0200020300002A" + "0400020500012A" + "0700200800052A"
    ),
    ("080100FFFF002A", 23, "09080300" + "6950686F6E65"),
    // The error of the first with its own handle; of a later one not.
    ("080100FFFF052A", 23, "0108080002"),
    ("080100FFFF192A", 23, "0108220005"),
    ("080100FFFF0229", 23, "090409000000"),
    ("080A00FFFF0229", 23, "010823000F"),
    ("080100FFFF0829", 23, "010801000A"),
    // Read By Group Type: equal lengths, what fits, services alone.
    ("100100FFFF0028", 23, "1106" + "010005000018" + "060009000118"),
    ("100A00FFFF0028", 23, "1114" + "0A000C00" + uuidBytes),
    ("100D00FFFF0028", 23, "1106" + "2000FFFF0F18"),
    ("10020005000028", 23, "011002000A"),
    ("100100FFFF0128", 23, "011001000A"),
    ("100100FFFF0328", 23, "0110010010"),
    ("100100FFFF" + uuidBytes, 23, "0110010010"),
  ]

  @Test("The response to a request", arguments: responses)
  func response(request: String, mtu: Int, response: String) throws {
    let request = try ATTPDU(try #require(Hex.bytes(request)))
    guard case .response(let pdu) = AttributeSearch(Self.database, mtu: mtu).answer(request) else {
      Issue.record("no response")
      return
    }
    #expect(Hex.string(pdu.bytes) == response)
    #expect(pdu.bytes.count <= mtu)
  }

  @Test("An application is asked for the first value, which is then sent alone")
  func asking() throws {
    let search = AttributeSearch(Self.database, mtu: 23)
    #expect(search.answer(.readByTypeRequest(1...0xFFFF, type: Self.uuid)) == .ask(0x000C))
    let pdu = search.readByTypeResponse(0x000C, [UInt8](0...63))
    #expect(pdu.bytes == [0x09, 21, 0x0C, 0] + [UInt8](0...18))
  }

  @Test("A value that an application has to be asked for ends the values before it")
  func askingLater() {
    let type = BluetoothUUID(0x2A00 as UInt16)
    let search = AttributeSearch(
      [
        ATTAttribute(handle: 1, type: type, value: .bytes([1])), ATTAttribute(handle: 2, type: type, value: .asked),
        ATTAttribute(handle: 3, type: type, value: .bytes([3])),
      ], mtu: 23)
    let first = ATTPDU.readByTypeResponse([ATTHandleValue(handle: 1, value: [1])])
    #expect(search.answer(.readByTypeRequest(1...9, type: type)) == .response(first))
    #expect(search.answer(.readByTypeRequest(2...9, type: type)) == .ask(2))
  }

  /// The MTU, and the lengths of the value in Read By Type and in Read By Group Type.
  @Test(
    "A value is cut to the packet and to what one byte of length can say",
    arguments: [(23, 19, 17), (100, 96, 94), (257, 253, 251), (258, 253, 251), (517, 253, 251), (0, 19, 17)])
  func cut(mtu: Int, count: Int, groupCount: Int) {
    let type = BluetoothUUID(0x2800 as UInt16)
    let value = [UInt8](repeating: 7, count: 300)
    let search = AttributeSearch([ATTAttribute(handle: 1, end: 4, type: type, value: .bytes(value))], mtu: mtu)
    let cut = ATTHandleValue(handle: 1, value: Array(value.prefix(count)))
    let group = ATTGroup(range: 1...4, value: Array(value.prefix(groupCount)))
    #expect(search.answer(.readByTypeRequest(1...9, type: type)) == .response(.readByTypeResponse([cut])))
    #expect(search.answer(.readByGroupTypeRequest(1...9, type: type)) == .response(.readByGroupTypeResponse([group])))
  }

  @Test("A client that continues where each answer ends finds every attribute once", arguments: [23, 27, 64, 517])
  func discovery(mtu: Int) throws {
    let search = AttributeSearch(Self.database, mtu: mtu)
    var (start, found): (AttributeHandle, [ATTInformation]) = (1, [])
    while case .response(.findInformationResponse(let rows)) = search.answer(.findInformationRequest(start...0xFFFF)) {
      found += rows
      start = AttributeHandle(rawValue: try #require(rows.last).handle.rawValue + 1)
    }
    #expect(found == Self.database.map { ATTInformation(handle: $0.handle, type: $0.type) })
  }

  @Test("Other PDUs are not searches")
  func others() {
    #expect(AttributeSearch(Self.database, mtu: 23).answer(.readRequest(1)) == nil)
  }
}
