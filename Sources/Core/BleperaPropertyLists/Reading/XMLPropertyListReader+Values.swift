import BleperaBluetooth

/// Assembles keys and values.
extension XMLPropertyListReader {
  /// Stores a `<key>` until its value is read.
  mutating func takeKey(_ text: XMLText, at offset: Int) {
    guard kind == .dictionary else {
      let place = kind == .array ? "an array" : "<plist>"
      report(at: offset, found: "<key> within \(place)", expected: "a value such as <string>")
      return
    }
    reportMissingValue(before: "<key>")
    // A key with a fault may stand for a key that would be reported as missing.
    if text.hasFault { markIncomplete() }
    let key = text.string
    let position = text.source(of: 0)
    let first = text.hasFault ? nil : stack[stack.count - 1].dictionary[key]
    stack[stack.count - 1].key = (key, position, first != nil || text.hasFault)
    if let first {
      let line = lines.position(of: first.keyOffset).line
      report(
        at: position, found: "the key \(Quote.text(key)) a second time",
        expected: "each key once in a dictionary: the first one is in line \(line)")
    }
  }

  /// Reports a stored key without a value, at the key's offset.
  private mutating func reportMissingValue(before tag: String) {
    guard let key = stack.last?.key else { return }
    report(
      at: key.offset, found: "the key \(Quote.text(key.text)) without a value, then \(tag)",
      expected: "a value such as <string>")
    finish(.faulty, at: key.offset, content: key.offset, isReported: true)
  }

  /// Adds a value to the innermost open container.
  mutating func finish(_ value: PropertyListValue, at offset: Int, content: Int, isReported: Bool = false) {
    // Works on the stack in place: a copy of the frame would copy its containers on each append.
    let node = PropertyListNode(value, at: offset, content: content)
    switch kind {
    case .unknown, nil:
      return
    case .dictionary:
      guard let key = stack[stack.count - 1].key else {
        markIncomplete()
        guard !isReported else { return }
        report(at: offset, found: "\(value.summary) without a key", expected: "<key> or </dict>")
        return
      }
      stack[stack.count - 1].key = nil
      if !key.isDropped { stack[stack.count - 1].dictionary.insert(key.text, at: key.offset, node) }
    case .array:
      stack[stack.count - 1].items.append(node)
    case .plist:
      if !stack[stack.count - 1].items.isEmpty, !isReported {
        report(at: offset, found: "a second value, \(value.summary)", expected: "</plist>")
      }
      stack[stack.count - 1].items.append(node)
    }
  }

  /// Closes the innermost element; returns the root if the element is `<plist>`.
  mutating func pop() -> PropertyListNode? {
    reportMissingValue(before: "</dict>")
    guard let frame = stack.popLast() else { return nil }
    switch frame.kind {
    case .unknown:
      return nil
    case .dictionary:
      finish(.dictionary(frame.dictionary), at: frame.offset, content: frame.contentOffset)
      return nil
    case .array:
      finish(.array(frame.items), at: frame.offset, content: frame.contentOffset)
      return nil
    case .plist:
      if frame.items.isEmpty {
        faults.error(at: frame.offset, .root, found: "an empty <plist>", expected: "a dictionary in it")
      }
      return frame.items.first ?? PropertyListNode(.faulty, at: frame.offset)
    }
  }
}

/// Converts the text of scalar elements.
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
      guard let seconds = PropertyListDate.seconds(String(decoding: text.bytes[text.trimmed], as: UTF8.self)) else {
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
