/// Integers with the least significant byte first.
///
/// Public, because the compiler specializes no generic function of package access in another module, not even one that
/// is `@inlinable`: a number then takes 3,000 instructions.
public enum LittleEndian {
  /// The lowest bytes of an integer, by default all of them.
  @inlinable public static func bytes<Integer: FixedWidthInteger>(
    _ value: Integer, count: Int = Integer.bitWidth / 8
  ) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// The two bytes of a handle.
  @inlinable public static func bytes(_ handle: AttributeHandle) -> [UInt8] { bytes(handle.rawValue) }

  /// The integer of all the bytes; more than it has room for are dropped, the most significant first.
  @inlinable public static func number<Integer: FixedWidthInteger>(
    _ bytes: some BidirectionalCollection<UInt8>, as type: Integer.Type = Integer.self
  ) -> Integer {
    bytes.reversed().reduce(0) { $0 << 8 | Integer(truncatingIfNeeded: $1) }
  }
}
