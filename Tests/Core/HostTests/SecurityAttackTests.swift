import BleperaBluetooth
import Testing

@testable import BleperaHost

@Suite("What a Security Manager does with PDUs that its peer should not send")
struct SecurityAttackTests {
  private static func settings(isSecure: Bool = true) -> SecuritySettings {
    var settings = SecurityManagerTests.settings(isSecure: isSecure, identity: 1)
    settings.authorizes = false
    return settings
  }

  private static func manager(
    _ role: SecurityManager.Role, _ settings: SecuritySettings = settings(), seed: UInt64 = 1
  ) -> SecurityManager {
    SecurityManager(
      role: role, own: SecurityPair.responderAddress, peer: SecurityPair.initiatorAddress, settings: settings,
      random: .seeded(SplitMix64(seed: seed)))
  }

  /// The PDUs that were sent, without other actions.
  private static func sent(_ actions: [SecurityAction]) -> [[UInt8]] {
    actions.compactMap { if case .send(let bytes) = $0 { bytes } else { nil } }
  }

  static let strays: [(SecurityManager.Role, bytes: [UInt8], answer: [UInt8]?)] = [
    (.initiator, [0x01, 3, 0, 1, 16, 0, 0], [0x05, 0x07]), (.responder, [0x0B, 0x01], [0x05, 0x07]),
    (.responder, [0x0F], [0x05, 0x07]), (.initiator, [0xFF, 0], [0x05, 0x07]), (.responder, [], [0x05, 0x0A]),
    (.responder, [0x01, 3, 0, 1, 16, 0], [0x05, 0x0A]), (.responder, [0x01, 5, 0, 1, 16, 0, 0], [0x05, 0x0A]),
    (.responder, [0x03] + Array(repeating: 0, count: 16), nil), (.responder, [0x02, 3, 0, 1, 16, 0, 0], nil),
    (.initiator, [0x0E, 0], nil), (.responder, [0x05, 0x08], nil), (.responder, [0x05], nil),
    (.initiator, [0x05, 1, 2], nil),
  ]

  @Test("Outside of a pairing, what cannot be answered is ignored", arguments: strays)
  func outside(role: SecurityManager.Role, bytes: [UInt8], answer: [UInt8]?) {
    var manager = Self.manager(role)
    #expect(manager.receive(bytes) == (answer.map { [.send($0)] } ?? []))
  }

