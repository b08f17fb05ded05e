import BleperaBluetooth

/// Reads the fields of a PDU in order, the least significant byte of each first. Past the end each field is 0 or empty.
struct PDUReader {
  private(set) var rest: ArraySlice<UInt8>
  /// Whether a field was past the end.
  private(set) var isShort = false

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  /// Whether the fields were all there, and nothing else.
  var isExact: Bool { !isShort && rest.isEmpty }

  mutating func bytes(_ count: Int) -> [UInt8] {
    guard rest.count >= count else {
      (isShort, rest) = (true, [])
      return []
    }
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  mutating func uint8() -> UInt8 { bytes(1).first ?? 0 }

  mutating func uint16() -> UInt16 { bytes(2).reversed().reduce(0) { $0 << 8 | UInt16($1) } }

  mutating func handle() -> AttributeHandle { AttributeHandle(rawValue: uint16()) }

  /// Everything that is left.
  mutating func remainder() -> [UInt8] { bytes(rest.count) }

  /// The elements that fill the rest.
  mutating func list<Element>(_ element: (inout PDUReader) -> Element) -> [Element] {
    var elements: [Element] = []
    while !rest.isEmpty { elements.append(element(&self)) }
    return elements
  }
}

extension LittleEndian {
  static func bytes(_ handle: AttributeHandle) -> [UInt8] { bytes(handle.rawValue) }
}
