/// The entries of a dictionary in the order of the file, each with the place of its key.
package struct PropertyListDictionary: Sendable {
  package struct Entry: Sendable {
    package let key: String
    package let keyOffset: Int
    package let node: PropertyListNode
  }

  package private(set) var entries: [Entry] = []
  private var indices: [String: Int] = [:]
  /// Whether nothing of it got lost to a fault of syntax; where something was, a key that seems missing may not be.
  package var isComplete = true

  package init() {}

  package subscript(_ key: String) -> Entry? { indices[key].map { entries[$0] } }

  /// Keeps the first entry of each key: a duplicate is reported by whoever reads the file.
  package mutating func insert(_ key: String, at keyOffset: Int, _ node: PropertyListNode) {
    guard indices[key] == nil else { return }
    indices[key] = entries.count
    entries.append(Entry(key: key, keyOffset: keyOffset, node: node))
  }
}
