/// The 128 bits that represent the unlisted service UUIDs of an iPhone: the UUIDs of apps in the background, and UUIDs
/// that do not fit in the foreground.
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

extension OverflowArea {
  /// The valid bits.
  public static let allBits = 0..<128

  /// The bit that represents a UUID, 0 to 127; the same for all widths of the UUID.
  ///
  /// The bit is the low 7 bits of a CRC-8 over the 16 bytes of the 128-bit form in printed order: polynomial 0x09
  /// (x⁸ + x³ + 1), initial value 0, not reflected. The tables of davidgyoung/OverflowAreaBeaconRef and
  /// crownstone/bluenet-ios-lib, 128 UUIDs each, agree; no capture of a 32-bit UUID is published.
  public static func bit(of uuid: BluetoothUUID) -> Int {
    var register: UInt8 = 0
    for byte in uuid.bytes {
      register ^= byte
      for _ in 0..<8 { register = register & 0x80 == 0 ? register << 1 : register << 1 ^ 0x09 }
    }
    return Int(register & 0x7F)
  }

  /// The lowest 128-bit UUID with the bit, `00000000-0000-0000-0000-0000000000XX`; nil for an invalid bit.
  public static func uuid(forBit bit: Int) -> BluetoothUUID? {
    // The CRC maps the values of the last 7 bits onto the bits one to one.
    allBits.lazy.map { BluetoothUUID(bits: UInt128($0)) }.first { Self.bit(of: $0) == bit }
  }

  /// The lowest 16-bit UUID with the bit, which the Bluetooth SIG may have assigned; nil for an invalid bit.
  public static func shortUUID(forBit bit: Int) -> BluetoothUUID? {
    guard allBits.contains(bit) else { return nil }
    return (0...UInt16.max).lazy.map { BluetoothUUID($0) }.first { Self.bit(of: $0) == bit }
  }

  /// The groups of different UUIDs that share a bit, in the order of their first UUIDs.
  public static func collisions(among uuids: some Sequence<BluetoothUUID>) -> [[BluetoothUUID]] {
    var seen: Set<BluetoothUUID> = []
    let different = uuids.filter { seen.insert($0).inserted }
    let groups = Dictionary(grouping: different, by: bit)
    var reported: Set<Int> = []
    return different.compactMap { uuid in
      let bit = bit(of: uuid)
      guard let group = groups[bit], group.count > 1, reported.insert(bit).inserted else { return nil }
      return group
    }
  }
}

extension OverflowArea {
  /// Decodes the report of a scanner: the 16 bytes of a mask; manufacturer data with or without the company identifier;
  /// an AD structure; or an advertisement, a scan response or both, with the area anywhere in them.
  ///
  /// Manufacturer data may also contain other items of Apple: Android joins the items of an advertisement and its scan
  /// response, depending on a flag in version 15 and always from 16 on.
  public init(decoding bytes: [UInt8]) throws(OverflowAreaError) {
    do throws(OverflowAreaError) {
      try self.init(decodingForms: bytes)
    } catch {
      guard Self.mayBeItems(bytes), let area = OverflowArea(items: bytes) else { throw error }
      self = area
    }
  }

  /// Apple's manufacturer data, without the company identifier, in bytes that can be decoded: the data of each AD
  /// structure, or of a scanner's report.
  package static func appleData(in bytes: [UInt8]) -> [[UInt8]] {
    guard bytes.count != maskLength else { return [] }
    if bytes.starts(with: companyBytes) { return [Array(bytes.dropFirst(companyBytes.count))] }
    let structures = AdvertisingData(leniently: bytes).structures
    if OverflowArea(in: structures) == nil, mayBeItems(bytes) { return [bytes] }
    return structures.compactMap { structure in
      guard case .manufacturerData(companyIdentifier, let data) = structure else { return nil }
      return data
    }
  }

  /// Whether bytes may be Apple's items: an advertisement begins with its Flags instead.
  private static func mayBeItems(_ bytes: [UInt8]) -> Bool {
    !bytes.starts(with: companyBytes) && !bytes.starts(with: [0x02, ADType.flags])
  }

  private init(decodingForms bytes: [UInt8]) throws(OverflowAreaError) {
    let company = Self.companyBytes
    switch bytes.count {
    case Self.maskLength:
      self.init(littleEndian: bytes[...])
    case Self.maskLength + 1 where bytes.first == Self.itemType:
      self.init(littleEndian: bytes[1...])
    case _ where bytes.starts(with: company):
      try self.init(of: [ADStructure(type: ADType.manufacturerData, payload: bytes)])
    case Self.maskLength + 1:
      throw OverflowAreaError(.beginning(bytes, expected: [Self.itemType]))
    case Self.maskLength + 3:
      throw OverflowAreaError(.beginning(bytes, expected: company + [Self.itemType]))
    case (Self.length - 1)...:
      let packet: AdvertisingData
      do throws(AdvertisingDataError) {
        packet = try AdvertisingData(decoding: bytes)
      } catch {
        throw OverflowAreaError(.cutShort(error))
      }
      try self.init(of: packet.structures)
    default:
      throw OverflowAreaError(.length(bytes.count))
    }
  }

