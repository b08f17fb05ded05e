/// The 128 bits that represent an iPhone's service UUIDs that are not listed: those of apps in the background, and
/// those that do not fit in the foreground.
///
/// Apple does not document the layout. Published captures (davidgyoung/ios-overflow-area, Crownstone's
/// BROADCASTING_AS_BEACON.md) show manufacturer data of Apple: `01`, then 16 bytes; bit `p` is bit `p & 7`, counted
/// from the least significant, of byte `p >> 3`.
public struct OverflowArea: Hashable, Sendable {
  /// Apple, in Assigned Numbers, 7.1.
  public static let companyIdentifier: UInt16 = 0x004C
  /// The type byte before the mask; unlike Apple's other items, this one has no length byte.
  public static let itemType: UInt8 = 0x01
  /// The length of the mask, in bytes.
  public static let maskLength = 16
  /// The length of the whole AD structure with its header, in bytes.
  public static let length = 21

  /// The bits as a number whose least significant bit is bit 0.
  public private(set) var mask: UInt128

  /// Creates an area with these bits; by default none is set.
  public init(mask: UInt128 = 0) { self.mask = mask }

  /// Creates an area with the bit of each UUID.
  public init(_ uuids: some Sequence<BluetoothUUID>) {
    mask = 0
    for uuid in uuids { insert(uuid) }
  }

  /// Sets the bit of a UUID.
  public mutating func insert(_ uuid: BluetoothUUID) { mask |= 1 << UInt128(Self.bit(of: uuid)) }

  /// Adds the bits of another area, since several apps share one area on the air.
  public mutating func formUnion(_ other: OverflowArea) { mask |= other.mask }

  /// The bits of both areas.
  public func union(_ other: OverflowArea) -> OverflowArea { OverflowArea(mask: mask | other.mask) }

  /// Whether no bit is set.
  public var isEmpty: Bool { mask == 0 }

  /// Whether the UUID may be advertised; also true where another UUID has set the bit.
  public func contains(_ uuid: BluetoothUUID) -> Bool { contains(bit: Self.bit(of: uuid)) }

  /// False for an invalid bit.
  public func contains(bit: Int) -> Bool { Self.allBits.contains(bit) && mask >> UInt128(bit) & 1 == 1 }

  /// The bits that are set, in ascending order.
  public var bits: [Int] { Self.allBits.filter { contains(bit: $0) } }

  /// The 16 bytes of the mask, in the order on the air.
  public var bytes: [UInt8] { (0..<Self.maskLength).map { UInt8(truncatingIfNeeded: mask >> UInt128(8 * $0)) } }

  /// `14 FF 4C 00 01` and the mask.
  public var structure: ADStructure {
    .manufacturerData(companyIdentifier: Self.companyIdentifier, data: [Self.itemType] + bytes)
  }
}
