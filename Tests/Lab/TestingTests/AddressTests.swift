import BleperaTesting
import Testing

@Suite("A phone's address in a story", .traced)
struct AddressTests {
  private static let quarter = Duration.seconds(15 * 60)
  private static let target = ScanTarget.localName("Lock")

  @Test("After 15 minutes the phone has another address, which its key resolves, and the old one is nobody's")
  func rotation() async throws {
    let air = Air()
    let phone = Phone(on: air)
    let central = Central(on: air)
    phone.launch(TestLock.app())
    let key = try #require(phone.irk)
    let before = try #require(await central.discover(Self.target, within: .seconds(3)))
    #expect(before.address == phone.address && before.address != phone.identityAddress)
    await air.advance(by: Self.quarter)
    let after = try #require(await central.discover(Self.target, within: .seconds(3)))
    #expect(after.address == phone.address && after.address != before.address)
    #expect(key.resolves(before.address) && key.resolves(after.address) && !key.resolves(phone.identityAddress))
    await #expect(throws: StoryFailure.timedOut(.seconds(60))) { try await central.connect(to: before) }
    await central.disconnect()
    try await central.connect(to: after)
    #expect(try await central.read(TestLock.status) == [7])
  }

  @Test("A connection outlives the address, and connecting to the phone itself finds whatever address it has")
  func connection() async throws {
    let air = Air()
    let phone = Phone(on: air)
    let central = Central(on: air)
    phone.launch(TestLock.app())
    let found = try #require(await central.discover(Self.target, within: .seconds(3)))
    try await central.connect(to: found)
    await air.advance(by: Self.quarter)
    #expect(try await central.read(TestLock.status) == [7])
    // It is connected already.
    try await central.connect(to: phone)
    #expect(try await central.read(TestLock.status) == [7])
    await central.disconnect()
    await air.advance(by: Self.quarter)
    try await central.connect(to: phone)
    #expect(try await central.read(TestLock.status) == [7])
  }

  @Test("To a bonded central the phone is one device: it discovers the identity address, and reconnects")
  func bonded() async throws {
    let air = Air()
    let phone = Phone(on: air)
    let central = Central(on: air)
    phone.launch(TestLock.app())
    let found = try #require(await central.discover(Self.target, within: .seconds(3)))
    try await central.connect(to: found)
    try await central.pair()
    await central.disconnect()
    await air.advance(by: Self.quarter)
    #expect(await central.discover(Self.target, within: .seconds(3))?.address == phone.identityAddress)
    try await central.connect(to: found)
    #expect(try await central.read(TestLock.status) == [7])
  }

  @Test("An iPhone's app that waits for the phone connects to the address that the phone then has")
  func iPhone() async throws {
    let air = Air()
    let phone = Phone(on: air)
    let other = Central(on: air, as: .iPhoneApp())
    let app = phone.launch(TestLock.app())
    let first = phone.address
    phone.switchBluetooth(on: false)
    await #expect(throws: StoryFailure.timedOut(.seconds(1))) {
      try await other.connect(to: phone, within: .seconds(1))
    }
    await air.advance(by: Self.quarter)
    phone.switchBluetooth(on: true)
    try await other.connect(to: phone)
    #expect(phone.address != first)
    #expect(try await other.read(TestLock.status) == [7])
    #expect(app.launches == 1)
  }

  @Test("A public address stays")
  func publicAddress() async {
    let air = Air()
    let phone = Phone(on: air, address: .public)
    let central = Central(on: air)
    phone.launch(TestLock.app())
    await air.advance(by: Self.quarter)
    #expect(phone.irk == nil)
    #expect(phone.address == "00:AA:01:00:00:00" && phone.identityAddress == phone.address)
    #expect(await central.discover(Self.target, within: .seconds(3))?.address == phone.address)
  }

  @Test("Equal seeds give equal addresses, and two phones differ")
  func seeds() {
    let addresses = ([1, 1, 2] as [UInt64]).map { seed in
      let air = Air(seed: seed)
      return [Phone(on: air, named: "first"), Phone(on: air, named: "second")].map(\.address)
    }
    #expect(addresses[0] == addresses[1])
    #expect(Set(addresses.flatMap(\.self)).count == 4)
  }
}