  /// The overflow area in an AD structure; nil unless the structure is Apple's manufacturer data with a mask.
  public init?(_ structure: ADStructure) {
    guard case .manufacturerData(Self.companyIdentifier, let data) = structure else { return nil }
    self.init(items: data)
  }

  /// The overflow area in Apple's manufacturer data, without the company identifier.
  private init?(items data: [UInt8]) {
    var area: OverflowArea?
    var rest = data[...]
    while let type = rest.popFirst() {
      // Every other item has a length byte.
      let length = type == Self.itemType ? Self.maskLength : rest.popFirst().map { Int($0) }
      guard let length, length <= rest.count else { return nil }
      if type == Self.itemType {
        area = OverflowArea(littleEndian: rest.prefix(length)).union(area ?? OverflowArea())
      }
      rest = rest.dropFirst(length)
    }
    guard let area else { return nil }
    self = area
  }

  /// The union of the overflow areas in the structures; nil where there is none.
  package init?(in structures: [ADStructure]) {
    let areas = structures.compactMap { OverflowArea($0) }
    guard !areas.isEmpty else { return nil }
    self = areas.reduce(OverflowArea()) { $0.union($1) }
  }

  private init(of structures: [ADStructure]) throws(OverflowAreaError) {
    guard let area = OverflowArea(in: structures) else { throw OverflowAreaError(.absent(structures)) }
    self = area
  }

  private init(littleEndian bytes: ArraySlice<UInt8>) {
    self.init(mask: LittleEndian.number(bytes))
  }

  private static var companyBytes: [UInt8] {
    LittleEndian.bytes(companyIdentifier)
  }
}

/// Bytes that neither are nor contain an overflow area.
public struct OverflowAreaError: Error, Hashable, Sendable {
  /// The reason why the bytes are no overflow area.
  public let found: Found

  /// Creates an error for these bytes.
  public init(_ found: Found) { self.found = found }

  /// A reason why bytes are no overflow area.
  public enum Found: Hashable, Sendable {
    /// A number of bytes that no accepted form has.
    case length(Int)
    /// Bytes of a valid length that do not begin as manufacturer data with an overflow area does.
    case beginning([UInt8], expected: [UInt8])
    /// An AD structure that ends after the bytes.
    case cutShort(AdvertisingDataError)
    /// AD structures without an overflow area.
    case absent([ADStructure])
  }
}

extension OverflowAreaError: CustomStringConvertible {
  /// A whole sentence with the found and the expected bytes.
  public var description: String {
    switch found {
    case .length(let count):
      return """
        Found \(Quote.counted(count, "byte")); expected 16 of a mask, 17 or 19 of manufacturer data (01 or \
        4C 00 01, and the mask), or an advertisement with the 21 of 14 FF 4C 00 01 and the mask.
        """
    case .beginning(let bytes, let expected):
      let beginning = Hex.string(bytes.prefix(expected.count), separator: " ")
      return """
        Found \(bytes.count) bytes that begin with \(beginning); expected \(Hex.string(expected, separator: " ")) and a \
        mask of 16 bytes.
        """
    case .cutShort(let error):
      return """
        Found an AD structure at byte \(error.offset) with only \(error.available) of \(error.needed) bytes; expected a \
        whole advertisement.
        """
    case .absent(let structures):
      return "Found \(Self.list(structures)); expected FF with 4C 00 01 and a mask of 16 bytes."
    }
  }

  /// `the AD structures 01, 0A and FF (4C 00 10, 10 bytes)`.
  private static func list(_ structures: [ADStructure]) -> String {
    let names = structures.map(name)
    guard let last = names.last else { return "no AD structure" }
    guard names.count > 1 else { return "the AD structure \(last)" }
    return "the AD structures \(names.dropLast().joined(separator: ", ")) and \(last)"
  }

  private static func name(_ structure: ADStructure) -> String {
    let type = Hex.string([structure.type])
    guard structure.type == ADType.manufacturerData else { return type }
    let payload = structure.payload
    return "\(type) (\(Hex.string(payload.prefix(3), separator: " ")), \(Quote.counted(payload.count, "byte")))"
  }
}
