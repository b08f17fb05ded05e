/// The objects of a binary property list: a marker byte, a count, contents.
extension BinaryPropertyListReader {
  typealias Measured = (value: PropertyListValue, height: Int, expansion: Int)

  mutating func value(at offset: Int, _ path: NodePath, depth: Int) -> Measured {
    let marker = bytes[offset]
    let low = Int(marker & 0x0F)
    switch marker >> 4 {
    case 0x0 where marker == 0x08 || marker == 0x09:
      return (claim(offset, offset + 1, path) ? .boolean(marker == 0x09) : .faulty, 1, 1)
    case 0x1 where low <= 4: return (integer(at: offset, size: 1 << low, path), 1, 1)
    case 0x2 where low == 2 || low == 3: return (real(at: offset, size: 1 << low, path), 1, 1)
    case 0x3 where low == 3: return (date(at: offset, path), 1, 1)
    case 0x4, 0x5, 0x6:
      let unit = marker >> 4 == 6 ? 2 : 1
      guard let (start, end) = contents(at: offset, unit: unit, path), claim(offset, end, path) else {
        return (.faulty, 1, 1)
      }
      switch marker >> 4 {
      case 4: return (.data(Array(bytes[start..<end])), 1, 1)
      case 5: return (ascii(start..<end, at: offset, path), 1, 1)
      default: return (utf16(start..<end, at: offset, path), 1, 1)
      }
    case 0xA: return array(at: offset, path, depth: depth)
    case 0xD: return dictionary(at: offset, path, depth: depth)
    default:
      faults.error(
        at: offset, path, found: Self.name(of: marker),
        expected: "a dictionary, array, string, number, boolean, date or data")
      return (.faulty, 1, 1)
    }
  }

  private static func name(of marker: UInt8) -> String {
    switch marker >> 4 {
    case 0x8: "a UID, which only keyed archives have"
    case 0xB, 0xC: "a set"
    case _ where marker == 0x00: "a null"
    default: "the object type 0x" + (marker < 16 ? "0" : "") + String(marker, radix: 16, uppercase: true)
    }
  }

  /// Where the contents of a counted object lie; nil when they would reach into the table of offsets.
  mutating func contents(at offset: Int, unit: Int, _ path: NodePath) -> (start: Int, end: Int)? {
    var start = offset + 1
    var count = UInt64(bytes[offset] & 0x0F)
    if count == 15 {
      let size = start < tableOffset ? 1 << Int(bytes[start] & 0x0F) : 0
      guard start < tableOffset, bytes[start] >> 4 == 1, size <= 8, start + size < tableOffset else {
        faults.error(at: start, path, found: "a count that is no integer", expected: "an integer of 1 to 8 bytes")
        return nil
      }
      count = number(at: start + 1, size: size)
      start += 1 + size
    }
    guard count <= UInt64((tableOffset - start) / unit) else {
      faults.error(
        at: offset, path, found: "an object of \(count) units of \(unit) bytes",
        expected: "one that ends before the table of offsets at \(tableOffset)")
      return nil
    }
    return (start, start + Int(count) * unit)
  }

  /// Whether a scalar of `size` bytes behind its marker ends before the table.
  private mutating func claim(_ offset: Int, size: Int, _ path: NodePath) -> Bool {
    guard offset + 1 + size <= tableOffset else {
      faults.error(
        at: offset, path, found: "an object of \(size) bytes",
        expected: "one that ends before the table of offsets at \(tableOffset)")
      return false
    }
    return claim(offset, offset + 1 + size, path)
  }

  /// Integers of 1, 2 and 4 bytes have no sign, those of 8 and 16 have.
  private mutating func integer(at offset: Int, size: Int, _ path: NodePath) -> PropertyListValue {
    guard claim(offset, size: size, path) else { return .faulty }
    guard size == 16 else {
      let value = number(at: offset + 1, size: size)
      return .integer(size == 8 ? Int128(Int64(bitPattern: value)) : Int128(value))
    }
    let value =
      Int128(Int64(bitPattern: number(at: offset + 1, size: 8))) << 64 | Int128(number(at: offset + 9, size: 8))
    guard PropertyListNumber.range.contains(value) else {
      faults.error(
        at: offset, path, found: "the integer \(value)", expected: "\(Int64.min) to \(UInt64.max)")
      return .faulty
    }
    return .integer(value)
  }

  private mutating func real(at offset: Int, size: Int, _ path: NodePath) -> PropertyListValue {
    guard claim(offset, size: size, path) else { return .faulty }
    let bits = number(at: offset + 1, size: size)
    return .real(
      size == 8 ? Double(bitPattern: bits) : Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))))
  }

  private mutating func date(at offset: Int, _ path: NodePath) -> PropertyListValue {
    guard claim(offset, size: 8, path) else { return .faulty }
    return .date(Double(bitPattern: number(at: offset + 1, size: 8)))
  }

  private mutating func ascii(_ range: Range<Int>, at offset: Int, _ path: NodePath) -> PropertyListValue {
    if let wrong = bytes[range].firstIndex(where: { $0 >= 0x80 }) {
      faults.error(
        at: wrong, path, found: "the byte 0x\(String(bytes[wrong], radix: 16, uppercase: true)) in an ASCII string",
        expected: "a byte below 0x80")
      return .faulty
    }
    return .string(String(decoding: bytes[range], as: UTF8.self))
  }

  private mutating func utf16(_ range: Range<Int>, at offset: Int, _ path: NodePath) -> PropertyListValue {
    let units = stride(from: range.lowerBound, to: range.upperBound, by: 2).map {
      UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
    }
    guard let string = String(validating: units, as: UTF16.self) else {
      faults.error(at: offset, path, found: "a string with half a surrogate pair", expected: "UTF-16")
      return .faulty
    }
    return .string(string)
  }
}
