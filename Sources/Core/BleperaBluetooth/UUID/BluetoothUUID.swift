/// A UUID of 16, 32 or 128 bits that keeps its width, because the width determines its bytes on the air.
///
/// Two UUIDs are equal when their 128-bit forms are (Core Specification, Vol 3, Part B, 2.5.1): `180D` equals
/// `0000180D-0000-1000-8000-00805F9B34FB`.
public struct BluetoothUUID: Sendable {
  /// The three widths of the Bluetooth specification; the raw value is the number of bytes.
  public enum Width: Int, Sendable, CaseIterable, Comparable {
    /// Two bytes, such as `180D`.
    case bits16 = 2
    /// Four bytes, such as `0000180D`.
    case bits32 = 4
    /// Sixteen bytes.
    case bits128 = 16

    public static func < (left: Width, right: Width) -> Bool { left.rawValue < right.rawValue }
  }

  /// The 128-bit form, most significant byte first, as it is printed.
  public let bits: UInt128
  /// The width that the UUID was written with.
  public let width: Width

  /// `00000000-0000-1000-8000-00805F9B34FB`, which 16- and 32-bit UUIDs are short for.
  private static let base: UInt128 = 0x0000_0000_0000_1000_8000_0080_5F9B_34FB

  /// Creates a UUID of 16 bits, such as `0x180D`.
  public init(_ short: UInt16) {
    width = .bits16
    bits = Self.base | UInt128(short) << 96
  }

  /// Creates a UUID of 32 bits.
  public init(_ medium: UInt32) {
    width = .bits32
    bits = Self.base | UInt128(medium) << 96
  }

  /// Creates a UUID of 128 bits.
  ///
  /// - Parameter bits: The UUID as it is printed, most significant byte first.
  public init(bits: UInt128) {
    width = .bits128
    self.bits = bits
  }

  /// Reads `180D`, `0000180D` or `0000180D-0000-1000-8000-00805F9B34FB`, in either case; nil for anything else.
  public init?(_ text: some StringProtocol) {
    let text = Array(text.utf8)
    let dashes = [8, 13, 18, 23]
    if text.count == 36 {
      guard dashes.allSatisfy({ text[$0] == UInt8(ascii: "-") }) else { return nil }
    } else {
      guard text.count == 4 || text.count == 8 else { return nil }
    }
    var value: UInt128 = 0
    for (index, character) in text.enumerated() where text.count != 36 || !dashes.contains(index) {
      guard let digit = Hex.digit(character) else { return nil }
      value = value << 4 | UInt128(digit)
    }
    switch text.count {
    case 4: self.init(UInt16(value))
    case 8: self.init(UInt32(value))
    default: self.init(bits: value)
    }
  }

  /// Reads the bytes of a PDU, least significant first; nil unless there are 2, 4 or 16.
  public init?(littleEndian bytes: some Collection<UInt8>) {
    let value = bytes.reversed().reduce(0 as UInt128) { $0 << 8 | UInt128($1) }
    switch bytes.count {
    case 2: self.init(UInt16(value))
    case 4: self.init(UInt32(value))
    case 16: self.init(bits: value)
    default: return nil
    }
  }

