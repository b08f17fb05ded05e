import BleperaBluetooth

/// Reads XML, binary and text property lists into one tree.
package enum PropertyList {
  /// Deeper nesting is a fault; a profile needs nine levels.
  package static let maximumDepth = 64

  /// The contents of a file; without a root where its structure is invalid.
  package struct Document {
    package let root: PropertyListNode?
    package let lines: LineTable
    package let form: PropertyListForm
    /// In the order of the file; none in a binary one.
    package var comments: [PropertyListComment] = []
  }

  package static func read(_ bytes: [UInt8], faults: inout FaultList) -> Document {
    let form = PropertyListForm(of: bytes)
    if form == .binary {
      var reader = BinaryPropertyListReader(bytes, faults: faults)
      let root = reader.read()
      faults = reader.faults
      return Document(root: root, lines: .binary, form: form)
    }
    let lines = LineTable(text: bytes)
    if form == .text {
      var reader = TextPropertyListReader(bytes: bytes, lines: lines, faults: faults)
      let root = reader.read()
      faults = reader.faults
      return Document(root: root, lines: lines, form: form, comments: reader.comments)
    }
    var reader = XMLPropertyListReader(bytes: bytes, lines: lines, faults: faults)
    let root = reader.read()
    faults = reader.faults
    return Document(root: root, lines: lines, form: form, comments: reader.comments)
  }
}

/// A value of a property list with its position in the file.
package struct PropertyListNode: Sendable {
  package let value: PropertyListValue
  /// The offset of the value in bytes from the start of the file: in XML of the `<` of its tag.
  package let offset: Int
  /// The offset of the value's content: in XML of the first byte after the tag.
  package let contentOffset: Int
  /// Whether the value is a string of the text form, whose type the schema decides.
  package let isUntyped: Bool

  package init(_ value: PropertyListValue, at offset: Int, content: Int? = nil, isUntyped: Bool = false) {
    self.value = value
    self.offset = offset
    contentOffset = content ?? offset
    self.isUntyped = isUntyped
  }

  /// The node with its value converted to the type; unchanged where the value has a type or cannot be converted.
  package func read(as type: SchemaType) -> PropertyListNode {
    guard isUntyped, case .string(let text) = value, let value = type.value(of: text) else { return self }
    return PropertyListNode(value, at: offset, content: contentOffset)
  }
}

package enum PropertyListValue: Sendable {
  case dictionary(PropertyListDictionary)
  case array([PropertyListNode])
  case string(String)
  /// In the range of a property list: `Int64.min` to `UInt64.max`.
  case integer(Int128)
  case real(Double)
  case boolean(Bool)
  /// Seconds since 2001-01-01T00:00:00Z.
  case date(Double)
  case data([UInt8])
  /// A value whose fault was reported, so that it is not reported again.
  case faulty
}

extension PropertyListValue {
  /// The value for a message: `the string "18XD"`, `a dictionary`.
  package var summary: String {
    switch self {
    case .dictionary: "a dictionary"
    case .array: "an array"
    case .string(let text): "the string \(Quote.text(text))"
    case .integer(let value): "the integer \(value)"
    case .real(let value): "the real \(value)"
    case .boolean(let value): value ? "true" : "false"
    case .date: "a date"
    case .data(let bytes): "\(Quote.counted(bytes.count, "byte")) of data"
    case .faulty: "a faulty value"
    }
  }
}

/// The entries of a dictionary in the order of the file, each with the offset of its key.
package struct PropertyListDictionary: Sendable {
  package struct Entry: Sendable {
    package let key: String
    package let keyOffset: Int
    package let node: PropertyListNode
  }

  package private(set) var entries: [Entry] = []
  private var indices: [String: Int] = [:]
  /// False where a syntax fault lost an entry, so that a missing key may be no fault.
  package var isComplete = true

  package init() {}

  package subscript(_ key: String) -> Entry? { indices[key].map { entries[$0] } }

  /// Keeps the first entry of each key; the reader reports duplicates.
  package mutating func insert(_ key: String, at keyOffset: Int, _ node: PropertyListNode) {
    guard indices[key] == nil else { return }
    indices[key] = entries.count
    entries.append(Entry(key: key, keyOffset: keyOffset, node: node))
  }
}
