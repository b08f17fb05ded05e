import BleperaBluetooth

/// The three forms of a property list.
package enum PropertyListForm: Sendable {
  case xml
  case binary
  case text

  /// The form of a file by its first characters; XML for any other file, so that the XML reader reports the fault.
  package init(of bytes: [UInt8]) {
    guard !bytes.starts(with: "bplist".utf8) else {
      self = .binary
      return
    }
    let start = bytes.starts(with: XMLPropertyListReader.byteOrderMark) ? XMLPropertyListReader.byteOrderMark.count : 0
    let content = bytes[start...].drop(while: XMLPropertyListReader.isBlank)
    switch content.first {
    case UInt8(ascii: "{"), UInt8(ascii: "("), UInt8(ascii: "\""), UInt8(ascii: "'"): self = .text
    case UInt8(ascii: "/"):
      let next = content.dropFirst().first
      self = next == UInt8(ascii: "/") || next == UInt8(ascii: "*") ? .text : .xml
    case UInt8(ascii: "<"):
      let inner = content.dropFirst()
      let end = inner.first { !(XMLPropertyListReader.isBlank($0) || Hex.digit($0) != nil) }
      self = [UInt8(ascii: "*"), UInt8(ascii: "[")].contains(inner.first) || end == UInt8(ascii: ">") ? .text : .xml
    default: self = .xml
    }
  }
}
