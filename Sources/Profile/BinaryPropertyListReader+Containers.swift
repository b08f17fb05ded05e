/// Arrays and dictionaries: lists of references to other objects.
extension BinaryPropertyListReader {
  mutating func array(at offset: Int, _ path: NodePath, depth: Int) -> Measured {
    guard let references = references(at: offset, lists: 1, path) else { return (.faulty, 1, 1) }
    var items: [PropertyListNode] = []
    var size = (height: 1, expansion: 1)
    for (index, place) in references.enumerated() {
      guard let item = follow(place, path.index(index), depth: depth, size: &size) else { return (.faulty, 1, 1) }
      items.append(item)
    }
    return (.array(items), size.height, size.expansion)
  }

  mutating func dictionary(at offset: Int, _ path: NodePath, depth: Int) -> Measured {
    guard let references = references(at: offset, lists: 2, path) else { return (.faulty, 1, 1) }
    var dictionary = PropertyListDictionary()
    var size = (height: 1, expansion: 1)
    let count = references.count / 2
    for index in 0..<count {
      guard let key = follow(references[index], path, depth: depth, size: &size) else { return (.faulty, 1, 1) }
      guard case .string(let name) = key.value else {
        dictionary.isComplete = false
        if case .faulty = key.value { continue }
        faults.error(at: key.offset, path, found: "\(key.value.summary) as a key", expected: "a string")
        continue
      }
      if let first = dictionary[name] {
        faults.error(
          at: key.offset, path.key(name), found: "the key \(Quote.text(name)) a second time",
          expected: "each key once in a dictionary: the first one is at offset \(first.keyOffset)")
        continue
      }
      let place = references[count + index]
      guard let item = follow(place, path.key(name), depth: depth, size: &size) else { return (.faulty, 1, 1) }
      dictionary.insert(name, at: key.offset, item)
    }
    return (.dictionary(dictionary), size.height, size.expansion)
  }

  /// Where the references of a container stand; a dictionary has two lists of them.
  private mutating func references(at offset: Int, lists: Int, _ path: NodePath) -> [Int]? {
    guard let (start, end) = contents(at: offset, unit: referenceSize * lists, path), claim(offset, end, path) else {
      return nil
    }
    return Array(stride(from: start, to: end, by: referenceSize))
  }

  /// The object that the reference at `place` leads to; nil when the tree has become too large.
  private mutating func follow(
    _ place: Int, _ path: NodePath, depth: Int, size: inout (height: Int, expansion: Int)
  ) -> PropertyListNode? {
    let reference = number(at: place, size: referenceSize)
    guard reference < UInt64(states.count) else {
      faults.error(
        at: place, path, found: "a reference to object \(reference)", expected: "less than \(states.count)")
      return PropertyListNode(.faulty, at: place)
    }
    let item = object(Int(reference), from: place, path, depth: depth + 1)
    size.height = max(size.height, item.height + 1)
    size.expansion += item.expansion
    guard size.expansion <= Self.maximumExpansion else {
      faults.error(
        at: place, path, found: "more than \(Self.maximumExpansion) values when each reference is followed",
        expected: "fewer")
      return nil
    }
    return item.node
  }
}