  /// The bytes of a PDU, least significant first: 2, 4 or 16.
  public var littleEndianBytes: [UInt8] {
    let value = width == .bits128 ? bits : bits >> 96
    return (0..<width.rawValue).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// The 16 bytes of the 128-bit form in printed order.
  public var bytes: [UInt8] { (0..<16).map { UInt8(truncatingIfNeeded: bits >> (120 - 8 * $0)) } }

  /// The shortest form that means the same UUID.
  public var shortened: BluetoothUUID {
    guard bits & ~(UInt128(UInt32.max) << 96) == Self.base else { return self }
    let head = UInt32(truncatingIfNeeded: bits >> 96)
    return UInt16(exactly: head).map { BluetoothUUID($0) } ?? BluetoothUUID(head)
  }

  /// The 128-bit form in lower case, as BlueZ writes UUIDs.
  public var longDescription: String { text(digits: 0..<32, uppercase: false) }

  /// Some of the 32 digits, with the hyphens between them.
  private func text(digits: Range<Int>, uppercase: Bool) -> String {
    unsafe String(unsafeUninitializedCapacity: 36) { text in
      let halves = (first: UInt64(truncatingIfNeeded: bits >> 64), last: UInt64(truncatingIfNeeded: bits))
      var count = 0
      for index in digits {
        if index == 8 || index == 12 || index == 16 || index == 20 {
          unsafe text[count] = UInt8(ascii: "-")
          count += 1
        }
        let half = index < 16 ? halves.first : halves.last
        let number = UInt8(truncatingIfNeeded: half >> (60 - 4 * (index & 15))) & 15
        unsafe text[count] = Hex.digit(of: number, uppercase: uppercase)
        count += 1
      }
      return count
    }
  }
}

extension BluetoothUUID: Hashable {
  public static func == (left: BluetoothUUID, right: BluetoothUUID) -> Bool { left.bits == right.bits }
  public func hash(into hasher: inout Hasher) { hasher.combine(bits) }
}

extension BluetoothUUID: CustomStringConvertible {
  /// The UUID in upper case at the width it was written with, as Core Bluetooth prints it.
  public var description: String {
    switch width {
    case .bits16: text(digits: 4..<8, uppercase: true)
    case .bits32: text(digits: 0..<8, uppercase: true)
    case .bits128: text(digits: 0..<32, uppercase: true)
    }
  }
}

extension BluetoothUUID: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let uuid = BluetoothUUID(text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "\"\(text)\" is not a 16-, 32- or 128-bit UUID")
    }
    self = uuid
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension BluetoothUUID {
  /// The UUID written at `width`; nil where its value has no form that short.
  public func written(at width: Width) -> BluetoothUUID? {
    if width == .bits128 { return BluetoothUUID(bits: bits) }
    let short = shortened
    guard short.width <= width else { return nil }
    guard width == .bits32 else { return short }
    return BluetoothUUID(UInt32(truncatingIfNeeded: bits >> 96))
  }
}

/// UUIDs of one width, as one AD structure lists them.
public struct UUIDList: Hashable, Sendable {
  /// The width at which every UUID is written.
  public let width: BluetoothUUID.Width
  /// The UUIDs in the order of the list.
  public let uuids: [BluetoothUUID]

  /// Writes every UUID at `width`; nil where one has no form that short.
  public init?(_ uuids: [BluetoothUUID], width: BluetoothUUID.Width) {
    let written = uuids.compactMap { $0.written(at: width) }
    guard written.count == uuids.count else { return nil }
    self.width = width
    self.uuids = written
  }

  /// Reads the payload of an AD structure; nil unless it is a whole number of UUIDs.
  public init?(littleEndian bytes: [UInt8], width: BluetoothUUID.Width) {
    guard bytes.count.isMultiple(of: width.rawValue) else { return nil }
    self.width = width
    uuids = stride(from: 0, to: bytes.count, by: width.rawValue).compactMap {
      BluetoothUUID(littleEndian: bytes[$0..<$0 + width.rawValue])
    }
  }

  /// The payload of the AD structure: each UUID with the least significant byte first.
  public var bytes: [UInt8] { uuids.flatMap(\.littleEndianBytes) }

  /// A list for each width that occurs, shortest width first; every UUID keeps the width that it was written with.
  public static func lists(of uuids: [BluetoothUUID]) -> [UUIDList] {
    BluetoothUUID.Width.allCases.compactMap { width in
      let ofWidth = uuids.filter { $0.width == width }
      return ofWidth.isEmpty ? nil : UUIDList(ofWidth, width: width)
    }
  }
}
