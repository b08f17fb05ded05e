import BleperaTesting
import TestSupport
import Testing

@Suite("An accessory is a device that is no phone", .traced)
struct AccessoryTests {
  private static let (box, level, secret) = (
    BluetoothUUID(0xFE00 as UInt16), BluetoothUUID(0xFE01 as UInt16), BluetoothUUID(0xFE02 as UInt16)
  )

  private static let services = [
    ServiceDefinition(
      uuid: box,
      characteristics: [
        CharacteristicDefinition(
          uuid: level, properties: [.read, .write, .notify], permissions: [.readable, .writeable], value: [70]),
        CharacteristicDefinition(
          uuid: secret, properties: [.read, .write], permissions: [.readEncryptionRequired, .writeEncryptionRequired],
          value: [1, 2]),
      ])
  ]

  @Test(
    "A central finds it, reads, writes, is notified and pairs",
    arguments: [AccessoryAddressKind.public, .static, .resolvable])
  func use(address: AccessoryAddressKind) async throws {
    let air = Air()
    let strap = Accessory(on: air, named: "strap", localName: "Strap", services: Self.services, address: address)
    let central = Central(on: air)
    let found = try #require(await central.discover(.service(Self.box), within: .seconds(1)))
    #expect((found.localName, found.address) == ("Strap", strap.address))
    #expect((strap.irk != nil) == (address == .resolvable) && strap.connectedCentrals.isEmpty)
    try await central.connect(to: found)
    #expect(strap.connectedCentrals == [central])
    #expect(try await central.read(Self.level) == [70])
    try await central.write([60], to: Self.level)
    #expect(strap.writes(to: Self.level) == [[60]] && strap.value(of: Self.level) == [60])
    let long = Array(repeating: UInt8(9), count: 400)
    try await central.write(long, to: Self.level)
    #expect(strap.writes(to: Self.level) == [[60], long])
    try await central.subscribe(to: Self.level)
    #expect(strap.subscribers(of: Self.level) == [central] && strap.subscribers(of: Self.secret).isEmpty)
    strap.set(Self.level, to: [59])
    #expect(try await central.receives(from: Self.level, within: .seconds(1)) == [59])
    // It is refused at first, pairs and is repeated.
    #expect(try await central.read(Self.secret) == [1, 2])
    #expect(air.trace.contains { $0.contains("strap  paired") })
  }

  @Test("The values of an accessory wait for a slow central, 64 of them with the radio, and none is lost")
  func slowCentral() async throws {
    let air = Air()
    let strap = Accessory(on: air, named: "strap", services: Self.services)
    let central = Central(on: air)
    try await central.connect(to: strap)
    try await central.subscribe(to: Self.level)
    air.link(central, strap).stall()
    for number in UInt8(0)..<200 { strap.set(Self.level, to: [number]) }
    await air.advance(by: .seconds(10))
    #expect(air.trace.count { $0.contains("strap  notified") } == 64)
    air.link(central, strap).resume()
    for number in UInt8(0)..<200 {
      #expect(try await central.receives(from: Self.level, within: .seconds(1)) == [number])
    }
  }

  @Test("A connection stops its advertising until it ends; switched off it is not there; a bond keeps the subscription")
  func life() async throws {
    let air = Air()
    let strap = Accessory(on: air, localName: "Strap", services: Self.services, address: .resolvable)
    let (central, other) = (Central(on: air), Central(on: air))
    try await central.connect(to: strap)
    try await central.pair()
    try await central.subscribe(to: Self.level)
    #expect(await !other.discovers(.localName("Strap"), within: .seconds(5)))
    await central.disconnect()
    #expect(await other.discovers(.localName("Strap"), within: .seconds(1)))
    #expect(strap.subscribers(of: Self.level).isEmpty)
    // Under another address, which the bond resolves.
    await air.advance(by: .seconds(1000))
    try await central.connect(to: strap)
    await air.advance(by: .seconds(1))
    #expect(strap.subscribers(of: Self.level) == [central])
    strap.set(Self.level, to: [1])
    #expect(try await central.receives(from: Self.level, within: .seconds(1)) == [1])
    strap.switchPower(on: false)
    #expect(!central.isConnected && strap.connectedCentrals.isEmpty)
    #expect(await !other.discovers(.localName("Strap"), within: .seconds(5)))
    strap.switchPower(on: true)
    #expect(await other.discovers(.localName("Strap"), within: .seconds(1)))
    try await other.connect(to: strap)
    #expect(try await other.read(Self.level) == [1])
  }

  @Test(
    "One that refuses to pair, or whose passkey a central cannot type, keeps what needs it",
    arguments: [AccessoryPairing.refuse, .passkey(123_456)])
  func pairing(_ pairing: AccessoryPairing) async throws {
    let air = Air()
    let strap = Accessory(on: air, localName: "Strap", services: Self.services, pairing: pairing)
    let central = Central(on: air)
    try await central.connect(to: strap)
    #expect(try await central.read(Self.level) == [70])
    await #expect(throws: StoryFailure.self) { try await central.read(Self.secret) }
    #expect(strap.writes(to: Self.secret).isEmpty)
  }

  @Test("A beacon is a broadcaster under an address that changes")
  func beacon() async throws {
    let air = Air()
    let data: [UInt8] = [0x4C, 0, 2, 0x15] + Array(repeating: 7, count: 21)
    let beacon = Accessory(on: air, manufacturerData: data, interval: .milliseconds(100), address: .nonresolvable)
    let central = Central(on: air)
    let first = try #require(await central.discover(.anything, within: .seconds(1)))
    #expect(first.address != beacon.identityAddress && first.address.first.map { "0123".contains($0) } == true)
    await air.advance(by: .seconds(900))
    let second = try #require(await central.discover(.anything, within: .seconds(1)))
    #expect(first.address != second.address)
    await #expect(throws: StoryFailure.timedOut(.seconds(60))) { try await central.connect(to: second) }
  }

  @Test("A file describes it, with the behaviors of profiles; faults of the link are a phone's")
  func file() async throws {
    let air = Air()
    let strap = try Accessory(
      on: air, named: "strap", file: try ProjectFile.bytes("profiles/accessories/heart-strap.plist"))
    let central = Central(on: air, as: .iPhoneApp())
    let rate = BluetoothUUID(0x2A37 as UInt16)
    #expect(await central.discovers(.service(BluetoothUUID(0x180D as UInt16)), within: .seconds(2)))
    try await central.connect(to: strap)
    try await central.subscribe(to: rate)
    var values: [[UInt8]] = []
    for _ in 0..<3 { values.append(try #require(await central.receives(from: rate, within: .seconds(2)))) }
    #expect(values.allSatisfy { $0.count == 2 && $0[0] == 6 } && Set(values).count == 3)
    #expect(try await central.read(BluetoothUUID(0x2A29 as UInt16)) == Array("Blepera".utf8))
    await air.advance(by: .seconds(130))
    #expect(try await central.read(BluetoothUUID(0x2A19 as UInt16)) == [98])
    try air.link(central, strap).drop()
    #expect(await central.isDisconnected(within: .seconds(1)))
    #expect(throws: StoryFailure.self) { _ = try Accessory(on: air, file: Array("{ Name = A; }".utf8)) }
  }
}
