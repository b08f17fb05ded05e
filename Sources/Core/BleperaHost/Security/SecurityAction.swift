package import BleperaBluetooth

/// An action that a Security Manager asks of its owner.
package enum SecurityAction: Hashable, Sendable {
  /// Sends the payload of a frame.
  case send([UInt8])
  /// Encrypts the link with that key, as its central.
  case encrypt(key: UInt128, random: UInt64, diversifier: UInt16)
  case ask(PairingRequest)
  /// Starts the timer of the Security Manager, instead of one that runs (Core Specification, Vol 3, Part H, 3.4).
  case startTimer
  case stopTimer
  /// The peripheral requests encryption, with a stored key or a pairing.
  case requested(SecurityRequirements)
  case paired(SecurityBond)
  /// The pairing ended; another may begin.
  case failed(SecurityFailure, isFromPeer: Bool)
  /// The pairing ended, and nothing more may be sent on this link (Core Specification, Vol 3, Part H, 3.4).
  case timedOut
}

extension [SecurityAction] {
  mutating func send(_ pdu: SecurityPDU) { append(.send(pdu.bytes)) }
}
