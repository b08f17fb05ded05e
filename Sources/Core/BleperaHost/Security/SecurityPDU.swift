package import BleperaBluetooth

/// A PDU of the Security Manager Protocol (Core Specification, Vol 3, Part H, 3.5 and 3.6).
package enum SecurityPDU: Hashable, Sendable {
  case pairingRequest(PairingFeatures)
  case pairingResponse(PairingFeatures)
  case confirm(UInt128)
  case random(UInt128)
  case failed(SecurityFailure)
  case encryptionInformation(UInt128)
  case centralIdentification(diversifier: UInt16, random: UInt64)
  case identityInformation(IdentityResolvingKey)
  case identityAddress(SecurityAddress)
  case signingInformation(UInt128)
  case securityRequest(SecurityRequirements)
  case publicKey(P256PublicKey)
  case keyCheck(UInt128)
  case keypress(UInt8)
}

extension SecurityPDU {
  static let failureCode: UInt8 = 0x05

  /// Reads the payload of a frame.
  ///
  /// - Throws: the reason to refuse one that is malformed or unknown.
  package init(_ bytes: [UInt8]) throws(SecurityFailure) {
    var fields = PDUReader(bytes[...])
    guard let length = Self.length(code: fields.uint8()) else {
      throw bytes.isEmpty ? .invalidParameters : .commandNotSupported
    }
    guard bytes.count == length else { throw .invalidParameters }
    self = try Self.read(bytes[0], &fields)
  }

  /// With the code; nil for an unknown one.
  private static func length(code: UInt8) -> Int? {
    switch code {
    case 0x01, 0x02: 7
    case 0x03, 0x04, 0x06, 0x08, 0x0A, 0x0D: 17
    case 0x05, 0x0B, 0x0E: 2
    case 0x07: 11
    case 0x09: 8
    case 0x0C: 65
    default: nil
    }
  }

  private static func read(_ code: UInt8, _ fields: inout PDUReader) throws(SecurityFailure) -> SecurityPDU {
    switch code {
    case 0x01: return .pairingRequest(try PairingFeatures(&fields))
    case 0x02: return .pairingResponse(try PairingFeatures(&fields))
    case 0x03: return .confirm(fields.integer())
    case 0x04: return .random(fields.integer())
    case 0x05: return .failed(SecurityFailure(rawValue: fields.uint8()))
    case 0x06: return .encryptionInformation(fields.integer())
    case 0x07: return .centralIdentification(diversifier: fields.integer(), random: fields.integer())
    case 0x08:
      guard let key = IdentityResolvingKey(fields.bytes(16).reversed()) else { throw .invalidParameters }
      return .identityInformation(key)
    case 0x09:
      let type = fields.uint8()
      guard type <= 1 else { throw .invalidParameters }
      return .identityAddress(SecurityAddress(bits: LittleEndian.number(fields.bytes(6)), isRandom: type == 1))
    case 0x0A: return .signingInformation(fields.integer())
    case 0x0B: return .securityRequest(SecurityRequirements(rawValue: fields.uint8()))
    case 0x0C: return .publicKey(P256PublicKey(x: fields.bytes(32).reversed(), y: fields.bytes(32).reversed()))
    case 0x0D: return .keyCheck(fields.integer())
    default: return .keypress(fields.uint8())
    }
  }

  package var bytes: [UInt8] {
    switch self {
    case .pairingRequest(let features): [0x01] + features.bytes
    case .pairingResponse(let features): [0x02] + features.bytes
    case .confirm(let value): [0x03] + LittleEndian.bytes(value)
    case .random(let value): [0x04] + LittleEndian.bytes(value)
    case .failed(let reason): [Self.failureCode, reason.rawValue]
    case .encryptionInformation(let key): [0x06] + LittleEndian.bytes(key)
    case .centralIdentification(let diversifier, let random):
      [0x07] + LittleEndian.bytes(diversifier) + LittleEndian.bytes(random)
    case .identityInformation(let key): [0x08] + key.bytes.reversed()
    case .identityAddress(let address): [0x09, address.octets[0]] + address.octets[1...].reversed()
    case .signingInformation(let key): [0x0A] + LittleEndian.bytes(key)
    case .securityRequest(let requirements): [0x0B, requirements.rawValue]
    case .publicKey(let key): [0x0C] + key.x.reversed() + key.y.reversed()
    case .keyCheck(let value): [0x0D] + LittleEndian.bytes(value)
    case .keypress(let kind): [0x0E, kind]
    }
  }
}

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
