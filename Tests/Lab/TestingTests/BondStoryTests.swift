import BleperaProfile
import BleperaTesting
import TestSupport
import Testing

@testable import BleperaSimulation

@Suite("A bond that one side has lost", .traced)
struct BondStoryTests {
  private static let command = BluetoothUUID("C8B6F0B5-7A37-4B4E-9F0C-6B2B5D1E8A02")!

  private let air = Air()

  /// The lock of `smart-lock.plist` as an accessory, whose commands need a pairing.
  private func lock(_ bonding: AccessoryBonding = AccessoryBonding()) throws -> Accessory {
    let file = try ProjectFile.bytes("profiles/smart-lock.plist")
    var description = try #require(AccessoryDescription.check(file, file: "lock").accessory)
    description.bonding = bonding
    return Accessory(on: air, named: "lock", description)
  }

  /// A phone whose app unlocks the lock in each connection, and locks it again.
  private func phone(_ name: String = "phone") async throws -> Phone {
    let phone = Phone(on: air, named: name)
    let file = try ProjectFile.bytes("profiles/lock-remote.plist")
    let profile = try #require(Profile.check(file, file: "remote").profile)
    phone.launch(AppDefinition(profile: profile, fallbackName: "remote", seed: 0))
    await air.advance(by: .seconds(10))
    return phone
  }

  private func count(_ text: String) -> Int { air.trace.count { $0.contains(text) } }

  @Test("A lock that has lost its keys fails at each connection, until the phone forgets the lock")
  func lostByAccessory() async throws {
    let lock = try lock()
    let phone = try await phone()
    #expect(phone.bonds == [lock.identityAddress] && lock.bonds == [phone.identityAddress])
    #expect(lock.writes(to: Self.command) == [[1], [0]])

    lock.forgetBonds()
    try air.link(phone, lock).drop()
    await air.advance(by: .seconds(20))
    #expect(lock.bonds.isEmpty && lock.writes(to: Self.command).count == 2)
    #expect(count("the peripheral has no key") > 1 && count("lock  paired") == 1)
    #expect(count("phone  bond lost") == 1 && count("lock  bond lost") > 1)
    // Nothing but the user helps.
    phone.switchBluetooth(on: false)
    phone.switchBluetooth(on: true)
    await air.advance(by: .seconds(20))
    #expect(lock.writes(to: Self.command).count == 2)

    phone.forgetBonds(with: lock.identityAddress)
    await air.advance(by: .seconds(20))
    #expect(lock.writes(to: Self.command) == [[1], [0], [1], [0]] && count("lock  paired") == 2)
    #expect(phone.bonds == [lock.identityAddress] && lock.bonds == [phone.identityAddress])
  }

  @Test("A phone that has forgotten a lock pairs as with a new one, although the lock has kept its keys")
  func lostByPhone() async throws {
    let lock = try lock()
    let phone = try await phone()
    phone.forgetBonds()
    await air.advance(by: .seconds(20))
    #expect(lock.writes(to: Self.command) == [[1], [0], [1], [0]] && count("lock  paired") == 2)
    #expect(phone.bonds == [lock.identityAddress] && lock.bonds == [phone.identityAddress])
    #expect(count("bond lost") == 0)
  }

  @Test("Three phones and a lock that keeps two keys: the first phone has a dead bond")
  func threePhones() async throws {
    var bonding = AccessoryBonding()
    bonding.limit = 2
    let lock = try lock(bonding)
    var phones: [Phone] = []
    for name in ["first", "second", "third"] {
      phones.append(try await phone(name))
      phones.last?.switchBluetooth(on: false)
    }
    #expect(lock.writes(to: Self.command).count == 6 && lock.bonds == phones[1...].map(\.identityAddress))
    for (name, phone, writes) in [("first", phones[0], 6), ("second", phones[1], 8), ("third", phones[2], 10)] {
      phone.switchBluetooth(on: true)
      await air.advance(by: .seconds(20))
      phone.switchBluetooth(on: false)
      #expect(lock.writes(to: Self.command).count == writes)
      #expect(count("\(name)  bond lost") == (name == "first" ? 1 : 0))
    }
  }

