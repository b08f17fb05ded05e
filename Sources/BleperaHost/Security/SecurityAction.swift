package import BleperaBluetooth

/// What the owner of a Security Manager does.
package enum SecurityAction: Hashable, Sendable {
  /// Sends the payload of a frame.
  case send([UInt8])
  /// Encrypts the link with that key, as its central.
  case encrypt(key: UInt128, random: UInt64, diversifier: UInt16)
  case ask(PairingRequest)
  /// Starts a timer of 30 s, instead of one that runs.
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

/// The result of a pairing.
package struct SecurityBond: Hashable, Sendable {
  package struct Key: Hashable, Sendable {
    package var value: UInt128
    /// 0 in Secure Connections, and so is the diversifier.
    package var random: UInt64 = 0
    package var diversifier: UInt16 = 0

    package init(value: UInt128, random: UInt64 = 0, diversifier: UInt16 = 0) {
      (self.value, self.random, self.diversifier) = (value, random, diversifier)
    }
  }

  /// With which this device encrypts a link as central; nil if the peer distributed none.
  package var asCentral: Key?
  /// With which this device encrypts a link as peripheral.
  package var asPeripheral: Key?
  /// The length of the keys in bytes.
  package var keySize: Int
  package var isAuthenticated: Bool
  package var isSecureConnections: Bool
  /// Whether the keys are kept: both devices want that, and none used the key of debuggers.
  package var isBonded: Bool
  /// Of the peer, if it was distributed.
  package var identity: SecurityIdentity?
}
