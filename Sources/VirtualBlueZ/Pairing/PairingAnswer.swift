/// What the user of one side says.
package enum PairingAnswer: Hashable, Sendable {
  case yes
  case no
  case passkey(UInt32)
}
