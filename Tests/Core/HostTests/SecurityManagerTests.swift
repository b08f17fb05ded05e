import BleperaBluetooth
import Testing

@testable import BleperaHost

@Suite("Pairing of two Security Managers")
struct SecurityManagerTests {
  static func settings(
    _ capability: PairingCapability = .noInputNoOutput, isSecure: Bool = true, identity number: UInt8? = nil
  ) -> SecuritySettings {
    var settings = SecuritySettings()
    settings.capability = capability
    settings.requirements = isSecure ? [.bonding, .authentication, .secureConnections] : [.bonding, .authentication]
    settings.identity = number.map {
      SecurityIdentity(
        address: SecurityAddress(bits: 0x00AA_015C_0300 + UInt64($0), isRandom: false),
        key: IdentityResolvingKey(Array(repeating: $0, count: 16)))
    }
    return settings
  }

  /// Capabilities that lead to each method.
  static let methods: [(PairingCapability, PairingCapability)] = [
    (.noInputNoOutput, .keyboardDisplay), (.displayYesNo, .keyboardDisplay), (.displayOnly, .keyboardOnly),
    (.keyboardOnly, .displayOnly), (.keyboardOnly, .keyboardOnly),
  ]

  static let pairings = methods.flatMap { method in
    [false, true].map { (initiator: method.0, responder: method.1, isSecure: $0) }
  }

