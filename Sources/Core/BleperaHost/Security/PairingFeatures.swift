package import BleperaBluetooth

/// The parameters of a Pairing Request or a Pairing Response (Core Specification, Vol 3, Part H, 3.5.1 and 3.5.2).
package struct PairingFeatures: Hashable, Sendable {
  package var capability: PairingCapability
  package var hasOutOfBandData = false
  package var requirements: SecurityRequirements
  /// The maximum length of the key, 7 to 16 bytes.
  package var keySize: Int
  /// The keys that each side distributes.
  package var initiatorKeys: KeyKinds
  package var responderKeys: KeyKinds

  package init(
    capability: PairingCapability, requirements: SecurityRequirements, keySize: Int, initiatorKeys: KeyKinds,
    responderKeys: KeyKinds
  ) {
    (self.capability, self.requirements, self.keySize) = (capability, requirements, keySize)
    (self.initiatorKeys, self.responderKeys) = (initiatorKeys, responderKeys)
  }

  /// Throws the reason to refuse a value that the specification does not have.
  init(_ fields: inout PDUReader) throws(SecurityFailure) {
    let (capability, outOfBand) = (PairingCapability(code: fields.uint8()), fields.uint8())
    let (requirements, keySize) = (fields.uint8(), Int(fields.uint8()))
    guard let capability, outOfBand <= 1, (7...16).contains(keySize) else { throw .invalidParameters }
    self.init(
      capability: capability, requirements: SecurityRequirements(rawValue: requirements), keySize: keySize,
      initiatorKeys: KeyKinds(rawValue: fields.uint8()), responderKeys: KeyKinds(rawValue: fields.uint8()))
    hasOutOfBandData = outOfBand == 1
  }

  var bytes: [UInt8] {
    [
      capability.code, hasOutOfBandData ? 1 : 0, requirements.rawValue, UInt8(clamping: keySize),
      initiatorKeys.rawValue,
      responderKeys.rawValue,
    ]
  }

  /// As `f6` takes them.
  var checked: [UInt8] { [requirements.rawValue, hasOutOfBandData ? 1 : 0, capability.code] }
}

/// The field AuthReq; bits of no name are kept.
package struct SecurityRequirements: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let bonding = Self(rawValue: 0x01)
  /// Protection against a man in the middle.
  package static let authentication = Self(rawValue: 0x04)
  package static let secureConnections = Self(rawValue: 0x08)
}

/// The keys that a side distributes; bits of no name are kept.
package struct KeyKinds: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let encryption = Self(rawValue: 0x01)
  package static let identity = Self(rawValue: 0x02)
  package static let signing = Self(rawValue: 0x04)
  /// The link key of BR/EDR, derived across transports.
  package static let link = Self(rawValue: 0x08)
}

extension PairingCapability {
  private static let codes: [PairingCapability] = [
    .displayOnly, .displayYesNo, .keyboardOnly, .noInputNoOutput, .keyboardDisplay,
  ]

  init?(code: UInt8) {
    guard Self.codes.indices.contains(Int(code)) else { return nil }
    self = Self.codes[Int(code)]
  }

  var code: UInt8 {
    switch self {
    case .displayOnly: 0
    case .displayYesNo: 1
    case .keyboardOnly: 2
    case .noInputNoOutput: 3
    case .keyboardDisplay: 4
    }
  }
}
