/// What the user of one side is asked or shown; passkeys have six digits.
package enum PairingQuestion: Hashable, Sendable {
  /// Just works, asked by the other side.
  case authorize
  /// Needs no answer.
  case show(UInt32)
  case type
  case compare(UInt32)
}
