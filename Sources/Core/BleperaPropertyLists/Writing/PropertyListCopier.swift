/// Makes a tree to be written of a document, with each comment beside the value that follows it.
struct PropertyListCopier {
  private let types: ScalarTypes
  private var comments: ArraySlice<PropertyListComment>

  init(types: ScalarTypes, comments: [PropertyListComment]) {
    self.types = types
    self.comments = comments[...]
  }

  /// The lines of the comments before `offset`, outside of the root.
  mutating func take(before offset: Int, isOutside: Bool) -> [String]? {
    var lines: [String] = []
    while let comment = comments.first, comment.offset < offset, comment.owner == nil {
      if !lines.isEmpty { lines.append("") }
      lines += comment.lines
      comments.removeFirst()
    }
    return lines
  }

  /// Nil where the value has a fault.
  mutating func copy(_ node: PropertyListNode, key: String? = nil, isText: Bool = false) -> PropertyListWriter? {
    let node = types[key].map { isText && $0 == .values ? node : node.read(as: $0 == .values ? .number : $0) } ?? node
    switch node.value {
    case .string(let text): return .string(text)
    case .integer(let value): return .integer(value)
    case .real(let value): return .real(value)
    case .boolean(let value): return .boolean(value)
    case .date(let seconds): return .date(seconds)
    case .data(let bytes): return .data(bytes)
    case .faulty: return nil
    case .array(let nodes):
      var items: [PropertyListWriter.Item] = []
      for element in nodes {
        take(before: element.offset, after: items.isEmpty) { items.append($1 ? .remark($0) : .comment($0)) }
        let isScalar = types[key] == .values
        guard let value = copy(element, key: isScalar ? key : nil, isText: isText) else { return nil }
        items.append(.value(value))
      }
      takeRest(of: node, after: items.isEmpty) { items.append($1 ? .remark($0) : .comment($0)) }
      return .array(items)
    case .dictionary(let dictionary):
      var entries: [PropertyListWriter.Entry] = []
      let isText = types.hasText(dictionary)
      for entry in dictionary.entries {
        take(before: entry.keyOffset, after: entries.isEmpty) { entries.append($1 ? .remark($0) : .comment($0)) }
        // A comment between key and value goes before the key.
        take(before: entry.node.offset, after: true) { text, _ in entries.append(.comment(text)) }
        guard let value = copy(entry.node, key: entry.key, isText: isText) else { return nil }
        entries.append(.value(entry.key, value))
      }
      takeRest(of: node, after: entries.isEmpty) { entries.append($1 ? .remark($0) : .comment($0)) }
      return .dictionary(entries)
    }
  }

  /// Adds the comments before `offset`; a remark needs a value before it.
  private mutating func take(before offset: Int, after isFirst: Bool, _ add: (String, Bool) -> Void) {
    var isFirst = isFirst
    while let comment = comments.first, comment.offset < offset {
      let lines = comment.lines
      add(lines.joined(separator: "\n"), comment.isTrailing && lines.count == 1 && !isFirst)
      // A second comment at the end of a line gets a line of its own.
      isFirst = true
      comments.removeFirst()
    }
  }

  /// Adds the comments before the end of a container.
  private mutating func takeRest(of node: PropertyListNode, after isFirst: Bool, _ add: (String, Bool) -> Void) {
    while let comment = comments.first, comment.owner == node.offset {
      take(before: comment.offset + 1, after: isFirst, add)
    }
  }
}
