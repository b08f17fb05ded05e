import BleperaBluetooth

extension ArraySlice<UInt8> {
  /// The byte at an offset from the start.
  subscript(at offset: Int) -> UInt8? { offset < count ? self[startIndex + offset] : nil }

  /// A little-endian number of two bytes.
  func number(at offset: Int) -> Int? { field(2, at: offset) }

  func from(_ offset: Int) -> ArraySlice<UInt8> { dropFirst(offset) }

  /// A Bluetooth address, the least significant byte first.
  func address(at offset: Int) -> UInt64? { field(6, at: offset) }

  private func field<Integer: FixedWidthInteger>(_ length: Int, at offset: Int) -> Integer? {
    guard offset >= 0, offset + length <= count else { return nil }
    return LittleEndian.number(from(offset).prefix(length))
  }
}
