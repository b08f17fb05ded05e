package import BleperaBluetooth

/// The Security Manager of one side of a link (Core Specification, Vol 3, Part H). Stored keys are its owner's.
package struct SecurityManager: Sendable {
  package enum Role: Hashable, Sendable {
    /// The central of the link.
    case initiator
    case responder
  }

  private enum Phase {
    case idle
    /// The responder's Security Request was sent.
    case requesting
    /// The initiator's Pairing Request was sent.
    case requested(PairingFeatures)
    case legacy(LegacyPairing)
    case secureConnections(SecureConnectionsPairing)
    /// The key is to encrypt the link.
    case encrypting(PairingTerms, key: UInt128, isDebugged: Bool)
    case distributing(KeyDistribution)
    /// A pairing ended by its time limit.
    case closed
  }

  package let role: Role
  /// Applies to the next pairing.
  package var settings: SecuritySettings
  private let own: SecurityAddress
  private let peer: SecurityAddress
  private var random: RandomSource
  private var phase = Phase.idle
  /// The initiator's command that arrived before the responder's user responded.
  private var early: SecurityPDU?

  /// - Parameters:
  ///   - own: the address that this side uses on the air, which may be private.
  ///   - random: where keys, nonces and passkeys are drawn from.
  package init(
    role: Role, own: SecurityAddress, peer: SecurityAddress, settings: SecuritySettings, random: RandomSource
  ) {
    (self.role, self.own, self.peer) = (role, own, peer)
    (self.settings, self.random) = (settings, random)
  }

  /// Whether a pairing is in progress.
  package var isPairing: Bool {
    switch phase {
    case .idle, .requesting, .closed: false
    case .requested, .legacy, .secureConnections, .encrypting, .distributing: true
    }
  }

  /// Whether the key of a pairing is to encrypt the link.
  package var isEncrypting: Bool { if case .encrypting = phase { true } else { false } }

  /// Whether the time limit runs: in a pairing, and while the initiator has not answered a Security Request.
  package var isTimed: Bool { if case .requesting = phase { true } else { isPairing } }

  /// The key of the pairing in progress with which a responder encrypts the link; nil where it has none.
  package func key(random: UInt64, diversifier: UInt16) -> UInt128? {
    guard role == .responder, random == 0, diversifier == 0, case .encrypting(_, let key, _) = phase else { return nil }
    return key
  }

  // MARK: Events

  /// Begins a pairing, as a responder by a Security Request. Does nothing while one is in progress.
  package mutating func start() -> [SecurityAction] {
    if case .closed = phase { return [.timedOut] }
    guard !isPairing else { return [] }
    var actions: [SecurityAction] = []
    if role == .initiator {
      phase = .requested(settings.request)
      actions.send(.pairingRequest(settings.request))
    } else {
      phase = .requesting
      actions.send(.securityRequest(settings.requirements))
    }
    return timed(actions)
  }

  /// - Parameter bytes: the payload of a frame of the security channel.
  package mutating func receive(_ bytes: [UInt8]) -> [SecurityAction] {
    if case .closed = phase { return [] }
    var actions: [SecurityAction] = []
    do throws(SecurityFailure) {
      try receive(try SecurityPDU(bytes), &actions)
    } catch {
      // A failure is never answered, or two devices would not stop.
      guard bytes.first != SecurityPDU.failureCode else { return [] }
      fail(error, &actions)
    }
    return timed(actions)
  }

  /// The response of this side's user; without a question, `no` cancels the pairing.
  package mutating func respond(_ response: PairingResponse) -> [SecurityAction] {
    var actions: [SecurityAction] = []
    do throws(SecurityFailure) {
      try respond(response, &actions)
    } catch {
      fail(error, &actions)
    }
    return timed(actions)
  }

  /// The link was encrypted, also with another key than before, or it could not be.
  package mutating func encryptionChanged(isEncrypted: Bool) -> [SecurityAction] {
    var actions: [SecurityAction] = []
    switch phase {
    case .encrypting(let terms, let key, let isDebugged):
      guard isEncrypted else {
        fail(.unspecifiedReason, &actions)
        break
      }
      distribute(
        KeyDistribution(terms, key: key, isDebugged: isDebugged, identity: settings.identity), &actions)
    case .requesting:
      phase = .idle
      actions.append(.stopTimer)
    case .idle, .requested, .legacy, .secureConnections, .distributing, .closed: break
    }
    return timed(actions)
  }

  /// The time limit is over.
  package mutating func timeOut() -> [SecurityAction] {
    guard isTimed else { return [] }
    var actions: [SecurityAction] = []
    // As phones do when a promised key is not sent.
    if case .distributing = phase { actions.send(.failed(.unspecifiedReason)) }
    phase = .closed
    return actions + [.timedOut]
  }

  // MARK: PDUs

  private mutating func receive(_ pdu: SecurityPDU, _ actions: inout [SecurityAction]) throws(SecurityFailure) {
    switch pdu {
    case .failed(let reason): failed(reason, isFromPeer: true, &actions)
    case .keypress: break
    case .securityRequest(let requirements):
      guard role == .initiator else { throw .commandNotSupported }
      if !isPairing { actions.append(.requested(requirements)) }
    case .pairingRequest(let request):
      guard role == .responder else { throw .commandNotSupported }
      guard !isPairing else { throw .unspecifiedReason }
      try receive(request, &actions)
    default: try receivePart(pdu, &actions)
    }
  }

  private mutating func receive(_ request: PairingFeatures, _ actions: inout [SecurityAction]) throws(SecurityFailure) {
    if settings.isStrict, request.initiatorKeys.isDisjoint(with: [.signing, .link]) { return }
    let response = settings.response(to: request)
    let terms = PairingTerms(
      role: role, request: request, response: response, initiator: peer, responder: own,
      passkey: settings.passkey)
    if let refusal = terms.refusal(settings) { throw refusal }
    actions.send(.pairingResponse(response))
    begin(terms, &actions)
  }

  /// Anything that has its place in a pairing; outside of one it is ignored.
  private mutating func receivePart(_ pdu: SecurityPDU, _ actions: inout [SecurityAction]) throws(SecurityFailure) {
    switch phase {
    case .idle, .requesting, .closed: return
    case .requested(let request):
      guard case .pairingResponse(let response) = pdu else { throw .unspecifiedReason }
      let terms = PairingTerms(
        role: role, request: request, response: response, initiator: own, responder: peer,
        passkey: settings.passkey)
      if let refusal = terms.refusal(settings) { throw refusal }
      begin(terms, &actions)
    case .legacy(var pairing):
      if pairing.question != nil { return try keep(pdu) }
      try pairing.receive(pdu, &actions)
      phase = .legacy(pairing)
      if let key = pairing.key { encrypt(pairing.terms, key, isDebugged: false, &actions) }
    case .secureConnections(var pairing):
      if pairing.question != nil { return try keep(pdu) }
      try pairing.receive(pdu, using: &random, &actions)
      phase = .secureConnections(pairing)
      if let key = pairing.key { encrypt(pairing.terms, key, isDebugged: pairing.isDebugged, &actions) }
    case .encrypting: throw .unspecifiedReason
    case .distributing(var distribution):
      try distribution.receive(pdu)
      distribute(distribution, &actions)
    }
  }

  /// An initiator does not wait for the responder's user.
  private mutating func keep(_ pdu: SecurityPDU) throws(SecurityFailure) {
    guard role == .responder, early == nil else { throw .unspecifiedReason }
    early = pdu
  }

  private mutating func respond(_ response: PairingResponse, _ actions: inout [SecurityAction]) throws(SecurityFailure)
  {
    switch (phase, response) {
    case (.legacy(var pairing), _):
      guard try accepts(response, to: pairing.question, of: pairing.terms) else { return }
      pairing.resume(response.passkey, &actions)
      phase = .legacy(pairing)
    case (.secureConnections(var pairing), _):
      guard try accepts(response, to: pairing.question, of: pairing.terms) else { return }
      pairing.resume(response.passkey, using: &random, &actions)
      phase = .secureConnections(pairing)
    case (.requesting, .no), (.requested, .no), (.encrypting, .no), (.distributing, .no): throw .unspecifiedReason
    case (.idle, _), (.requesting, _), (.requested, _), (.encrypting, _), (.distributing, _), (.closed, _): return
    }
    if let pdu = early {
      early = nil
      try receivePart(pdu, &actions)
    }
  }

  /// False for a response to another question.
  private func accepts(
    _ response: PairingResponse, to question: PairingRequest?, of terms: PairingTerms
  ) throws(SecurityFailure) -> Bool {
    switch (question, response) {
    case (_, .no):
      switch terms.method {
      case .justWorks: throw .unspecifiedReason
      case .numericComparison: throw .numericComparisonFailed
      case .passkey: throw .passkeyEntryFailed
      }
    case (.authorize, .yes), (.compare, .yes): return true
    case (.type, .passkey(let passkey)):
      guard passkey <= 999_999 else { throw .passkeyEntryFailed }
      return true
    case (_, .yes), (_, .passkey): return false
    }
  }

  // MARK: Phases

  private mutating func begin(_ terms: PairingTerms, _ actions: inout [SecurityAction]) {
    if terms.isSecureConnections {
      var pairing = SecureConnectionsPairing(terms, hasBond: settings.hasBond, using: &random)
      pairing.begin(authorizes: settings.authorizes, &actions)
      phase = .secureConnections(pairing)
    } else {
      var pairing = LegacyPairing(terms, using: &random)
      pairing.begin(authorizes: settings.authorizes, using: &random, &actions)
      phase = .legacy(pairing)
    }
  }

  private mutating func encrypt(
    _ terms: PairingTerms, _ key: UInt128, isDebugged: Bool, _ actions: inout [SecurityAction]
  ) {
    phase = .encrypting(terms, key: key, isDebugged: isDebugged)
    if role == .initiator { actions.append(.encrypt(key: key, random: 0, diversifier: 0)) }
  }

  private mutating func distribute(_ distribution: KeyDistribution, _ actions: inout [SecurityAction]) {
    var distribution = distribution
    distribution.distribute(using: &random, &actions)
    phase = .distributing(distribution)
    if distribution.isComplete {
      phase = .idle
      actions += [.stopTimer, .paired(distribution.bond)]
    }
  }

  /// Answers what cannot be accepted, and ends a pairing.
  private mutating func fail(_ reason: SecurityFailure, _ actions: inout [SecurityAction]) {
    actions.send(.failed(reason))
    failed(reason, isFromPeer: false, &actions)
  }

  private mutating func failed(_ reason: SecurityFailure, isFromPeer: Bool, _ actions: inout [SecurityAction]) {
    if isTimed { actions.append(.stopTimer) }
    switch phase {
    case .idle, .closed: return
    case .requesting, .requested, .legacy, .secureConnections, .encrypting, .distributing:
      (phase, early) = (.idle, nil)
      actions.append(.failed(reason, isFromPeer: isFromPeer))
    }
  }

  /// The time limit runs from what was sent last.
  private func timed(_ actions: [SecurityAction]) -> [SecurityAction] {
    let hasSent = actions.contains { if case .send = $0 { true } else { false } }
    return hasSent && isTimed ? actions + [.startTimer] : actions
  }
}

extension PairingResponse {
  fileprivate var passkey: UInt32? {
    switch self {
    case .passkey(let passkey): passkey
    case .yes, .no: nil
    }
  }
}
