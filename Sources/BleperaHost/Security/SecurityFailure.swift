/// The reason of a Pairing Failed PDU (Core Specification, Vol 3, Part H, 3.5.5); a peer may send any.
package struct SecurityFailure: RawRepresentable, Error, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let passkeyEntryFailed = Self(rawValue: 0x01)
  package static let outOfBandNotAvailable = Self(rawValue: 0x02)
  package static let authenticationRequirements = Self(rawValue: 0x03)
  package static let confirmValueFailed = Self(rawValue: 0x04)
  package static let pairingNotSupported = Self(rawValue: 0x05)
  package static let encryptionKeySize = Self(rawValue: 0x06)
  package static let commandNotSupported = Self(rawValue: 0x07)
  package static let unspecifiedReason = Self(rawValue: 0x08)
  package static let invalidParameters = Self(rawValue: 0x0A)
  package static let keyCheckFailed = Self(rawValue: 0x0B)
  package static let numericComparisonFailed = Self(rawValue: 0x0C)
}
