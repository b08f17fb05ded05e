/// The 128 bits that stand for an iPhone's service UUIDs where the UUIDs themselves are not advertised: those of apps in
/// the background, and those that do not fit in the foreground.
///
/// Apple does not document it. The layout is that of published captures (davidgyoung/ios-overflow-area, Crownstone's
/// BROADCASTING_AS_BEACON.md): manufacturer data of Apple, `01`, then 16 bytes; bit `p` is bit `p & 7`, counted from the
/// least significant, of byte `p >> 3`.
public struct OverflowArea: Hashable, Sendable {
  /// Apple, in Assigned Numbers, 7.1.
  public static let companyIdentifier: UInt16 = 0x004C
  /// What stands before the mask; it has no length behind it, as Apple's other items have.
  public static let itemType: UInt8 = 0x01
  /// The mask's, in bytes.
  public static let maskLength = 16
  /// Of the whole AD structure with its header, in bytes.
  public static let length = 21

  /// The bits as a number whose least significant bit is bit 0.
  public private(set) var mask: UInt128

  public init(mask: UInt128 = 0) { self.mask = mask }

  public init(_ uuids: some Sequence<BluetoothUUID>) {
    mask = 0
    for uuid in uuids { insert(uuid) }
  }

  public mutating func insert(_ uuid: BluetoothUUID) { mask |= 1 << UInt128(Self.bit(of: uuid)) }

  /// What is on the air when several apps share the radio.
  public mutating func formUnion(_ other: OverflowArea) { mask |= other.mask }

  public func union(_ other: OverflowArea) -> OverflowArea { OverflowArea(mask: mask | other.mask) }

  public var isEmpty: Bool { mask == 0 }

  /// Whether the UUID may be among those advertised: true as well where another one has set its bit.
  public func contains(_ uuid: BluetoothUUID) -> Bool { contains(bit: Self.bit(of: uuid)) }

  /// False for a bit that there is not.
  public func contains(bit: Int) -> Bool { Self.allBits.contains(bit) && mask >> UInt128(bit) & 1 == 1 }

  /// Those that are set, in ascending order.
  public var bits: [Int] { Self.allBits.filter { contains(bit: $0) } }

  /// The 16 bytes of the mask in the order of the air.
  public var bytes: [UInt8] { (0..<Self.maskLength).map { UInt8(truncatingIfNeeded: mask >> UInt128(8 * $0)) } }

  /// `14 FF 4C 00 01` and the mask.
  public var structure: ADStructure {
    .manufacturerData(companyIdentifier: Self.companyIdentifier, data: [Self.itemType] + bytes)
  }
}
