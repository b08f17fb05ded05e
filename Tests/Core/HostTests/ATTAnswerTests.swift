import BleperaBluetooth
import Testing

@testable import BleperaHost

@Suite("PDUs of the Attribute Protocol, of Vol 3, Part F, 3.4")
struct ATTAnswerTests {
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

  private static func partsDatabase() throws -> AttributeDatabase {
    var database = AttributeDatabase(pnpID: nil)
    let uuid = try #require(BluetoothUUID("100F0E0D-0C0B-0A09-0807-060504030201"))
    let long = PublishedService(uuid: uuid, handle: .exactly(0x0100))
    let short = PublishedService(uuid: BluetoothUUID(0x180F as UInt16), isPrimary: false, handle: .exactly(0x0110))
    let characteristics = [0x2A37, 0x2A38].map {
      PublishedCharacteristic(
        index: $0, uuid: BluetoothUUID(UInt16($0)), flags: [.notify, .write],
        descriptors: [PublishedDescriptor(index: $0 << 8, uuid: BluetoothUUID(0x2901 as UInt16), flags: .read)])
    }
    let service = PublishedService(
      uuid: BluetoothUUID(0x180D as UInt16), handle: .exactly(0x0120), includes: [0, 1],
      characteristics: characteristics)
    _ = try database.insert(ApplicationID(1), [long, short, service])
    return database
  }

  private static let system = [">120B000200", "<13", ">0A0300", "<0B6E"]

  @Test(
    "A phone discovers parts, each until an error or the end of its handles",
    arguments: [
      (
        .includedServices(0x0120...0x012F),
        [
          ">0820012F010228", "<0906210100010001", ">0A0001", "<0B0102030405060708090A0B0C0D0E0F10", ">0822012F010228",
          "<09082201100110010F18", ">0823012F010228", "<010823010A",
        ], ["100F0E0D-0C0B-0A09-0807-060504030201 0x0100", "180F 0x0110"]
      ),
      (
        .characteristics(0x0120...0x012A),
        [">0820012A010328", "<09072301182401372A2701182801382A", ">0828012A010328", "<010828010A"],
        ["2A37 0x0124", "2A38 0x0128"]
      ),
      (.descriptors(0x0125...0x0126), [">0425012601", "<05012501022926010129"], ["2902 0x0125", "2901 0x0126"]),
      (.descriptors(0x0130...0x0131), [">0430013101", "<010430010A"], []),
      (
        .services,
        [
          ">100100FFFF0028", "<1106010007000018080011000118", ">101200FFFF0028",
          "<1114000100010102030405060708090A0B0C0D0E0F10", ">100101FFFF0028", "<110620012A010D18", ">102B01FFFF0028",
          "<01102B010A",
          // Generic Attribute and Generic Access.
          ">08080011000328", "<09070900200A00052A0C000A0D00292B0E00020F002A2B", ">080F0011000328",
          "<090710000211003A2B", ">08110011000328", "<010811000A", ">08010007000328",
          "<09070200020300002A0400020500012A0600020700A62A", ">08070007000328", "<010807000A", ">040B000B00",
          "<05010B000229",
        ] + system,
        ["1800 0x0001", "1801 0x0008", "100F0E0D-0C0B-0A09-0807-060504030201 0x0100", "180D 0x0120", "n"]
      ),
      (
        nil, system,
        [
          "1800 0x0001", "1801 0x0008", "100F0E0D-0C0B-0A09-0807-060504030201 0x0100", "180F 0x0110", "180D 0x0120",
          "n",
        ]
      ),
    ] as [(ServiceDiscovery.Part?, [String], [String])])
  func parts(part: ServiceDiscovery.Part?, lines: [String], found: [String]) throws {
    let database = try Self.partsDatabase()
    let exchange = Self.exchange(
      ServiceDiscovery(part ?? .knownServices(database.remoteServices)), database, mtu: 23)
    #expect(exchange.lines == lines)
    let texts: [String] =
      switch exchange.step {
      case .finish(.success(.services(let services))): services.map { "\($0.uuid) \($0.range.lowerBound)" }
      case .finish(.success(.characteristics(let rows))): rows.map { "\($0.uuid) \($0.value)" }
      case .finish(.success(.descriptors(let rows))): rows.map { "\($0.uuid) \($0.handle)" }
      case .discovered(let services, let name, nil):
        services.map { "\($0.uuid) \($0.range.lowerBound)" } + [name ?? ""]
      case .send, .agreed, .ended, .discovered, .finish: []
      }
    #expect(texts == found)
  }

  @Test("Another error than that nothing is found is the result")
  func partError() {
    var procedure = ClientProcedure(OperationID(1), .characteristics(0x0120...0x012F))
    _ = procedure.start(mtu: 23)
    let request = ATTPDU.readByTypeRequest(0x0120...0x012F, type: AttributeTypes.characteristic)
    let step = procedure.take(request.answer(.failure(.insufficientAuthentication), mtu: 23), mtu: 23)
    guard case .finish(.failure(.insufficientAuthentication)) = step else {
      Issue.record("no failure")
      return
    }
  }

  /// The requests and responses, and what is found.
  private static func discover(
    _ database: AttributeDatabase, mtu: Int, in range: ClosedRange<AttributeHandle>? = nil
  ) -> (lines: [String], services: [RemoteService]) {
    let (lines, step) = exchange(ServiceDiscovery(of: range), database, mtu: mtu)
    guard case .discovered(let services, let name, _) = step else { return (lines, []) }
    #expect((name == "n") == (range == nil))
    return (lines, services)
  }

  private static func exchange(
    _ discovery: ServiceDiscovery, _ database: AttributeDatabase, mtu: Int
  ) -> (lines: [String], step: ClientTask.Step) {
    let search = AttributeSearch(
      database.searched { if case .fixed(let value) = $0.content { .bytes(value) } else { .asked } }, mtu: mtu)
    var discovery = discovery
    var lines: [String] = []
    while true {
      let step = discovery.next()
      switch step {
      case .send(let request):
        let response: ATTPDU =
          switch request {
          case .writeRequest: .writeResponse
          case .readRequest(0x0003): .readResponse([0x6E])
          case .readRequest(0x0100): .readResponse([UInt8](1...16))
          case .readRequest: .readResponse([1, 0])
          default: if case .response(let response)? = search.answer(request) { response } else { .writeResponse }
          }
        lines += [">" + Hex.string(request.bytes), "<" + Hex.string(response.bytes)]
        discovery.take(response)
      case .discovered, .agreed, .ended, .finish: return (lines, step)
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
