/// A pairing under way.
struct AirPairing: Hashable, Sendable {
  let initiator: AdapterID
  /// Nil where it was begun for the sake of a read or a write.
  let operation: OperationID?
  let method: PairingMethod
  let passkey: UInt32
  /// Who has to answer.
  var asked: Set<AdapterID>
}
