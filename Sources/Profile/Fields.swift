/// The entries of a dictionary that are there and of the right type.
package struct Fields {
  /// One such entry.
  package struct Field {
    package let node: PropertyListNode
    package let path: NodePath

    package init(node: PropertyListNode, path: NodePath) {
      self.node = node
      self.path = path
    }
  }

  package let node: PropertyListNode
  package let path: NodePath
  /// Also of the wrong type or faulty: whether the file has the key at all.
  package private(set) var present: Set<String> = []
  /// What misspelled keys were probably meant to be: nobody should hear that those are missing as well.
  var meant: Set<String> = []
  private var fields: [String: Field] = [:]

  init(_ node: PropertyListNode, _ path: NodePath) {
    self.node = node
    self.path = path
  }

  package subscript(_ key: SchemaKey) -> Field? { fields[key.name] }

  package func has(_ key: SchemaKey) -> Bool { present.contains(key.name) }

  /// Whether there is neither the key nor one that was meant to be it.
  package func lacks(_ key: SchemaKey) -> Bool { !has(key) && !meant.contains(key.name) }

  mutating func take(_ key: SchemaKey, _ node: PropertyListNode?) {
    present.insert(key.name)
    if let node { fields[key.name] = Field(node: node, path: path.key(key.name)) }
  }

  package func string(_ key: SchemaKey) -> String? {
    if case .string(let text)? = fields[key.name]?.node.value { text } else { nil }
  }
}
