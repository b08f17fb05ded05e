import BleperaBluetooth
import Testing

@testable import BleperaHost

@Suite("The attribute database")
struct AttributeDatabaseTests {
  private static let heartRate = BluetoothUUID(0x180D as UInt16)
  private static let measurement = BluetoothUUID(0x2A37 as UInt16)
  private static let pnpID: [UInt8] = [2, 0x6B, 0x1D, 0x46, 2, 66, 5]

  private func service(_ handle: HandleRequest = .anywhere, value: HandleRequest = .anywhere) -> PublishedService {
    PublishedService(
      uuid: Self.heartRate, handle: handle,
      characteristics: [
        PublishedCharacteristic(
          index: 0, uuid: Self.measurement, flags: [.read, .notify], handle: value,
          descriptors: [PublishedDescriptor(index: 1, uuid: BluetoothUUID(0x2901 as UInt16), flags: .read)])
      ])
  }

  @Test("A service goes behind the last one, or to the handle that it asks for")
  func handles() throws {
    var database = AttributeDatabase(pnpID: Self.pnpID)
    let own = try #require(database.remoteServices.last).range.upperBound.rawValue
    let first = try database.insert(ApplicationID(1), [service()])
    #expect(first.map(\.lowerBound.rawValue) == [own + 1])
    #expect(database.handle(of: ApplicationObject(ApplicationID(1), 0))?.rawValue == own + 3)
    #expect(database.handle(of: ApplicationObject(ApplicationID(1), 1))?.rawValue == own + 5)
    let second = try database.insert(
      ApplicationID(2), [service(.exactly(0x100), value: .exactly(0x102))])
    #expect(second == [0x100...0x104])
    #expect(database.clientConfiguration(of: 0x102) == 0x103)
  }

