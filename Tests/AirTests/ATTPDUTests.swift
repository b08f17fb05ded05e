import BleperaBluetooth
import BleperaHost
import Testing

@testable import BleperaAir

@Suite("PDUs of the Attribute Protocol, of Vol 3, Part F, 3.4")
struct ATTPDUTests {
  @Test(
    "A request, its response and its error",
    arguments: [
      (.readRequest(0x0102), "0A0201", [0xAB, 0xCD], "0BABCD", "010A020106"),
      (.readBlobRequest(0x0102, offset: 0x0203), "0C02010302", [0xAB], "0DAB", "010C020106"),
      (.writeRequest(0x0102, [1, 2]), "1202010102", [], "13", "0112020106"),
      (
        .prepareWriteRequest(AttributeWrite(handle: 0x0102, offset: 0x0203, value: [1, 2])), "16020103020102", [1, 2],
        "17020103020102",
        "0116020106"
      ),
      (.executeWriteRequest(true), "1801", [], "19", "0118000006"),
      (.executeWriteRequest(false), "1800", [], "19", "0118000006"),
    ] as [(ATTPDU, String, [UInt8], String, String)])
  func request(_ request: ATTPDU, bytes: String, value: [UInt8], response: String, error: String) {
    #expect(Hex.string(request.bytes) == bytes)
    #expect(Hex.string(request.answer(.success(value), mtu: 23).bytes) == response)
    #expect(Hex.string(request.answer(.failure(.requestNotSupported), mtu: 23).bytes) == error)
  }

  @Test("A discovery asks for services, inclusions, characteristics and descriptors")
  func discovery() throws {
    var database = AttributeDatabase(pnpID: nil)
    let long = try #require(BluetoothUUID("C8B6F0B5-7A37-4B4E-9F0C-6B2B5D1E8A01"))
    let characteristic = PublishedCharacteristic(index: 0, uuid: BluetoothUUID(0x2A37 as UInt16), flags: [.notify])
    _ = try database.insert(
      ApplicationID(1),
      [PublishedService(uuid: long, handle: .exactly(0x0100), characteristics: [characteristic])])
    let expected = """
      > 10 0100 FFFF 0028
      < 11 06 0100 0700 0018 0800 1100 0118
      > 10 1200 FFFF 0028
      < 11 14 0001 0301 018A1E5D2B6B0C9F4E4B377AB5F0B6C8
      > 10 0401 FFFF 0028
      < 01 10 0401 0A
      > 10 0100 FFFF 0128
      < 01 10 0100 0A
      > 08 0100 0301 0228
      < 01 08 0100 0A
      > 08 0100 0301 0328
      < 09 07 0200 02 0300 002A 0400 02 0500 012A 0600 02 0700 A62A 0900 20 0A00 052A 0C00 0A 0D00 292B \
      0E00 02 0F00 2A2B 1000 02 1100 3A2B 0101 10 0201 372A
      > 08 0201 0301 0328
      < 01 08 0201 0A
      > 04 0B00 0B00
      < 05 01 0B00 0229
      > 04 0301 0301
      < 05 01 0301 0229
      > 12 0B00 0200
      < 13
      > 0A 0300
      < 0B 6E
      """
    let (lines, services) = Self.discover(database, mtu: 185)
    #expect(lines == expected.split(separator: "\n").map { $0.filter { $0 != " " } })
    #expect(services == database.remoteServices)
    let part = AttributeHandle(rawValue: 0x0100)...AttributeHandle(rawValue: 0x0103)
    #expect(Self.discover(database, mtu: 185, in: part).services == services.suffix(1))
  }

  /// The requests and responses, and what is found.
  private static func discover(
    _ database: AttributeDatabase, mtu: Int, in range: ClosedRange<AttributeHandle>? = nil
  ) -> (lines: [String], services: [RemoteService]) {
    let search = AttributeSearch(
      database.searched { if case .fixed(let value) = $0.content { .bytes(value) } else { .asked } }, mtu: mtu)
    var discovery = ServiceDiscovery(of: range)
    var lines: [String] = []
    while true {
      switch discovery.next() {
      case .send(let request):
        let response: ATTPDU =
          switch request {
          case .writeRequest: .writeResponse
          case .readRequest(0x0003): .readResponse([0x6E])
          case .readRequest: .readResponse([1, 0])
          default: if case .response(let response)? = search.answer(request) { response } else { .writeResponse }
          }
        lines += [">" + Hex.string(request.bytes), "<" + Hex.string(response.bytes)]
        discovery.take(response)
      case .discovered(let services, let name, _):
        #expect((name == "n") == (range == nil))
        return (lines, services)
      case .agreed, .ended, .finish: return (lines, [])
      }
    }
  }

  @Test("No response of a discovery is longer than the ATT_MTU", arguments: [23, 50, 517])
  func mtu(_ mtu: Int) throws {
    var database = AttributeDatabase(pnpID: [0, 0, 0, 0, 0, 0, 0])
    for number in 1...20 {
      let characteristics = (0..<9).map { index in
        PublishedCharacteristic(
          index: index, uuid: BluetoothUUID(UInt16(0x2A00 + index)), flags: [.notify],
          descriptors: [PublishedDescriptor(index: 100 + index, uuid: BluetoothUUID(0x2901 as UInt16), flags: .read)])
      }
      _ = try database.insert(
        ApplicationID(number),
        [PublishedService(uuid: BluetoothUUID(UInt16(0x1810 + number)), characteristics: characteristics)])
    }
    let (lines, services) = Self.discover(database, mtu: mtu)
    #expect(lines.allSatisfy { $0.count / 2 <= mtu })
    #expect(services == database.remoteServices)
  }
}
