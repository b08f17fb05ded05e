/// A manager of an app: a peripheral manager (`CBPeripheralManager`) or a central manager (`CBCentralManager`).
public struct ManagerID: Hashable, Codable, Sendable {
  /// The role in which an app uses a manager.
  public enum Role: String, Hashable, Codable, CaseIterable, Sendable {
    /// The manager publishes services and advertises.
    case peripheral
    /// The manager scans and connects.
    case central
  }

  /// The name of a manager, unique among the app's managers of the same role; in JSON a string or a number.
  public enum Name: Hashable, Sendable {
    /// The manager's restoration identifier (`CBPeripheralManagerOptionRestoreIdentifierKey`).
    case restorable(String)
    /// A number that the app chooses for a manager without restoration identifier.
    case number(Int)

    /// - Parameter number: for a manager without restoration identifier.
    package init(_ restoreIdentifier: String?, number: Int = 0) {
      self = restoreIdentifier.map { .restorable($0) } ?? .number(number)
    }
  }

  /// The role in which the app uses the manager.
  public var role: Role
  /// The name that no other manager of the app has in the same role.
  public var name: Name

  /// Creates the identifier of a manager.
  public init(_ role: Role, _ name: Name) { (self.role, self.name) = (role, name) }

  private enum CodingKeys: String, CodingKey {
    case role
    case name = "id"
  }

  /// The restoration identifier; nil for a manager without one.
  public var restoreIdentifier: String? { if case .restorable(let identifier) = name { identifier } else { nil } }
}

extension ManagerID: CustomStringConvertible {
  public var description: String {
    switch name {
    case .restorable(let identifier): "\(role) manager \(identifier)"
    case .number(let number): "\(role) manager \(number)"
    }
  }
}

extension ManagerID.Name: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let number = try? container.decode(Int.self) {
      self = .number(number)
    } else {
      self = .restorable(try container.decode(String.self))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .restorable(let identifier): try container.encode(identifier)
    case .number(let number): try container.encode(number)
    }
  }
}

/// The number of a service, assigned by its app.
public struct ServiceID: RawRepresentable, Hashable, Codable, Sendable {
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// The numbers that a phone accepts, which leave room for the next ones; ours.
  package static let numbers = 0...1_000_000_000
}

/// A characteristic of an app, identified by its index in the service, because UUIDs may repeat.
public struct CharacteristicID: Hashable, Codable, Sendable {
  /// The service of the characteristic.
  public let service: ServiceID
  /// The index in the service's list of characteristics, from 0.
  public let index: Int

  /// Creates the identifier of the characteristic with that index.
  public init(service: ServiceID, index: Int) {
    self.service = service
    self.index = index
  }
}

/// The number of a read or write that waits for its response, assigned by the system.
public struct RequestID: RawRepresentable, Hashable, Codable, Sendable {
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }
}

/// The identifier of a central: on the phone its address, `00:11:22:33:44:55`, and for apps a UUID as of
/// `CBCentral.identifier`. Opaque, and constant for as long as the central is known.
public struct CentralID: RawRepresentable, Hashable, Codable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The identifier that apps receive for a central with this address: a UUID of version 8 (RFC 9562, 5.8) of the
  /// address, so that it stays the same for a bond. iOS chooses the identifier at random; the derivation is ours.
  public var forApps: CentralID {
    /// FNV-1a of 128 bits (Fowler, Noll, Vo).
    var hash: UInt128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D
    for byte in rawValue.utf8 {
      hash ^= UInt128(byte)
      hash &*= 0x0000_0000_0100_0000_0000_0000_0000_013B
    }
    hash = hash & ~(0xF << 76) | 8 << 76
    hash = hash & ~(0b11 << 62) | 0b10 << 62
    let digits = String(hash, radix: 16, uppercase: true)
    let padded = String(repeating: "0", count: 32 - digits.count) + digits
    var (text, rest) = ("", padded[...])
    for count in [8, 4, 4, 4, 12] {
      text += (text.isEmpty ? "" : "-") + rest.prefix(count)
      rest = rest.dropFirst(count)
    }
    return CentralID(rawValue: text)
  }
}

/// The identifier of a peripheral: on a radio its address, `00:11:22:33:44:55`, and for apps a UUID as of
/// `CBPeripheral.identifier`, which equals `CBCentral.identifier` for the same address.
package struct PeripheralID: RawRepresentable, Hashable, Codable, Comparable, Sendable, CustomStringConvertible {
  package let rawValue: String

  package init(rawValue: String) { self.rawValue = rawValue }

  /// The identifier that apps receive for a peripheral with this address.
  package var forApps: PeripheralID { PeripheralID(rawValue: CentralID(rawValue: rawValue).forApps.rawValue) }

  package static func < (left: PeripheralID, right: PeripheralID) -> Bool { left.rawValue < right.rawValue }

  package var description: String { rawValue }
}

/// The number by which a central opens an L2CAP channel: `CBL2CAPPSM`.
public struct L2CAPPSM: RawRepresentable, Hashable, Comparable, Codable, Sendable, CustomStringConvertible {
  /// The number on the air.
  public let rawValue: UInt16

  /// The numbers that a system assigns (Core Specification, Vol 3, Part A, 4.22).
  public static let dynamic: ClosedRange<UInt16> = 0x0080...0x00FF

  /// Creates a number, which may be outside of `dynamic`.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The value of the characteristic `BluetoothUUID.l2capPSM`: two bytes, the least significant first.
  public var bytes: [UInt8] { [UInt8(truncatingIfNeeded: rawValue), UInt8(truncatingIfNeeded: rawValue >> 8)] }

  /// The number, in decimal.
  public var description: String { "\(rawValue)" }

  /// Orders by number.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension BluetoothUUID {
  /// The characteristic that has the PSM of an L2CAP channel: `CBUUIDL2CAPPSMCharacteristicString`.
  public static let l2capPSM = BluetoothUUID(bits: 0xABDD_3056_28FA_441D_A470_55A7_5A52_553A)
}
