import BleperaBluetooth

/// A cursor in the bytes of a file.
struct FileBytes {
  enum Fault: Error {
    /// More bytes are needed.
    case incomplete
    case invalid(String)
  }

  private let bytes: [UInt8]
  private(set) var position: Int

  init(_ bytes: [UInt8], from position: Int = 0) { (self.bytes, self.position) = (bytes, position) }

  var left: Int { bytes.count - position }

  func peek(_ count: Int) throws(Fault) -> ArraySlice<UInt8> {
    guard left >= count else { throw .incomplete }
    return bytes[position..<position + count]
  }

  mutating func take(_ count: Int) throws(Fault) -> ArraySlice<UInt8> {
    let slice = try peek(count)
    position += count
    return slice
  }

  mutating func skip(_ count: Int) throws(Fault) { _ = try take(count) }

  mutating func uint8() throws(Fault) -> UInt8 {
    guard left >= 1 else { throw .incomplete }
    defer { position += 1 }
    return bytes[position]
  }

  mutating func uint16(isBigEndian: Bool) throws(Fault) -> UInt16 { try number(isBigEndian) }
  mutating func uint32(isBigEndian: Bool) throws(Fault) -> UInt32 { try number(isBigEndian) }
  mutating func uint64(isBigEndian: Bool) throws(Fault) -> UInt64 { try number(isBigEndian) }

  private mutating func number<Integer: FixedWidthInteger>(_ isBigEndian: Bool) throws(Fault) -> Integer {
    let number: Integer = LittleEndian.number(try take(Integer.bitWidth / 8))
    return isBigEndian ? number.byteSwapped : number
  }
}