  @Test("Both sides have the keys of the same bond, and each other's identity", arguments: pairings)
  func pairing(initiator: PairingCapability, responder: PairingCapability, isSecure: Bool) throws {
    let (first, second) = (
      Self.settings(initiator, isSecure: isSecure, identity: 1), Self.settings(responder, identity: 2)
    )
    var pair = SecurityPair(first, second)
    pair.start()
    pair.run()
    let bonds = (try #require(pair.initiator.bond), try #require(pair.responder.bond))
    #expect(pair.isEncrypted)
    #expect(bonds.0.asCentral != nil)
    #expect(bonds.0.asCentral == bonds.1.asPeripheral)
    #expect(bonds.0.asPeripheral == bonds.1.asCentral)
    #expect((bonds.0.asCentral == bonds.0.asPeripheral) == isSecure)
    #expect((bonds.0.asCentral?.random == 0) == isSecure)
    #expect(bonds.0.identity == second.identity)
    #expect(bonds.1.identity == first.identity)
    for bond in [bonds.0, bonds.1] {
      #expect(bond.isAuthenticated == (initiator != .noInputNoOutput))
      #expect(bond.isSecureConnections == isSecure)
      #expect(bond.isBonded)
      #expect(bond.keySize == 16)
    }
    #expect(!pair.initiator.hasTimer && !pair.responder.hasTimer)
    #expect(!pair.initiator.manager.isPairing && !pair.responder.manager.isPairing)
  }

  @Test("A user may answer until the time limit ends the pairing", arguments: pairings, [true, false])
  func lateAnswer(
    pairing: (initiator: PairingCapability, responder: PairingCapability, isSecure: Bool), isTooLate: Bool
  ) {
    var pair = SecurityPair(
      Self.settings(pairing.initiator, isSecure: pairing.isSecure), Self.settings(pairing.responder))
    pair.isManned = false
    pair.start()
    while !pair.underWay.isEmpty { pair.deliver() }
    #expect(pair.initiator.isAsked || pair.responder.isAsked)
    #expect(pair.initiator.hasTimer && pair.responder.hasTimer)
    if isTooLate { pair.run() }
    pair.isManned = true
    pair.run()
    #expect(pair.initiator.isTimedOut == isTooLate && pair.responder.isTimedOut == isTooLate)
    #expect((pair.initiator.bond == nil) == isTooLate && (pair.responder.bond == nil) == isTooLate)
  }

  @Test("A Security Request leads to a pairing")
  func securityRequest() {
    var pair = SecurityPair(Self.settings(isSecure: false), Self.settings(isSecure: false))
    pair.start(byInitiator: false)
    pair.run()
    #expect(pair.responder.sent.first == [0x0B, 0x05])
    #expect(pair.initiator.bond != nil)
    #expect(pair.responder.bond != nil)
  }

  @Test("A Security Request has the time limit of a pairing, until the initiator answers it")
  func requestTimesOut() {
    func requesting() -> SecurityManager {
      var manager = SecurityManager(
        role: .responder, own: SecurityAddress(bits: 1, isRandom: false),
        peer: SecurityAddress(bits: 2, isRandom: false), settings: Self.settings(), random: .seeded(SplitMix64(seed: 1))
      )
      #expect(manager.start().last == .startTimer)
      return manager
    }
    var silent = requesting()
    #expect(silent.timeOut() == [.timedOut])
    // Nothing more may be sent on this link.
    #expect(silent.start() == [.timedOut] && silent.timeOut() == [])
    var encrypted = requesting()
    #expect(encrypted.encryptionChanged(isEncrypted: true) == [.stopTimer] && encrypted.timeOut() == [])
    var cancelled = requesting()
    let expected: [SecurityAction] = [
      .send([0x05, 0x08]), .stopTimer, .failed(.unspecifiedReason, isFromPeer: false),
    ]
    #expect(cancelled.respond(.no) == expected && cancelled.timeOut() == [])
  }

  @Test("The smaller key size counts, and a shortened key has zeros in its first bytes", arguments: [false, true])
  func keySize(isSecure: Bool) throws {
    var (first, second) = (Self.settings(isSecure: isSecure), Self.settings())
    (first.keySizes, second.keySizes) = (7...16, 7...7)
    var pair = SecurityPair(first, second)
    pair.start()
    pair.run()
    let bond = try #require(pair.initiator.bond)
    let key = try #require(bond.asCentral)
    #expect(bond.keySize == 7)
    #expect(key == pair.responder.bond?.asPeripheral)
    #expect(key.value > 0 && key.value >> 56 == 0)
  }

  @Test("Without bonding the link is encrypted, and no key is distributed", arguments: [false, true])
  func noBonding(isSecure: Bool) throws {
    var (first, second) = (Self.settings(isSecure: isSecure, identity: 1), Self.settings(identity: 2))
    (first.requirements, second.requirements) = (
      first.requirements.subtracting(.bonding), second.requirements.subtracting(.bonding)
    )
    var pair = SecurityPair(first, second)
    pair.start()
    pair.run()
    let bond = try #require(pair.initiator.bond)
    #expect(pair.isEncrypted && pair.responder.bond != nil)
    #expect(!bond.isBonded && bond.identity == nil)
    #expect((bond.asCentral == nil) == !isSecure)
  }

  @Test("Without a request for protection against a man in the middle, two keyboards just work")
  func unauthenticated() {
    var (first, second) = (Self.settings(.keyboardDisplay), Self.settings(.keyboardDisplay))
    (first.requirements, second.requirements) = ([.bonding, .secureConnections], [.bonding, .secureConnections])
    (first.authorizes, second.authorizes) = (false, false)
    var pair = SecurityPair(first, second)
    pair.start()
    pair.run()
    #expect(pair.initiator.bond?.isAuthenticated == false)
    #expect(pair.initiator.shown == nil && pair.responder.shown == nil)
  }

  // MARK: Refusals

  typealias Change = @Sendable (inout SecuritySettings) -> Void

  static let refusals: [(String, initiator: Change, responder: Change, SecurityFailure, byInitiator: Bool)] = [
    ("not pairable", { _ in }, { $0.isPairable = false }, .pairingNotSupported, false),
    ("bonding unwanted", { _ in }, { $0.requirements.remove(.bonding) }, .pairingNotSupported, false),
    (
      "bonding demanded", { $0.requirements.remove(.bonding) }, { $0.demands = .bonding }, .authenticationRequirements,
      false
    ),
    (
      "Secure Connections demanded", { $0.requirements.remove(.secureConnections) },
      { $0.demands = .secureConnections }, .authenticationRequirements, false
    ),
    (
      "Secure Connections demanded by the initiator", { $0.demands = .secureConnections },
      { $0.requirements.remove(.secureConnections) }, .authenticationRequirements, true
    ),
    ("authentication demanded", { _ in }, { $0.demands = .authentication }, .authenticationRequirements, false),
    (
      "authentication demanded by the initiator", { $0.demands = .authentication }, { _ in },
      .authenticationRequirements, true
    ),
    ("a key too short", { $0.keySizes = 7...15 }, { $0.keySizes = 16...16 }, .encryptionKeySize, false),
    (
      "a key too short for the initiator", { $0.keySizes = 16...16 }, { $0.keySizes = 7...15 }, .encryptionKeySize, true
    ),
  ]

  @Test("Terms that are refused have a reason, and another pairing may begin", arguments: refusals)
  func refusing(_: String, initiator: Change, responder: Change, reason: SecurityFailure, byInitiator: Bool) {
    var (first, second) = (Self.settings(), Self.settings())
    initiator(&first)
    responder(&second)
    var pair = SecurityPair(first, second)
    pair.start()
    pair.run()
    #expect(pair.initiator.failure == reason)
    #expect((byInitiator ? pair.initiator : pair.responder).sent.last == [0x05, reason.rawValue])
    #expect(pair.initiator.bond == nil && pair.responder.bond == nil && !pair.isEncrypted)
    #expect(!pair.initiator.hasTimer && !pair.responder.hasTimer)
    pair.start()
    #expect(pair.initiator.sent.last?.first == 0x01)
  }

  // MARK: Users

  static let cancellations: [(PairingCapability, PairingCapability, Bool, SecurityFailure)] = [
    (.noInputNoOutput, .displayOnly, false, .unspecifiedReason),
    (.displayOnly, .keyboardOnly, false, .passkeyEntryFailed),
    (.displayOnly, .keyboardOnly, true, .passkeyEntryFailed),
    (.displayYesNo, .displayYesNo, true, .numericComparisonFailed),
  ]

  @Test("A user who says no ends the pairing", arguments: cancellations, [true, false])
  func cancelling(
    _ pairing: (PairingCapability, PairingCapability, isSecure: Bool, reason: SecurityFailure), byInitiator: Bool
  ) {
    var pair = SecurityPair(Self.settings(pairing.0, isSecure: pairing.isSecure), Self.settings(pairing.1))
    pair.isManned = false
    pair.start()
    while !pair.underWay.isEmpty { pair.deliver() }
    pair.respond(.no, isInitiator: byInitiator)
    pair.run()
    #expect(pair.initiator.failure == pairing.reason)
    #expect(pair.responder.failure == pairing.reason)
  }

  @Test("A fixed passkey is shown in each pairing", arguments: [true, false])
  func fixedPasskey(isSecure: Bool) {
    var settings = Self.settings(.displayOnly)
    settings.passkey = 42
    var pair = SecurityPair(Self.settings(.keyboardOnly, isSecure: isSecure), settings)
    pair.start()
    pair.run()
    #expect(pair.responder.shown == .show(42) && pair.responder.bond?.isAuthenticated == true)
  }

  @Test("A wrong passkey fails the confirm value", arguments: [false, true], [100_001, 100_000 ^ 1 << 19, 1_000_000])
  func wrongPasskey(isSecure: Bool, typed: UInt32) {
    var pair = SecurityPair(Self.settings(.keyboardOnly, isSecure: isSecure), Self.settings(.keyboardOnly))
    pair.isManned = false
    pair.start()
    while !pair.underWay.isEmpty { pair.deliver() }
    pair.respond(.passkey(100_000), isInitiator: true)
    pair.respond(.passkey(typed), isInitiator: false)
    pair.run()
    let reason: SecurityFailure = typed > 999_999 ? .passkeyEntryFailed : .confirmValueFailed
    #expect(pair.initiator.failure == reason)
    #expect(pair.responder.failure == reason)
    #expect(pair.responder.sent.last == [0x05, reason.rawValue])
  }

  @Test("An answer to another question changes nothing")
  func otherAnswers() {
    var pair = SecurityPair(Self.settings(.keyboardOnly, isSecure: false), Self.settings(.displayOnly))
    pair.isManned = false
    pair.start()
    while !pair.underWay.isEmpty { pair.deliver() }
    let sent = (pair.initiator.sent, pair.responder.sent)
    for response in [PairingResponse.yes, .passkey(7)] { pair.respond(response, isInitiator: false) }
    pair.respond(.yes, isInitiator: true)
    #expect(pair.initiator.sent == sent.0 && pair.responder.sent == sent.1)
    #expect(pair.initiator.manager.isPairing && pair.responder.manager.isPairing)
  }

  @Test("Users who never respond end the pairing by its time limit, and no other begins on the link")
  func unmanned() {
    var pair = SecurityPair(Self.settings(isSecure: false), Self.settings())
    pair.isManned = false
    pair.start()
    pair.run()
    #expect(pair.initiator.isTimedOut && pair.responder.isTimedOut)
    let sent = pair.initiator.sent.count
    pair.start()
    pair.receive([0x0B, 0x01], isInitiator: true)
    pair.receive([0x01, 0x03, 0, 1, 16, 0, 0], isInitiator: false)
    #expect(pair.initiator.sent.count == sent && pair.underWay.isEmpty)
  }
}
