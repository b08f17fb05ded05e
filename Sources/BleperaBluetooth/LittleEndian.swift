/// Integers with the least significant byte first.
///
/// The two for 16 bits, which each packet has, are not generic: the compiler specializes no generic function of package
/// access in another module, not even one that is `@inlinable`, and a number then takes 3,000 instructions.
package enum LittleEndian {
  package static func bytes<Integer: FixedWidthInteger>(
    _ value: Integer, count: Int = Integer.bitWidth / 8
  ) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  package static func bytes(_ value: UInt16) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8)] }

  package static func bytes(_ handle: AttributeHandle) -> [UInt8] { bytes(handle.rawValue) }

  /// The integer of all the bytes; more than it has room for are dropped, the most significant first.
  package static func number<Integer: FixedWidthInteger>(
    _ bytes: some BidirectionalCollection<UInt8>, as type: Integer.Type = Integer.self
  ) -> Integer {
    bytes.reversed().reduce(0) { $0 << 8 | Integer(truncatingIfNeeded: $1) }
  }

  package static func number(_ bytes: ArraySlice<UInt8>) -> UInt16 {
    bytes.prefix(2).reversed().reduce(0) { $0 << 8 | UInt16($1) }
  }
}
