/// `/`, or elements of `[A-Za-z0-9_]`, each after a slash; the specification limits only the length of a message (D-Bus
/// specification, "Valid Object Paths").
package struct ObjectPath: CheckedText {
  package static let root: ObjectPath = "/"

  package let rawValue: String

  package init(accepted rawValue: String) { self.rawValue = rawValue }

  package static func accepts(_ text: Span<UInt8>) -> Bool {
    guard !text.isEmpty, text[0] == UInt8(ascii: "/") else { return false }
    var endsWithSlash = false
    for index in text.indices {
      let byte = text[index]
      if byte == UInt8(ascii: "/") {
        guard !endsWithSlash else { return false }
        endsWithSlash = true
      } else {
        guard NameGrammar.isWord(byte) else { return false }
        endsWithSlash = false
      }
    }
    return !endsWithSlash || text.count == 1
  }

  package var isRoot: Bool { rawValue.utf8.count == 1 }

  /// Appends one element. Traps unless `element` matches `[A-Za-z0-9_]+`: an element from outside must go through
  /// `init?` with the whole path.
  package func appending(_ element: String) -> ObjectPath {
    precondition(!element.isEmpty && element.utf8.allSatisfy(NameGrammar.isWord), "not a path element: \(element)")
    return ObjectPath(accepted: isRoot ? "/" + element : rawValue + "/" + element)
  }

  /// Nil for the root.
  package var parent: ObjectPath? {
    guard !isRoot, let slash = rawValue.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
    return slash == rawValue.startIndex ? .root : ObjectPath(accepted: String(rawValue[..<slash]))
  }

  /// Empty for the root.
  package var lastElement: String {
    guard let slash = rawValue.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
    return String(rawValue[rawValue.utf8.index(after: slash)...])
  }

  /// A path is not its own ancestor.
  package func isAncestor(of other: ObjectPath) -> Bool {
    guard !other.isRoot else { return false }
    guard !isRoot else { return true }
    let own = rawValue.utf8
    let rest = other.rawValue.utf8
    return rest.count > own.count && rest.starts(with: own) && rest.dropFirst(own.count).first == UInt8(ascii: "/")
  }
}