  @Test(
    "Without an identity key of the lock the second connection fails, but not after legacy pairing",
    arguments: [true, false])
  func missingIdentity(isSecure: Bool) async throws {
    var bonding = AccessoryBonding()
    (bonding.givesIdentity, bonding.usesSecureConnections) = (false, isSecure)
    let lock = try lock(bonding)
    let phone = try await phone()
    try air.link(phone, lock).drop()
    await air.advance(by: .seconds(20))
    #expect(lock.writes(to: Self.command).count == (isSecure ? 2 : 4))
    #expect(count("gave no identity key at the pairing") == (isSecure ? 1 : 0))
    guard isSecure else { return }
    phone.forgetBonds(with: lock.identityAddress)
    await air.advance(by: .seconds(20))
    #expect(lock.writes(to: Self.command).count == 4)
  }

  @Test("A lock that asks for security has it at once: a new phone pairs, and a bonded one encrypts")
  func securityRequest() async throws {
    var bonding = AccessoryBonding()
    bonding.requestsSecurity = true
    let lock = try lock(bonding)
    let phone = try await phone()
    try air.link(phone, lock).drop()
    await air.advance(by: .seconds(60))
    #expect(lock.writes(to: Self.command) == [[1], [0], [1], [0]] && count("lock  paired") == 1)
    #expect(count("phone  disconnected") == 1 && phone.bonds == [lock.identityAddress])
  }

  @Test("A lock that keeps one key recognizes its phone under each new address, also after two hours without Bluetooth")
  func newAddresses() async throws {
    var bonding = AccessoryBonding()
    bonding.limit = 1
    let lock = try lock(bonding)
    let phone = try await phone()
    for (round, absence) in [Duration.seconds(1), .seconds(1200), .seconds(7200)].enumerated() {
      let former = phone.address
      phone.switchBluetooth(on: false)
      await air.advance(by: absence)
      phone.switchBluetooth(on: true)
      await air.advance(by: .seconds(20))
      #expect(phone.address != former && lock.writes(to: Self.command).count == 4 + 2 * round)
    }
    #expect(count("bond lost") == 0 && lock.bonds == [phone.identityAddress] && phone.bonds == [lock.identityAddress])
  }

  @Test("A lock that keeps no keys is bonded for one connection")
  func noKeys() async throws {
    var bonding = AccessoryBonding()
    bonding.limit = 0
    let lock = try lock(bonding)
    let phone = try await phone()
    #expect(phone.bonds == [lock.identityAddress] && lock.bonds.isEmpty)
    try air.link(phone, lock).drop()
    await air.advance(by: .seconds(20))
    #expect(lock.writes(to: Self.command).count == 2 && count("phone  bond lost") == 1)
  }

  @Test("A central that the phone has forgotten encrypts with a key that the phone does not have")
  func forgottenCentral() async throws {
    let phone = Phone(on: air)
    let file = try ProjectFile.bytes("profiles/smart-lock.plist")
    phone.launch(
      AppDefinition(profile: try #require(Profile.check(file, file: "lock").profile), fallbackName: "lock", seed: 0))
    let central = Central(on: air)
    try await central.connect(to: phone)
    try await central.pair()
    await air.advance(by: .seconds(1))
    #expect(phone.bonds == [central.address])
    phone.forgetBonds(with: central.address)
    await air.advance(by: .seconds(1))
    #expect(!central.isConnected && phone.bonds.isEmpty)
    try await central.connect(to: phone)
    await air.advance(by: .seconds(1))
    #expect(central.isConnected && count("phone  bond lost") == 1)
    // Until it is known that both have forgotten, the central is listed.
    #expect(phone.bonds == [central.address])
  }
}
