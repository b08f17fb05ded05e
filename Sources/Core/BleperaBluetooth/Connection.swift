/// A connection of two devices; a link layer assigns each number once.
package struct ConnectionID: Hashable, Comparable, Sendable {
  package let number: Int

  package init(_ number: Int) { self.number = number }

  @inlinable package static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}

/// Why a connection has ended.
package enum DisconnectionCause: Hashable, Sendable, CustomStringConvertible {
  /// Nothing was received for the supervision timeout, or a request was not answered.
  case timeout
  case byPeripheral
  case byPhone
  /// The link could not be encrypted: the peripheral has no key.
  case keyMissing
  /// The phone does not use a bond of Secure Connections without the peripheral's identity (R17).
  case identityMissing
  /// The user has forgotten the peripheral.
  case bondForgotten
  /// The encryption that the phone began was not answered.
  case encryptionTimeout

  package var description: String {
    switch self {
    case .timeout: "nothing was received in time"
    case .byPeripheral: "by the peripheral"
    case .byPhone: "by the phone"
    case .keyMissing: "the peripheral has no key"
    case .identityMissing: "the peripheral has given no identity key"
    case .bondForgotten: "the user has forgotten the peripheral"
    case .encryptionTimeout: "the encryption was not answered"
    }
  }
}
