/// Large values by key, in order of their keys, whose parts are read and changed where they are: a dictionary copies a
/// value to read a part, and moves it out and back to change one. Inlinable, since it is used in several targets for
/// its speed.
package struct SlotTable<Key: Comparable & Sendable, Value: Sendable>: Sendable {
  @usableFromInline final class Slot: @unchecked Sendable {  // changed only while one table has it
    /// Nil in `none` alone. Who changes it has exclusive access to the table.
    @usableFromInline @exclusivity(unchecked) var value: Value?

    @inlinable init(_ value: Value?) { unsafe self.value = value }
  }

  /// In ascending order; a new key is usually the last.
  @usableFromInline package internal(set) var keys: [Key] = []
  @usableFromInline var slots: [Slot] = []
  @usableFromInline let none = Slot(nil)

  @inlinable package init() {}

  @inlinable package var isEmpty: Bool { keys.isEmpty }
  @inlinable package var count: Int { keys.count }
  @inlinable package var values: [Value] { slots.compactMap { unsafe $0.value } }

  @inlinable package func contains(_ key: Key) -> Bool { !place(of: key).isEmpty }

  /// A part is changed by optional chaining. What is yielded lies in a slot: an accessor's own variables would make its
  /// frame so large that it is allocated.
  @inlinable package subscript(key: Key) -> Value? {
    _read {
      let slot = place(of: key).first.map { slots[$0] } ?? none
      yield unsafe slot.value
    }
    _modify {
      let slot = ownSlot(of: key)
      yield unsafe &slot.value
    }
    set {
      let place = place(of: key)
      keys.replaceSubrange(place, with: newValue == nil ? [] : [key])
      slots.replaceSubrange(place, with: newValue.map { [Slot($0)] } ?? [])
    }
  }

  @inlinable package mutating func removeValue(forKey key: Key) -> Value? {
    defer { self[key] = nil }
    return self[key]
  }

  /// The key's slot, which no copy of the table has then.
  @inlinable mutating func ownSlot(of key: Key) -> Slot {
    guard let index = place(of: key).first else { return Slot(nil) }
    if !isKnownUniquelyReferenced(&slots[index]) { slots[index] = Slot(unsafe slots[index].value) }
    return slots[index]
  }

  /// The key's index, or where it would be added: an empty range.
  @inlinable func place(of key: Key) -> Range<Int> {
    var (start, end) = (0, keys.count)
    while start < end {
      let middle = (start + end) / 2
      if keys[middle] < key { start = middle + 1 } else { end = middle }
    }
    return start..<(start < keys.count && keys[start] == key ? start + 1 : start)
  }
}
