import GATT

/// How well a link is secured, or must be.
package enum LinkSecurity: Int, Comparable, Sendable {
  case open
  case encrypted
  /// Encrypted with a key that nobody in the middle can have.
  case authenticated

  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  /// What an access that needs this gets on a link that is less (BlueZ src/shared/gatt-server.c `check_permissions`).
  var refusal: ATTError { self == .authenticated ? .insufficientAuthentication : .insufficientEncryption }
}
