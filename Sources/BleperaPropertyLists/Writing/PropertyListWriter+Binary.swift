/// Writes the binary form (`bplist00`), without comments.
extension PropertyListWriter {
  package var binary: [UInt8] {
    var objects = BinaryObjects()
    let top = objects.add(self)
    return objects.file(top: top)
  }

  private struct BinaryObjects {
    /// Objects with their references, whose width is known only when all are counted.
    private var objects: [(head: [UInt8], references: [Int])] = []
    /// Strings and numbers that were added already.
    private var shared: [[UInt8]: Int] = [:]

    mutating func add(_ value: PropertyListWriter) -> Int {
      switch value {
      case .string(let text): return scalar(Self.string(text))
      case .data(let bytes): return scalar(Self.head(0x40, bytes.count) + bytes)
      case .boolean(let value): return scalar([value ? 0x09 : 0x08])
      case .integer(let value): return scalar(Self.integer(value))
      case .real(let value): return scalar([0x23] + Self.bytes(value.bitPattern, 8))
      case .date(let seconds): return scalar([0x33] + Self.bytes(seconds.bitPattern, 8))
      case .array(let items):
        let index = reserve()
        var references: [Int] = []
        for case .value(let value) in items { references.append(add(value)) }
        objects[index] = (Self.head(0xA0, references.count), references)
        return index
      case .dictionary(let entries):
        let index = reserve()
        var keys: [Int] = []
        var values: [Int] = []
        for case .value(let key, let value) in entries {
          keys.append(scalar(Self.string(key)))
          values.append(add(value))
        }
        objects[index] = (Self.head(0xD0, keys.count), keys + values)
        return index
      }
    }

    private mutating func reserve() -> Int {
      objects.append(([], []))
      return objects.count - 1
    }

    private mutating func scalar(_ bytes: [UInt8]) -> Int {
      if let index = shared[bytes] { return index }
      objects.append((bytes, []))
      shared[bytes] = objects.count - 1
      return objects.count - 1
    }

    func file(top: Int) -> [UInt8] {
      let referenceSize = Self.width(UInt64(objects.count))
      var file = Array("bplist00".utf8)
      var offsets: [Int] = []
      for object in objects {
        offsets.append(file.count)
        file += object.head
        for reference in object.references { file += Self.bytes(UInt64(reference), referenceSize) }
      }
      let table = file.count
      let offsetSize = Self.width(UInt64(table))
      for offset in offsets { file += Self.bytes(UInt64(offset), offsetSize) }
      file += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
      return file + Self.bytes(UInt64(objects.count), 8) + Self.bytes(UInt64(top), 8) + Self.bytes(UInt64(table), 8)
    }

    private static func string(_ text: String) -> [UInt8] {
      if text.utf8.allSatisfy({ $0 < 0x80 }) { return head(0x50, text.utf8.count) + Array(text.utf8) }
      let units = Array(text.utf16)
      return head(0x60, units.count) + units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    }

    private static func integer(_ value: Int128) -> [UInt8] {
      if value < 0 { return [0x13] + bytes(UInt64(bitPattern: Int64(truncatingIfNeeded: value)), 8) }
      let number = UInt64(truncatingIfNeeded: value)
      // Eight bytes have a sign.
      guard number <= UInt64(Int64.max) else { return [0x14] + bytes(0, 8) + bytes(number, 8) }
      let size = width(number)
      return [0x10 | UInt8(size.trailingZeroBitCount)] + bytes(number, size)
    }

    /// The marker of a type with a count, which follows as an integer from 15 on.
    private static func head(_ type: UInt8, _ count: Int) -> [UInt8] {
      count < 15 ? [type | UInt8(count)] : [type | 0x0F] + integer(Int128(count))
    }

    /// The smallest of 1, 2, 4 and 8 bytes that hold the number.
    private static func width(_ number: UInt64) -> Int {
      number <= 0xFF ? 1 : number <= 0xFFFF ? 2 : number <= 0xFFFF_FFFF ? 4 : 8
    }

    private static func bytes(_ number: UInt64, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * (count - 1 - $0))) }
    }
  }
}
