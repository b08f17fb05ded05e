extension DBusValue: CustomStringConvertible {
  /// For logs, in the form that `gdbus` prints: GLib's text format of a GVariant, with the type only where it is
  /// ambiguous. The length is not limited.
  package var description: String {
    var text = ""
    write(to: &text, naming: true)
    return text
  }

  private func write(to text: inout String, naming: Bool) {
    switch self {
    case .byte(let value): text += (naming ? "byte " : "") + Self.hexadecimal(UInt32(value), digits: 2)
    case .boolean(let value): text += String(value)
    case .int16(let value): text += (naming ? "int16 " : "") + String(value)
    case .uint16(let value): text += (naming ? "uint16 " : "") + String(value)
    case .int32(let value): text += String(value)
    case .uint32(let value): text += (naming ? "uint32 " : "") + String(value)
    case .int64(let value): text += (naming ? "int64 " : "") + String(value)
    case .uint64(let value): text += (naming ? "uint64 " : "") + String(value)
    case .double(let value): text += String(value)
    case .string(let value): Self.quote(value, to: &text)
    case .objectPath(let value): text += (naming ? "objectpath " : "") + "'\(value)'"
    case .signature(let value): text += (naming ? "signature " : "") + "'\(value)'"
    case .unixFD(let value): text += (naming ? "handle " : "") + String(value.rawValue)
    case .bytes(let bytes): Self.write(bytes.map { .byte($0) }, of: type, to: &text, naming: naming)
    case .array(let array): Self.write(array.elements, of: type, to: &text, naming: naming)
    case .dictionary(let dictionary): Self.write(dictionary, of: type, to: &text, naming: naming)
    case .structure(let fields):
      text += "("
      for (index, field) in fields.enumerated() {
        if index > 0 { text += ", " }
        field.write(to: &text, naming: naming)
      }
      text += fields.count == 1 ? ",)" : ")"
    case .variant(let content):
      text += "<"
      content.write(to: &text, naming: true)
      text += ">"
    }
  }

  private static func write(_ elements: [DBusValue], of type: DBusType, to text: inout String, naming: Bool) {
    if elements.isEmpty && naming { text += "@\(type) " }
    text += "["
    for (index, element) in elements.enumerated() {
      if index > 0 { text += ", " }
      element.write(to: &text, naming: naming && index == 0)
    }
    text += "]"
  }

  private static func write(_ dictionary: DBusDictionary, of type: DBusType, to text: inout String, naming: Bool) {
    if dictionary.entries.isEmpty && naming { text += "@\(type) " }
    text += "{"
    for (index, entry) in dictionary.entries.enumerated() {
      if index > 0 { text += ", " }
      entry.key.write(to: &text, naming: naming && index == 0)
      text += ": "
      entry.value.write(to: &text, naming: naming && index == 0)
    }
    text += "}"
  }

  /// In single quotes, with control characters escaped so that a line of a log stays one line.
  private static func quote(_ value: String, to text: inout String) {
    text += "'"
    for scalar in value.unicodeScalars {
      switch scalar {
      case "'": text += "\\'"
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case _ where scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format:
        text += scalar.value <= 0xFFFF ? "\\u" : "\\U"
        text += hexadecimal(scalar.value, digits: scalar.value <= 0xFFFF ? 4 : 8).dropFirst(2)
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "'"
  }

  /// `0x` and `digits` hexadecimal digits.
  private static func hexadecimal(_ value: UInt32, digits: Int) -> String {
    let text = String(value, radix: 16)
    return "0x" + String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}
