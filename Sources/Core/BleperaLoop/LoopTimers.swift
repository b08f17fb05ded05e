/// The timers of a loop, by deadline and order of creation.
package struct LoopTimers: Sendable {
  private struct Entry {
    let deadline: Duration
    let order: Int
    let body: @Sendable () -> Void
  }

  /// The timers in reverse order, with the next timer at the end.
  private var entries: [Entry] = []
  private var lastOrder = 0

  package init() {}

  package var nextDeadline: Duration? { entries.last?.deadline }

  /// Returns the number by which the timer is removed.
  package mutating func add(at deadline: Duration, _ body: @escaping @Sendable () -> Void) -> Int {
    lastOrder += 1
    // The place before the first entry that is not due later.
    var (start, end) = (0, entries.count)
    while start < end {
      let middle = (start + end) / 2
      if entries[middle].deadline > deadline { start = middle + 1 } else { end = middle }
    }
    entries.insert(Entry(deadline: deadline, order: lastOrder, body: body), at: start)
    return lastOrder
  }

  /// Returns the body of the timer, to be released where nothing is locked: objects that the body captures may cancel
  /// timers in their deinit. Nil for a timer that has run.
  package mutating func remove(_ number: Int) -> (@Sendable () -> Void)? {
    entries.lastIndex { $0.order == number }.map { entries.remove(at: $0).body }
  }

  /// Removes the next timer if it is due.
  package mutating func pop(at now: Duration) -> (deadline: Duration, body: @Sendable () -> Void)? {
    guard let next = entries.last, next.deadline <= now else { return nil }
    entries.removeLast()
    return (next.deadline, next.body)
  }
}
