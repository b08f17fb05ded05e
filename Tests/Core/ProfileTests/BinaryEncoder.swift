import BleperaProfile
import BleperaPropertyLists

/// Writes binary property lists, right ones and wrong ones.
struct BinaryEncoder {
  private(set) var objects: [[UInt8]] = []

  /// The whole file of a tree, with references of two bytes.
  static func encode(_ value: PropertyListValue) -> [UInt8] {
    var encoder = BinaryEncoder()
    let top = encoder.add(value)
    return file(encoder.objects, top: top, referenceSize: 2)
  }

  /// The file of these objects; `offsets` and `table` replace what would be right.
  static func file(
    _ objects: [[UInt8]], top: Int = 0, referenceSize: UInt8 = 1, offsetSize: UInt8 = 2, offsets: [Int]? = nil,
    count: Int? = nil, table: Int? = nil
  ) -> [UInt8] {
    var bytes = Array("bplist00".utf8)
    var places: [Int] = []
    for object in objects {
      places.append(bytes.count)
      bytes += object
    }
    let start = bytes.count
    for place in offsets ?? places { bytes += bigEndian(place, Int(offsetSize)) }
    bytes += [0, 0, 0, 0, 0, 0, offsetSize, referenceSize]
    return bytes + bigEndian(count ?? objects.count, 8) + bigEndian(top, 8) + bigEndian(table ?? start, 8)
  }

  static func bigEndian(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { $0 < 8 ? UInt8(truncatingIfNeeded: value >> (8 * $0)) : 0 }
  }

  private mutating func add(_ value: PropertyListValue) -> Int {
    let index = objects.count
    objects.append([])
    objects[index] = encoded(value)
    return index
  }

  private mutating func encoded(_ value: PropertyListValue) -> [UInt8] {
    switch value {
    case .dictionary(let dictionary):
      let keys = dictionary.entries.map { add(.string($0.key)) }
      let values = dictionary.entries.map { add($0.node.value) }
      return Self.marker(0xD0, keys.count) + (keys + values).flatMap { Self.bigEndian($0, 2) }
    case .array(let nodes):
      let items = nodes.map { add($0.value) }
      return Self.marker(0xA0, items.count) + items.flatMap { Self.bigEndian($0, 2) }
    case .string(let text):
      if text.utf8.allSatisfy({ $0 < 0x80 }) { return Self.marker(0x50, text.utf8.count) + Array(text.utf8) }
      let units = Array(text.utf16)
      return Self.marker(0x60, units.count) + units.flatMap { Self.bigEndian(Int($0), 2) }
    case .integer(let value):
      if value >= 0, value < 256 { return [0x10, UInt8(value)] }
      if let small = Int64(exactly: value) { return [0x13] + Self.bigEndian(Int(small), 8) }
      return [0x14] + Self.bigEndian(0, 8) + Self.bigEndian(Int(truncatingIfNeeded: value), 8)
    case .real(let value): return [0x23] + Self.bigEndian(Int(bitPattern: UInt(value.bitPattern)), 8)
    case .boolean(let value): return [value ? 0x09 : 0x08]
    case .date(let seconds): return [0x33] + Self.bigEndian(Int(bitPattern: UInt(seconds.bitPattern)), 8)
    case .data(let bytes): return Self.marker(0x40, bytes.count) + bytes
    case .faulty: return [0x00]
    }
  }

  private static func marker(_ type: UInt8, _ count: Int) -> [UInt8] {
    count < 15 ? [type | UInt8(count)] : [type | 15, 0x11] + bigEndian(count, 2)
  }
}
