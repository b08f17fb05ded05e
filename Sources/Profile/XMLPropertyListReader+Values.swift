/// How keys and values come together.
extension XMLPropertyListReader {
  /// Takes a `<key>`: it waits for its value.
  mutating func takeKey(_ text: XMLText, at offset: Int) {
    guard kind == .dictionary else {
      let place = kind == .array ? "an array" : "<plist>"
      report(at: offset, found: "<key> within \(place)", expected: "a value such as <string>")
      return
    }
    reportMissingValue(before: "<key>")
    // Without its key, what is expected here cannot be named.
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

  /// Reports the key that waits, at its own place.
  private mutating func reportMissingValue(before tag: String) {
    guard let key = stack.last?.key else { return }
    report(
      at: key.offset, found: "the key \(Quote.text(key.text)) without a value, then \(tag)",
      expected: "a value such as <string>")
    finish(.faulty, at: key.offset, content: key.offset, isReported: true)
  }

  /// Puts a value that was read where it belongs.
  mutating func finish(_ value: PropertyListValue, at offset: Int, content: Int, isReported: Bool = false) {
    // No copy of the frame may live here: to append to its containers would copy them each time.
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

  /// Closes the innermost element; gives the root when that was `<plist>`.
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
