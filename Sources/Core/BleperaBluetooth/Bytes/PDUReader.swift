/// Reads the fields of a PDU in order, the least significant byte of each first. Past the end each field is 0 or empty.
package struct PDUReader {
  package private(set) var rest: ArraySlice<UInt8>
  /// Whether a field was past the end.
  package private(set) var isShort = false

  package init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  /// Whether the fields were all there, and nothing else.
  package var isExact: Bool { !isShort && rest.isEmpty }

  private mutating func field(_ count: Int) -> ArraySlice<UInt8> {
    guard rest.count >= count else {
      (isShort, rest) = (true, [])
      return []
    }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  package mutating func bytes(_ count: Int) -> [UInt8] { Array(field(count)) }

  package mutating func uint8() -> UInt8 { field(1).first ?? 0 }

  package mutating func integer<Integer: FixedWidthInteger>() -> Integer {
    LittleEndian.number(field(Integer.bitWidth / 8))
  }

  package mutating func uint16() -> UInt16 { integer() }

  package mutating func handle() -> AttributeHandle { AttributeHandle(rawValue: uint16()) }

  /// Everything that is left.
  package mutating func remainder() -> [UInt8] { bytes(rest.count) }

  /// The elements that fill the rest.
  package mutating func list<Element>(_ element: (inout PDUReader) -> Element) -> [Element] {
    var elements: [Element] = []
    while !rest.isEmpty { elements.append(element(&self)) }
    return elements
  }
}
