import BleperaBluetooth

/// The agreement on a short term key (Core Specification, Vol 3, Part H, 2.3.5.5).
struct LegacyPairing: Hashable, Sendable {
  let terms: PairingTerms
  /// The question that the user has not answered.
  private(set) var question: PairingRequest?
  /// The short term key, in the end.
  private(set) var key: UInt128?
  private let nonce: UInt128
  /// The passkey, or 0.
  private var temporaryKey: UInt128 = 0
  private var peerConfirm: UInt128?

  init(_ terms: PairingTerms, using random: inout RandomSource) {
    self.terms = terms
    nonce = .random(in: .min ... .max, using: &random)
  }

  mutating func begin(authorizes: Bool, using random: inout RandomSource, _ actions: inout [SecurityAction]) {
    if terms.method == .justWorks {
      question = authorizes ? .authorize : nil
    } else if terms.isTyped {
      question = .type
    } else {
      let passkey = terms.passkey ?? UInt32.random(in: 0...999_999, using: &random)
      temporaryKey = UInt128(passkey)
      actions.append(.ask(.show(passkey)))
    }
    if let question { actions.append(.ask(question)) } else { resume(nil, &actions) }
  }

  /// Continues after the user's response.
  mutating func resume(_ passkey: UInt32?, _ actions: inout [SecurityAction]) {
    question = nil
    if let passkey { temporaryKey = UInt128(passkey) }
    if terms.role == .initiator { actions.send(.confirm(confirm(of: nonce))) }
  }

  mutating func receive(_ pdu: SecurityPDU, _ actions: inout [SecurityAction]) throws(SecurityFailure) {
    switch (pdu, peerConfirm) {
    case (.confirm(let value), nil):
      peerConfirm = value
      actions.send(terms.role == .initiator ? .random(nonce) : .confirm(confirm(of: nonce)))
    case (.random(let value), let expected?):
      guard confirm(of: value) == expected else { throw .confirmValueFailed }
      if terms.role == .responder { actions.send(.random(nonce)) }
      let (responder, initiator) = terms.role == .responder ? (nonce, value) : (value, nonce)
      key = terms.shortened(SecurityFunctions.s1(key: temporaryKey, responder, initiator))
    default: throw .unspecifiedReason
    }
  }

  private func confirm(of random: UInt128) -> UInt128 {
    SecurityFunctions.c1(
      key: temporaryKey, random: random, request: SecurityPDU.pairingRequest(terms.request).bytes,
      response: SecurityPDU.pairingResponse(terms.response).bytes, initiator: terms.initiator,
      responder: terms.responder)
  }
}
