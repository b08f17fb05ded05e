import BleperaBluetooth

/// The agreement on a long term key by Diffie-Hellman (Core Specification, Vol 3, Part H, 2.3.5.6).
struct SecureConnectionsPairing: Hashable, Sendable {
  /// The PDU that the peer sends next.
  private enum Step: Hashable { case publicKey, confirm, random, check }

  private static let rounds = 20

  let terms: PairingTerms
  /// The question that the user has not answered.
  private(set) var question: PairingRequest?
  /// The long term key, in the end.
  private(set) var key: UInt128?
  /// Whether the peer used the debug key.
  private(set) var isDebugged = false
  private let privateKey: P256PrivateKey
  private let hasBond: Bool
  private var step = Step.publicKey
  private var peerKey = P256PublicKey(x: [], y: [])
  private var secret: [UInt8] = []
  /// Nil until the user has typed the passkey, and where the method has none.
  private var passkey: UInt32?
  /// The number of the round; a passkey has a round for each bit.
  private var round = 0
  private var nonce: UInt128 = 0
  private var peerNonce: UInt128 = 0
  private var peerConfirm: UInt128 = 0

  /// - Parameter hasBond: whether a debug key is refused.
  init(_ terms: PairingTerms, hasBond: Bool, using random: inout RandomSource) {
    (self.terms, self.hasBond) = (terms, hasBond)
    privateKey = P256PrivateKey(using: &random)
  }

  private var isInitiator: Bool { terms.role == .initiator }
  private var hasRounds: Bool { terms.method != .justWorks && terms.method != .numericComparison }

  mutating func begin(authorizes: Bool, _ actions: inout [SecurityAction]) {
    if authorizes, terms.method == .justWorks {
      question = .authorize
      actions.append(.ask(.authorize))
    } else if isInitiator {
      actions.send(.publicKey(privateKey.publicKey))
    }
  }

  /// Continues after the user's response.
  mutating func resume(_ typed: UInt32?, using random: inout RandomSource, _ actions: inout [SecurityAction]) {
    defer { question = nil }
    passkey = typed ?? passkey
    switch question {
    case .authorize where isInitiator: actions.send(.publicKey(privateKey.publicKey))
    case .type where isInitiator: sendConfirm(using: &random, &actions)
    case .compare where isInitiator: sendCheck(&actions)
    case .authorize, .type, .compare, .show, nil: break
    }
  }

  // MARK: PDUs

  mutating func receive(
    _ pdu: SecurityPDU, using random: inout RandomSource, _ actions: inout [SecurityAction]
  ) throws(SecurityFailure) {
    switch (step, pdu) {
    case (.publicKey, .publicKey(let key)): try receive(key, using: &random, &actions)
    case (.confirm, .confirm(let value)):
      peerConfirm = value
      step = .random
      if isInitiator { actions.send(.random(nonce)) } else { sendConfirm(using: &random, &actions) }
    case (.random, .random(let value)):
      peerNonce = value
      // Without rounds, only the responder has confirmed its value.
      if isInitiator || hasRounds {
        guard confirm(peerKey, privateKey.publicKey, value) == peerConfirm else { throw .confirmValueFailed }
      }
      if !isInitiator { actions.send(.random(nonce)) }
      endRound(using: &random, &actions)
    case (.check, .keyCheck(let value)):
      guard check(isOfInitiator: !isInitiator) == value else { throw .keyCheckFailed }
      if !isInitiator { sendCheck(&actions) }
      key = terms.shortened(keys.longTerm)
    default: throw .unspecifiedReason
    }
  }

  private mutating func receive(
    _ key: P256PublicKey, using random: inout RandomSource, _ actions: inout [SecurityAction]
  ) throws(SecurityFailure) {
    // Only X is compared: a point and its inverse have the same (CVE-2020-26558).
    guard key.x != privateKey.publicKey.x, let secret = privateKey.sharedSecret(with: key) else {
      throw .keyCheckFailed
    }
    isDebugged = key.x == P256PublicKey.debug.x
    guard !isDebugged || !hasBond else { throw .authenticationRequirements }
    (peerKey, self.secret) = (key, secret)
    if !isInitiator { actions.send(.publicKey(privateKey.publicKey)) }
    step = isInitiator || hasRounds ? .confirm : .random
    if !hasRounds {
      if !isInitiator { sendConfirm(using: &random, &actions) } else { newNonce(using: &random) }
    } else if terms.isTyped {
      question = .type
      actions.append(.ask(.type))
    } else {
      let shown = terms.passkey ?? UInt32.random(in: 0...999_999, using: &random)
      passkey = shown
      actions.append(.ask(.show(shown)))
      if isInitiator { sendConfirm(using: &random, &actions) }
    }
  }

  private mutating func endRound(using random: inout RandomSource, _ actions: inout [SecurityAction]) {
    round += 1
    if hasRounds, round < Self.rounds {
      step = .confirm
      if isInitiator { sendConfirm(using: &random, &actions) }
      return
    }
    step = .check
    if terms.method == .numericComparison {
      let keys = ordered(privateKey.publicKey.x, peerKey.x)
      let nonces = ordered(nonce, peerNonce)
      let digits = SecurityFunctions.g2(keys.initiator, keys.responder, nonces.initiator, nonces.responder)
      question = .compare(digits)
      actions.append(.ask(.compare(digits)))
    } else if isInitiator {
      sendCheck(&actions)
    }
  }

  private mutating func newNonce(using random: inout RandomSource) {
    nonce = .random(in: .min ... .max, using: &random)
  }

  private mutating func sendConfirm(using random: inout RandomSource, _ actions: inout [SecurityAction]) {
    newNonce(using: &random)
    actions.send(.confirm(confirm(privateKey.publicKey, peerKey, nonce)))
  }

  private func sendCheck(_ actions: inout [SecurityAction]) {
    actions.send(.keyCheck(check(isOfInitiator: isInitiator)))
  }

  // MARK: Values

  private func ordered<Value>(_ own: Value, _ peer: Value) -> (initiator: Value, responder: Value) {
    isInitiator ? (own, peer) : (peer, own)
  }

  /// - Parameter own: the key of the side whose value is confirmed.
  private func confirm(_ own: P256PublicKey, _ other: P256PublicKey, _ nonce: UInt128) -> UInt128 {
    let bit = passkey.map { 0x80 | UInt8($0 >> UInt32(round) & 1) } ?? 0
    return SecurityFunctions.f4(own.x, other.x, nonce, bit)
  }

  private var keys: (check: UInt128, longTerm: UInt128) {
    let nonces = ordered(nonce, peerNonce)
    return SecurityFunctions.f5(secret: secret, nonces.initiator, nonces.responder, terms.initiator, terms.responder)
  }

  private func check(isOfInitiator: Bool) -> UInt128 {
    let nonces = ordered(nonce, peerNonce)
    let passkey = UInt128(passkey ?? 0)
    return isOfInitiator
      ? SecurityFunctions.f6(
        key: keys.check, nonces.initiator, nonces.responder, passkey, capability: terms.request.checked,
        terms.initiator, terms.responder)
      : SecurityFunctions.f6(
        key: keys.check, nonces.responder, nonces.initiator, passkey, capability: terms.response.checked,
        terms.responder, terms.initiator)
  }
}
