import BleperaBluetooth
import BleperaHost

extension PairingMethod {
  var security: LinkSecurity { self == .justWorks ? .encrypted : .authenticated }
}

/// Why two devices could not pair, with the cases of Device1.Pair.
package enum PairingFailure: Error, Hashable, Sendable {
  case failed, cancelled, rejected, inProgress, alreadyPaired
}

/// A pairing in progress.
struct AirPairing: Hashable, Sendable {
  let initiator: AdapterID
  /// Nil if a read or a write triggered the pairing.
  let operation: OperationID?
  let method: PairingMethod
  let passkey: UInt32
  /// The adapters whose users must respond.
  var asked: Set<AdapterID>
}
