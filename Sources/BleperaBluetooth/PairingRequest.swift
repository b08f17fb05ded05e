/// A pairing request to the user of one side; passkeys have six digits.
package enum PairingRequest: Hashable, Sendable {
  /// Just Works, requested by the other side.
  case authorize
  /// Needs no response.
  case show(UInt32)
  case type
  case compare(UInt32)
}

/// The response of one side's user.
package enum PairingResponse: Hashable, Sendable {
  case yes
  case no
  case passkey(UInt32)
}
