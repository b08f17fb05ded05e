/// What is due when; of two due at once the one that was added first comes first.
struct TimerQueue<Element: Sendable>: Sendable {
  private struct Entry: Sendable {
    let deadline: Duration
    let order: Int
    let element: Element

    func precedes(_ other: Entry) -> Bool { (deadline, order) < (other.deadline, other.order) }
  }

  /// A binary heap.
  private var heap: [Entry] = []
  private var added = 0

  var nextDeadline: Duration? { heap.first?.deadline }

  mutating func add(_ element: Element, at deadline: Duration) {
    added += 1
    heap.append(Entry(deadline: deadline, order: added, element: element))
    var index = heap.count - 1
    while index > 0, heap[index].precedes(heap[(index - 1) / 2]) {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  /// The first one, where it is due.
  mutating func pop(at now: Duration) -> (deadline: Duration, element: Element)? {
    guard let first = heap.first, first.deadline <= now else { return nil }
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var index = 0
    while true {
      let children = [2 * index + 1, 2 * index + 2].filter { $0 < heap.count }
      guard let least = children.min(by: { heap[$0].precedes(heap[$1]) }), heap[least].precedes(heap[index]) else {
        break
      }
      heap.swapAt(index, least)
      index = least
    }
    return (first.deadline, first.element)
  }
}
