import Synchronization

/// The elements that an app of a story has received, in order.
final class Record<Element: Sendable>: Sendable {
  private let kept = Mutex<[Element]>([])

  func add(_ element: Element) { kept.withLock { $0.append(element) } }
  var elements: [Element] { kept.withLock { $0 } }
}