  @Test("A phone's stack has a phone's Appearance, and leaves Device Information to the phone")
  func phone() throws {
    let database = HostStack.box(StackBehavior()).database
    #expect(database.remoteServices.map(\.uuid) == [AttributeTypes.genericAccess, AttributeTypes.genericAttribute])
    #expect(database.remoteServices.map(\.range) == [0x0001...0x0005, 0x0006...0x0009])
    let appearance = try #require(
      database.services.flatMap(\.attributes).first { $0.type == AttributeTypes.appearance })
    #expect(appearance.content == .fixed([0x40, 0]))
  }

  @Test("Handles that were freed are given to those who ask, and to no others")
  func freed() throws {
    var database = AttributeDatabase(pnpID: Self.pnpID)
    let first = try database.insert(ApplicationID(1), [service()])
    #expect(database.remove(ApplicationID(1)) == first)
    let second = try database.insert(ApplicationID(2), [service()])
    #expect(second[0].lowerBound > first[0].upperBound)
    let third = try database.insert(
      ApplicationID(3), [service(.exactly(first[0].lowerBound))])
    #expect(third == first)
  }

  @Test(
    "bluetoothd puts 2902 before 2900, an iPhone after it",
    arguments: [(false, [0x2902, 0x2900]), (true, [0x2900, 0x2902])])
  func extendedProperties(isExact: Bool, types: [UInt16]) throws {
    let characteristic = PublishedCharacteristic(
      index: 0, uuid: Self.measurement, flags: [.notify, .reliableWrite, .extendedProperties])
    var database = AttributeDatabase(pnpID: Self.pnpID)
    _ = try database.insert(
      ApplicationID(1), [PublishedService(uuid: Self.heartRate, characteristics: [characteristic], isExact: isExact)])
    let attributes = try #require(database.services.last).attributes.suffix(2)
    #expect(attributes.map(\.type) == types.map { BluetoothUUID($0) })
    #expect(attributes.map(\.content).contains(.fixed([1, 0])))
  }

  static let refused: [(String, PublishedService)] = [
    ("a service of the system", PublishedService(uuid: BluetoothUUID(0x1800 as UInt16))),
    ("taken handles", PublishedService(uuid: heartRate, handle: .exactly(3))),
    (
      "handles beyond the end",
      PublishedService(
        uuid: heartRate, handle: .exactly(0xFFFF), includes: [],
        characteristics: [PublishedCharacteristic(index: 0, uuid: measurement, flags: .read)])
    ),
    ("an included service that is not there", PublishedService(uuid: heartRate, includes: [3])),
    (
      "a value before its service",
      PublishedService(
        uuid: heartRate, handle: .exactly(0x100),
        characteristics: [PublishedCharacteristic(index: 0, uuid: measurement, flags: .read, handle: .exactly(0x80))])
    ),
    ("a service that the database has not", PublishedService(uuid: heartRate, includedHandles: [0x200])),
  ]

  @Test("A service that has no place is refused, and nothing of its application stays", arguments: refused)
  func refusals(name: String, service: PublishedService) {
    var database = AttributeDatabase(pnpID: Self.pnpID)
    let before = database.remoteServices
    let good = PublishedService(uuid: BluetoothUUID(0x180A as UInt16))
    #expect(throws: PublicationRefusal.noEntry) {
      try database.insert(ApplicationID(1), [good, service])
    }
    #expect(database.remoteServices == before)
  }

  @Test("The same handles give the same Database Hash, others another")
  func hash() throws {
    var database = AttributeDatabase(pnpID: Self.pnpID)
    let empty = database.hash
    _ = try database.insert(ApplicationID(1), [service(.exactly(0x100))])
    let first = database.hash
    #expect(first != empty)
    _ = database.remove(ApplicationID(1))
    #expect(database.hash == empty)
    _ = try database.insert(ApplicationID(2), [service(.exactly(0x100))])
    #expect(database.hash == first)
    _ = database.remove(ApplicationID(2))
    _ = try database.insert(ApplicationID(3), [service(.exactly(0x110))])
    #expect(database.hash != first)
  }

  @Test("The specification's example of a Database Hash (Core Specification, Vol 3, Part G, Appendix B)")
  func example() throws {
    let message =
      "01000028001802000328" + "0a0300002a04000328" + "020500012a06000028" + "01180700032820" + "0800052a"
      + "090002290a00032" + "80a0b00292b0c0003" + "28020d002a2b0e00" + "00280818" + "0f00022814001600" + "0f18"
      + "10000328a21100182a" + "12000229" + "130000290000" + "140001280f18" + "15000328021600192a"
    let bytes = try #require(Hex.bytes(message))
    let tag = AESCMAC.tag(of: bytes, key: Array(repeating: 0, count: 16))
    #expect(Hex.string(tag) == "F1CA2D48ECF58BAC8A8830BBB9FBA990")
  }

  @Test("A subscription goes with its service")
  func subscriptions() throws {
    var database = AttributeDatabase(pnpID: Self.pnpID)
    let peer = DeviceAddress(bits: 1)
    _ = try database.insert(ApplicationID(1), [service(.exactly(0x100))])
    database.configure(0x103, of: peer, to: 1)
    #expect(database.subscribers(of: 0x102).map(\.peer) == [peer])
    _ = database.remove(ApplicationID(1))
    _ = try database.insert(ApplicationID(1), [service(.exactly(0x100))])
    #expect(database.subscribers(of: 0x102).isEmpty)
  }

  static let flags: [([String], UInt8?)] = [
    (["read"], 0x02), (["write", "notify"], 0x18), (["encrypt-read"], 0x02), (["secure-indicate"], 0x20),
    (["reliable-write", "write"], 0x88), (["broadcast", "write-without-response"], 0x05), ([], nil), (["fly"], nil),
  ]

  @Test("Flags give the byte of the declaration; none, or an unknown one, is a fault", arguments: flags)
  func properties(names: [String], properties: UInt8?) {
    #expect(AttributeFlags(names: names)?.properties == properties)
  }
}