  @Test("A request in a pairing ends it; a Security Request does not")
  func inside() {
    var manager = Self.manager(.initiator)
    _ = manager.start()
    #expect(manager.receive([0x0B, 0x01]) == [])
    #expect(manager.start() == [])
    #expect(
      manager.receive([0x01, 3, 0, 1, 16, 0, 0])
        == [.send([0x05, 0x07]), .stopTimer, .failed(.commandNotSupported, isFromPeer: false)])
    var other = Self.manager(.responder)
    #expect(Self.sent(other.receive([0x01, 3, 0, 1, 16, 0, 0])).count == 1)
    #expect(Self.sent(other.receive([0x01, 3, 0, 1, 16, 0, 0])) == [[0x05, 0x08]])
  }

  @Test(
    "A strict phone ignores a request that promises neither signing nor link key", arguments: [0x03, 0x04, 0x08, 0x0F])
  func strict(keys: UInt8) {
    var settings = Self.settings()
    settings.isStrict = true
    var manager = Self.manager(.responder, settings)
    let actions = manager.receive([0x01, 3, 0, 0x09, 16, keys, keys])
    #expect(actions.isEmpty == (keys == 0x03))
    #expect(manager.isPairing == (keys != 0x03))
  }

  @Test("A response names at most the keys of the request, and under Secure Connections none to encrypt")
  func response() {
    var manager = Self.manager(.responder)
    #expect(Self.sent(manager.receive([0x01, 3, 0, 0x01, 16, 0x0F, 0x03])) == [[0x02, 3, 0, 0x0D, 16, 0x03, 0x03]])
    manager = Self.manager(.responder)
    #expect(Self.sent(manager.receive([0x01, 3, 0, 0x29, 16, 0x0F, 0x0F])) == [[0x02, 3, 0, 0x0D, 16, 0x02, 0x02]])
    manager = Self.manager(.responder)
    #expect(Self.sent(manager.receive([0x01, 3, 0, 0x01, 7, 0x01, 0])) == [[0x02, 3, 0, 0x0D, 16, 0x01, 0]])
  }

  static let responses: [([UInt8], SecurityFailure)] = [
    // More keys than were asked for; OOB data in Secure Connections.
    ([0x02, 3, 0, 0x01, 16, 0x07, 0x03], .invalidParameters), ([0x02, 3, 0, 0x01, 16, 0x03, 0x0B], .invalidParameters),
    ([0x02, 3, 1, 0x09, 16, 0x03, 0x03], .outOfBandNotAvailable),
  ]

  @Test("An initiator refuses a response", arguments: responses)
  func refusing(bytes: [UInt8], reason: SecurityFailure) {
    var manager = Self.manager(.initiator)
    _ = manager.start()
    #expect(
      manager.receive(bytes)
        == [.send([0x05, reason.rawValue]), .stopTimer, .failed(reason, isFromPeer: false)])
  }

  @Test("OOB data of one side does not count in legacy pairing, and is refused in Secure Connections")
  func outOfBand() {
    var manager = Self.manager(.responder)
    #expect(Self.sent(manager.receive([0x01, 3, 1, 0x01, 16, 0, 0])).first?.first == 0x02)
    manager = Self.manager(.responder)
    #expect(Self.sent(manager.receive([0x01, 3, 1, 0x09, 16, 0, 0])) == [[0x05, 0x02]])
  }

  // MARK: Public keys

  /// A responder that has received a request, and the public key that it sends.
  private static func responder(hasBond: Bool = false) -> (manager: SecurityManager, key: [UInt8]) {
    var settings = settings()
    settings.hasBond = hasBond
    var manager = manager(.responder, settings)
    _ = manager.receive([0x01, 3, 0, 0x09, 16, 0, 0])
    var copy = manager
    var random = SplitMix64(seed: 99)
    let other = P256PrivateKey(using: &random).publicKey
    return (manager, sent(copy.receive(SecurityPDU.publicKey(other).bytes))[0])
  }

  @Test("Its own key, or one with its X, fails the check of the key")
  func reflected() {
    let (manager, key) = Self.responder()
    for bytes in [key, Array(key.prefix(33)) + Array(repeating: 1, count: 32)] {
      var manager = manager
      #expect(Self.sent(manager.receive(bytes)) == [[0x05, 0x0B]])
    }
  }

  @Test("A key off the curve fails the check of the key")
  func offCurve() {
    var (manager, key) = Self.responder()
    key[64] ^= 1
    // Another X than its own.
    key[1] ^= 1
    #expect(Self.sent(manager.receive(key)) == [[0x05, 0x0B]])
    var other = Self.responder().manager
    #expect(Self.sent(other.receive([0x0C] + Array(repeating: 0, count: 64))) == [[0x05, 0x0B]])
  }

  @Test("The key of debuggers does not replace a bond", arguments: [false, true])
  func debugKey(hasBond: Bool) {
    var manager = Self.responder(hasBond: hasBond).manager
    let sent = Self.sent(manager.receive(SecurityPDU.publicKey(.debug).bytes))
    #expect(hasBond ? sent == [[0x05, 0x03]] : sent.map { $0[0] } == [0x0C, 0x03])
  }

  @Test("A bond of a debugger's key is not kept")
  func debugBond() {
    let features = PairingFeatures(
      capability: .noInputNoOutput, requirements: [.bonding, .secureConnections], keySize: 16, initiatorKeys: [],
      responderKeys: [])
    let terms = PairingTerms(
      role: .responder, request: features, response: features, initiator: SecurityPair.initiatorAddress,
      responder: SecurityPair.responderAddress)
    #expect(KeyDistribution(terms, key: 1, isDebugged: false, identity: nil).bond.isBonded)
    #expect(!KeyDistribution(terms, key: 1, isDebugged: true, identity: nil).bond.isBonded)
  }

  // MARK: Keys

  /// A pair whose link is encrypted, and whose initiator has to send its keys.
  private static func distributing() -> SecurityPair {
    var pair = SecurityPair(
      settings(isSecure: false), SecurityManagerTests.settings(isSecure: false, identity: 2))
    pair.start()
    while pair.initiator.bond == nil {
      if pair.underWay.isEmpty, !pair.userResponds() { break }
      if !pair.underWay.isEmpty { pair.deliver() }
    }
    return pair
  }

  @Test("The responder's keys come first, in their order, then the initiator's")
  func order() {
    var pair = Self.distributing()
    #expect(pair.responder.sent.suffix(4).map { $0[0] } == [6, 7, 8, 9])
    #expect(pair.initiator.sent.suffix(4).map { $0[0] } == [6, 7, 8, 9])
    #expect(pair.underWay.map { $0.bytes[0] } == [6, 7, 8, 9])
    pair.run()
    #expect(pair.responder.bond != nil)
  }

  @Test("A promised key that is not sent ends the pairing at its time limit with a failure")
  func missingKey() {
    var pair = Self.distributing()
    for _ in 0..<3 { pair.deliver() }
    pair.deliver([])
    pair.run()
    #expect(pair.responder.sent.last == [0x05, 0x08])
    #expect(pair.responder.isTimedOut && pair.responder.bond == nil)
  }

  @Test("A key that is not due ends the pairing")
  func undueKey() {
    var pair = Self.distributing()
    pair.deliver([[0x09, 0, 1, 2, 3, 4, 5, 6]])
    #expect(pair.responder.sent.last == [0x05, 0x08])
    #expect(pair.responder.failure == .unspecifiedReason)
  }

  static let identities: [(UInt64, Bool, Bool)] = [
    (0x00AA_015C_0391, false, true), (0xC0AA_015C_0391, true, true), (0x5AAA_015C_0391, true, false),
    (0x00AA_015C_0391, true, false),
  ]

  @Test("A private address is no identity", arguments: identities)
  func identity(bits: UInt64, isRandom: Bool, isIdentity: Bool) {
    var pair = Self.distributing()
    for _ in 0..<3 { pair.deliver() }
    let address = SecurityAddress(bits: bits, isRandom: isRandom)
    pair.deliver([SecurityPDU.identityAddress(address).bytes])
    #expect((pair.responder.bond?.identity?.address == address) == isIdentity)
    #expect(pair.responder.bond != nil)
  }

  @Test("A key of zeros is that of a device without privacy")
  func noPrivacy() {
    var pair = Self.distributing()
    for _ in 0..<2 { pair.deliver() }
    pair.deliver([[0x08] + Array(repeating: 0, count: 16)])
    pair.deliver()
    #expect(pair.responder.bond?.identity?.address == Self.settings().identity?.address)
    #expect(pair.responder.bond?.identity?.key == nil)
  }

  // MARK: Encryption

  @Test("A responder has a key for the pairing alone, and for no diversifier")
  func keys() {
    var pair = SecurityPair(Self.settings(isSecure: false), Self.settings())
    #expect(pair.responder.manager.key(random: 0, diversifier: 0) == nil)
    pair.start()
    for _ in 0..<5 { pair.deliver() }
    // The responder has sent its value, which the initiator has not received.
    #expect(pair.responder.manager.key(random: 0, diversifier: 0) != nil)
    #expect(pair.responder.manager.key(random: 1, diversifier: 0) == nil)
    #expect(pair.responder.manager.key(random: 0, diversifier: 1) == nil)
    #expect(pair.initiator.manager.key(random: 0, diversifier: 0) == nil)
    pair.run()
    #expect(pair.responder.bond != nil)
    #expect(pair.responder.manager.key(random: 0, diversifier: 0) == nil)
  }

  @Test("A link that cannot be encrypted ends the pairing")
  func noEncryption() {
    var pair = SecurityPair(Self.settings(isSecure: false), Self.settings())
    pair.start()
    for _ in 0..<5 { pair.deliver() }
    var responder = pair.responder.manager
    let expected: [SecurityAction] = [
      .send([0x05, 0x08]), .stopTimer, .failed(.unspecifiedReason, isFromPeer: false),
    ]
    #expect(responder.encryptionChanged(isEncrypted: false) == expected)
    #expect(responder.encryptionChanged(isEncrypted: true) == [])
  }
}
