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
