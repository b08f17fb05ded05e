/// Large values by key, whose parts are read and changed where they are: a dictionary copies a value to read a part, and
/// moves it out and back to change one.
package struct SlotTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private final class Slot: @unchecked Sendable {  // changed only while one table has it
    /// Never nil.
    var value: Value?

    init(_ value: Value?) { self.value = value }
  }

  private var slots: [Key: Slot] = [:]

  package var isEmpty: Bool { slots.isEmpty }
  package var count: Int { slots.count }
  package var keys: some Collection<Key> { slots.keys }
  package var values: [Value] { slots.values.compactMap(\.value) }

  package func contains(_ key: Key) -> Bool { slots[key] != nil }

  /// A part is changed by optional chaining.
  package subscript(key: Key) -> Value? {
    _read {
      if let slot = slots[key] { yield slot.value } else { yield nil }
    }
    _modify {
      if let index = slots.index(forKey: key) {
        if !isKnownUniquelyReferenced(&slots.values[index]) {
          slots.values[index] = Slot(slots.values[index].value)
        }
        yield &slots.values[index].value
      } else {
        var none: Value?
        yield &none
      }
    }
    set { slots[key] = newValue.map { Slot($0) } }
  }

  mutating func removeValue(forKey key: Key) -> Value? { slots.removeValue(forKey: key)?.value }
}
