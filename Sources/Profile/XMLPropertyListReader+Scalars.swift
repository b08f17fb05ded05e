/// What the text of a scalar element means.
extension XMLPropertyListReader {
  mutating func scalar(_ element: XMLElement, _ text: XMLText) -> PropertyListValue {
    switch element {
    case .string: return .string(text.string)
    case .integer: return integer(text)
    case .real: return real(text)
    case .true, .false:
      guard text.trimmed.isEmpty else {
        return faulty(text, found: "the text \(text.quoted) within \(element.tag)", expected: "<\(element.rawValue)/>")
      }
      return .boolean(element == .true)
    case .date:
      guard let seconds = PropertyListDate.seconds(text.bytes[text.trimmed]) else {
        return faulty(text, found: "the date \(text.quoted)", expected: "a date such as 2024-02-29T12:00:00Z")
      }
      return .date(seconds)
    case .data: return data(text)
    case .plist, .dictionary, .array, .key: return .faulty
    }
  }

  private mutating func faulty(_ text: XMLText, found: String, expected: String) -> PropertyListValue {
    report(at: text.source(of: text.trimmed.lowerBound), found: found, expected: expected)
    return .faulty
  }

  private mutating func integer(_ text: XMLText) -> PropertyListValue {
    guard let value = PropertyListNumber.integer(text.bytes[text.trimmed]) else {
      return faulty(
        text, found: "the integer \(text.quoted)",
        expected: "a decimal or 0x number from \(Int64.min) to \(UInt64.max)")
    }
    return .integer(value)
  }

  private mutating func real(_ text: XMLText) -> PropertyListValue {
    guard let value = PropertyListNumber.real(text.bytes[text.trimmed]) else {
      return faulty(
        text, found: "the real \(text.quoted)", expected: "a decimal number such as 36.6 or 1e-3, nan or inf")
    }
    return .real(value)
  }

  private mutating func data(_ text: XMLText) -> PropertyListValue {
    switch Base64.decode(text.bytes) {
    case .bytes(let bytes): return .data(bytes)
    case .fault(let index, let found, let expected):
      report(at: text.source(of: index), found: found, expected: expected)
      return .faulty
    }
  }
}
