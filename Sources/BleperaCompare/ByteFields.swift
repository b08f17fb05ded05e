extension ArraySlice<UInt8> {
  /// The byte at an offset from the start.
  subscript(at offset: Int) -> UInt8? { offset < count ? self[startIndex + offset] : nil }

  /// A little-endian number of two bytes.
  func number(at offset: Int) -> Int? {
    guard offset >= 0, offset + 2 <= count else { return nil }
    return Int(self[startIndex + offset]) | Int(self[startIndex + offset + 1]) << 8
  }

  func from(_ offset: Int) -> ArraySlice<UInt8> { dropFirst(offset) }

  /// A Bluetooth address, the least significant byte first.
  func address(at offset: Int) -> UInt64? {
    guard offset + 6 <= count else { return nil }
    return from(offset).prefix(6).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
