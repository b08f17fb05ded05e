/// Reads property lists of either form into one tree.
package enum PropertyList {
  /// Deeper nesting is a fault: nothing that a profile says needs more than nine levels.
  package static let maximumDepth = 64

  /// What a file holds: no root where its structure is broken.
  package struct Document {
    package let root: PropertyListNode?
    package let lines: LineTable
  }

  package static func read(_ bytes: [UInt8], faults: inout FaultList) -> Document {
    if bytes.starts(with: "bplist".utf8) {
      var reader = BinaryPropertyListReader(bytes, faults: faults)
      let root = reader.read()
      faults = reader.faults
      return Document(root: root, lines: .binary)
    }
    let lines = LineTable(text: bytes)
    var reader = XMLPropertyListReader(bytes, lines: lines, faults: faults)
    let root = reader.read()
    faults = reader.faults
    return Document(root: root, lines: lines)
  }
}
