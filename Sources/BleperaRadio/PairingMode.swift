/// How a phone responds to pairing requests of centrals.
package enum PairingMode: String, CaseIterable, Sendable {
  /// Accepts pairing without confirmation, as devices without display and keyboard do.
  case justWorks = "just-works"
  /// Refuses every request.
  case refuse
  /// Shows a passkey that is to be entered at the central.
  case passkey
}
