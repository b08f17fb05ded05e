/// An array that has an element type even if it is empty; never of bytes, which are `DBusValue.bytes`.
package struct DBusArray: Hashable, Sendable {
  package let elementType: DBusType
  package let elements: [DBusValue]

  /// Requires that the elements have the type.
  package init(checkedElements elements: [DBusValue], of elementType: DBusType) {
    self.elementType = elementType
    self.elements = elements
  }
}

/// An array of dictionary entries in their order on the wire.
///
/// If several entries have the same key, the last value counts, at the position of the first. Two dictionaries are
/// equal if they have the same types and the same entries in any order.
package struct DBusDictionary: Sendable {
  package typealias Entry = (key: DBusValue, value: DBusValue)

  private enum Content: Sendable {
    /// The entries with the index of each key; nil where there are few.
    case decoded([Entry], places: [DBusValue: Int]?)
    case encoded(EncodedProperties)
  }

  package let keyType: DBusType
  package let valueType: DBusType
  private let content: Content
  private static let few = 8

  /// Requires that the entries have the types.
  package init(checkedEntries: [Entry], key keyType: DBusType, value valueType: DBusType) {
    self.keyType = keyType
    self.valueType = valueType
    guard checkedEntries.count > Self.few || !Self.areUnique(checkedEntries) else {
      content = .decoded(checkedEntries, places: nil)
      return
    }
    var entries: [Entry] = []
    var places: [DBusValue: Int] = [:]
    entries.reserveCapacity(checkedEntries.count)
    places.reserveCapacity(checkedEntries.count)
    for entry in checkedEntries {
      if let place = places[entry.key] {
        entries[place].value = entry.value
      } else {
        places[entry.key] = entries.count
        entries.append(entry)
      }
    }
    content = .decoded(entries, places: places)
  }

  init(_ properties: EncodedProperties) {
    (keyType, valueType) = (.string, .variant)
    content = .encoded(properties)
  }

  package var entries: [Entry] {
    switch content {
    case .decoded(let entries, _): entries
    case .encoded(let properties):
      DBusDictionary(checkedEntries: properties.entries, key: keyType, value: valueType).entries
    }
  }

  private static func areUnique(_ entries: [Entry]) -> Bool {
    for index in entries.indices.dropFirst() {
      for earlier in 0..<index where areSame(entries[earlier].key, entries[index].key) { return false }
    }
    return true
  }

  private static func areSame(_ left: DBusValue, _ right: DBusValue) -> Bool {
    if case .string(let left) = left, case .string(let right) = right { return left == right }
    return left == right
  }

  package subscript(key: DBusValue) -> DBusValue? {
    guard case .decoded(let entries, let places?) = content else {
      return self.entries.first { $0.key == key }?.value
    }
    return places[key].map { entries[$0].value }
  }

  package subscript(key: String) -> DBusValue? {
    guard case .decoded(let entries, nil) = content else { return self[.string(key)] }
    for entry in entries {
      if case .string(let text) = entry.key, text == key { return entry.value }
    }
    return nil
  }

  /// The value of a property of an `a{sv}`, without its variant.
  package func property(_ name: String) -> DBusValue? {
    guard case .encoded(let properties) = content else { return self[name]?.unwrapped }
    return properties[name]
  }
}

extension DBusDictionary: Hashable {
  package static func == (left: DBusDictionary, right: DBusDictionary) -> Bool {
    left.keyType == right.keyType && left.valueType == right.valueType && left.entries.count == right.entries.count
      && left.entries.allSatisfy { right[$0.key] == $0.value }
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(keyType)
    hasher.combine(valueType)
    var sum = 0
    for entry in entries {
      var single = Hasher()
      single.combine(entry.key)
      single.combine(entry.value)
      sum ^= single.finalize()
    }
    hasher.combine(sum)
  }
}
