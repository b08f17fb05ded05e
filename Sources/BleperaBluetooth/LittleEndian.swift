/// Integers with the least significant byte first.
package enum LittleEndian {
  package static func bytes<Integer: FixedWidthInteger>(_ value: Integer) -> [UInt8] {
    stride(from: 0, to: Integer.bitWidth, by: 8).map { UInt8(truncatingIfNeeded: value >> $0) }
  }
}
