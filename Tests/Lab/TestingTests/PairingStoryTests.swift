import BleperaAir
import BleperaProfile
import BleperaTesting
import TestSupport
import Testing

@testable import BleperaSimulation

@Suite("The phone's user takes part in pairings", .traced)
struct PairingStoryTests {
  private static let command = BluetoothUUID("C8B6F0B5-7A37-4B4E-9F0C-6B2B5D1E8A02")!

  private let air = Air()

  /// Launches the app of a shipped profile.
  private func serve(_ name: String, on phone: Phone) throws {
    let file = try ProjectFile.bytes("profiles/\(name).plist")
    let profile = try #require(Profile.check(file, file: name).profile)
    phone.launch(AppDefinition(profile: profile, fallbackName: name, seed: 0))
  }

  /// The lock of `smart-lock.plist` as an accessory, whose commands need a pairing.
  private func lock(_ pairing: AccessoryPairing) throws -> Accessory {
    let file = try ProjectFile.bytes("profiles/smart-lock.plist")
    var description = try #require(AccessoryDescription.check(file, file: "lock").accessory)
    description.pairing = pairing
    return Accessory(on: air, named: "lock", description)
  }

  private var questions: Int { air.trace.count { $0.contains("phone  pairing") } }

  // MARK: As the peripheral

  @Test("A phone that does not compare asks nothing, whatever the central has", arguments: [true, false])
  func justWorks(hasDisplay: Bool) async throws {
    let (phone, central) = (Phone(on: air), Central(on: air))
    try serve("heart-rate", on: phone)
    try await central.connect(to: phone)
    try await central.pair(comparing: hasDisplay)
    await air.advance(by: .seconds(1))
    #expect(phone.bonds == [central.address] && questions == 0)
  }

  @Test("A central that compares is paired when the user has accepted the number", arguments: [true, false])
  func compare(accepts: Bool) async throws {
    let (phone, central) = (Phone(on: air, comparesNumbers: true), Central(on: air))
    try serve("heart-rate", on: phone)
    try await central.connect(to: phone)
    air.after(.seconds(20)) { phone.pair(accepts ? .yes : .no) }
    if accepts {
      try await central.pair(comparing: true)
    } else {
      await #expect(throws: StoryFailure.notPaired) { try await central.pair(comparing: true) }
    }
    await air.advance(by: .seconds(1))
    #expect(phone.bonds == (accepts ? [central.address] : []) && questions == 1)
    #expect(air.trace.contains { $0.contains("compare the number with the number of the central") })
  }

  @Test("Without an answer the pairing ends after 30 s, and the connection with it")
  func noAnswer() async throws {
    let (phone, central) = (Phone(on: air, comparesNumbers: true), Central(on: air))
    try serve("heart-rate", on: phone)
    try await central.connect(to: phone)
    let begin = air.now
    await #expect(throws: StoryFailure.self) { try await central.pair(comparing: true) }
    #expect(air.now - begin >= .seconds(30) && air.now - begin < .seconds(32))
    await air.advance(by: .seconds(1))
    #expect(!central.isConnected && phone.bonds.isEmpty && questions == 1)
  }

  @Test("A central without a display does not pair with a phone that compares")
  func noDisplay() async throws {
    let (phone, central) = (Phone(on: air, comparesNumbers: true), Central(on: air))
    try serve("heart-rate", on: phone)
    try await central.connect(to: phone)
    await #expect(throws: StoryFailure.notPaired) { try await central.pair() }
    #expect(questions == 0)
    #expect(air.trace.contains { $0.contains("the central cannot compare the number that the phone shows") })
  }

  // MARK: As the central

  @Test("The phone types a passkey that its radio reads, and the user any other", arguments: [false, true])
  func passkey(isHidden: Bool) async throws {
    let backend = try #require(air.backend.virtual)
    var conditions = backend.conditions
    conditions.hidesDisplays = isHidden
    backend.set(conditions)
    let lock = try lock(.passkey(123_456))
    let phone = Phone(on: air, comparesNumbers: true)
    try serve("lock-remote", on: phone)
    await air.advance(by: .seconds(10))
    #expect(questions == (isHidden ? 1 : 0) && phone.bonds.isEmpty == isHidden)
    guard isHidden else { return }
    phone.pair(.passkey(123_456), with: lock.address)
    await air.advance(by: .seconds(10))
    #expect(phone.bonds == [lock.identityAddress] && lock.writes(to: Self.command) == [[1], [0]])
  }

  @Test("The user compares the number of an accessory", arguments: [true, false])
  func accessory(accepts: Bool) async throws {
    let lock = try lock(.numericComparison)
    let phone = Phone(on: air, comparesNumbers: true)
    try serve("lock-remote", on: phone)
    await air.advance(by: .seconds(10))
    #expect(questions == 1 && phone.bonds.isEmpty)
    phone.pair(accepts ? .yes : .no)
    await air.advance(by: .seconds(10))
    #expect(phone.bonds == (accepts ? [lock.identityAddress] : []))
  }
}
