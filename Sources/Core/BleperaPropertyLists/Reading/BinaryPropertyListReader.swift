import BleperaBluetooth

/// Reads a binary property list (`bplist00`): objects, a table of their offsets and a trailer of 32 bytes.
///
/// An object that is referenced more than once is read once and shared; the size of the tree with every reference
/// followed is limited.
///
/// `PropertyListDecoder` cannot replace this reader: it decodes the real 1.0 as an integer and 16-byte integers as
/// another number, accepts duplicate keys, overlapping objects and a truncated UTF-16 string without an error, reports
/// no offset, and takes more than 20 s for a file of 300 bytes whose shared objects stand for a huge tree.
struct BinaryPropertyListReader {
  static let headerLength = 8
  static let trailerLength = 32
  /// The maximum number of values in the tree with every reference followed.
  static let maximumExpansion = 200_000

  enum State {
    case untouched
    /// The object is being read: a reference to it means that it contains itself.
    case open
    case done(PropertyListNode, height: Int, expansion: Int)
  }

  /// Thrown after a structural fault was reported.
  struct Stop: Error {}

  let bytes: [UInt8]
  var faults: FaultList
  var states: [State] = []
  var offsetSize = 0
  var referenceSize = 0
  var tableOffset = 0
  /// The bytes of the objects that were read.
  var extents: [(start: Int, end: Int)] = []
  private var claimed = 0

  init(_ bytes: [UInt8], faults: FaultList) {
    self.bytes = bytes
    self.faults = faults
  }

  mutating func read() -> PropertyListNode? {
    do throws(Stop) {
      let top = try readTrailer()
      let root = object(top, from: bytes.count - Self.trailerLength + 16, .root, depth: 1).node
      checkOverlaps()
      return root
    } catch {
      return nil
    }
  }

  /// Reads the trailer and returns the index of the top object.
  private mutating func readTrailer() throws(Stop) -> Int {
    guard bytes.starts(with: "bplist00".utf8) else {
      let version = String(decoding: bytes.prefix(Self.headerLength), as: UTF8.self)
      throw stop(at: 0, found: "the header \(Quote.text(version))", expected: "\"bplist00\"")
    }
    guard bytes.count > Self.headerLength + Self.trailerLength else {
      throw stop(at: bytes.count, found: "the end of the file", expected: "objects and a trailer of 32 bytes")
    }
    let trailer = bytes.count - Self.trailerLength
    offsetSize = Int(bytes[trailer + 6])
    referenceSize = Int(bytes[trailer + 7])
    guard (1...8).contains(offsetSize) else {
      throw stop(at: trailer + 6, found: "offsets of \(offsetSize) bytes", expected: "1 to 8")
    }
    guard (1...8).contains(referenceSize) else {
      throw stop(at: trailer + 7, found: "references of \(referenceSize) bytes", expected: "1 to 8")
    }
    let objects = number(at: trailer + 8, size: 8)
    let top = number(at: trailer + 16, size: 8)
    let table = number(at: trailer + 24, size: 8)
    guard table > UInt64(Self.headerLength), table < UInt64(trailer) else {
      throw stop(
        at: trailer + 24, found: "a table of offsets at \(table)",
        expected: "\(Self.headerLength + 1) to \(trailer - 1)")
    }
    let room = UInt64(trailer) - table
    guard objects > 0, objects <= room / UInt64(offsetSize) else {
      throw stop(
        at: trailer + 8, found: "\(objects) objects",
        expected: "1 to \(room / UInt64(offsetSize)), which the table holds")
    }
    guard top < objects else {
      throw stop(at: trailer + 16, found: "the top object \(top)", expected: "less than \(objects)")
    }
    tableOffset = Int(table)
    states = Array(repeating: .untouched, count: Int(objects))
    return Int(top)
  }

  private mutating func stop(at offset: Int, found: String, expected: String) -> Stop {
    faults.error(at: offset, .root, found: found, expected: expected)
    return Stop()
  }

  /// Records that an object occupies the bytes from `start` to `end`. False where all objects together occupy more
  /// bytes than the file has, so that overlapping objects cannot cause unbounded work.
  mutating func claim(_ start: Int, _ end: Int, _ path: NodePath) -> Bool {
    claimed += end - start
    guard claimed <= tableOffset - Self.headerLength else {
      faults.error(
        at: start, path, found: "an object that shares bytes with others", expected: "objects that share no bytes")
      return false
    }
    extents.append((start, end))
    return true
  }

  /// Reports objects that share bytes, which no writer produces.
  private mutating func checkOverlaps() {
    let ordered = extents.sorted { ($0.start, $0.end) < ($1.start, $1.end) }
    for (earlier, later) in zip(ordered, ordered.dropFirst()) where later.start < earlier.end {
      faults.error(
        at: later.start, .root, found: "an object within the one at offset \(earlier.start)",
        expected: "objects that share no bytes")
    }
  }

  /// A big-endian number; its bytes must exist.
  func number(at offset: Int, size: Int) -> UInt64 {
    var value: UInt64 = 0
    for index in offset..<(offset + size) { value = value << 8 | UInt64(bytes[index]) }
    return value
  }

  /// The value of an object; `origin` is the offset of the reference to it.
  mutating func object(_ index: Int, from origin: Int, _ path: NodePath, depth: Int)
    -> (node: PropertyListNode, height: Int, expansion: Int)
  {
    let refused = (PropertyListNode(.faulty, at: origin), 1, 1)
    switch states[index] {
    case .open:
      faults.error(at: origin, path, found: "a container within itself", expected: "a tree")
      return refused
    case .done(let node, let height, let expansion):
      guard depth + height - 1 <= PropertyList.maximumDepth else {
        reportDepth(at: origin, path)
        return refused
      }
      return (node, height, expansion)
    case .untouched:
      guard depth <= PropertyList.maximumDepth else {
        reportDepth(at: origin, path)
        return refused
      }
    }
    let entry = tableOffset + index * offsetSize
    let offset = number(at: entry, size: offsetSize)
    guard offset >= UInt64(Self.headerLength), offset < UInt64(tableOffset) else {
      faults.error(
        at: entry, path, found: "the offset \(offset) of an object",
        expected: "\(Self.headerLength) to \(tableOffset - 1)")
      states[index] = .done(refused.0, height: 1, expansion: 1)
      return refused
    }
    states[index] = .open
    let (value, height, expansion) = value(at: Int(offset), path, depth: depth)
    let node = PropertyListNode(value, at: Int(offset))
    states[index] = .done(node, height: height, expansion: expansion)
    return (node, height, expansion)
  }

  private mutating func reportDepth(at offset: Int, _ path: NodePath) {
    faults.error(
      at: offset, path, found: "nesting deeper than \(PropertyList.maximumDepth) levels",
      expected: "at most \(PropertyList.maximumDepth)")
  }
}
