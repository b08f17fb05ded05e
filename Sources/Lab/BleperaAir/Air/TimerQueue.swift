import BleperaBluetooth
import BleperaHost
import HeapModule

/// Elements ordered by deadline; elements with equal deadlines keep the order in which they were added.
package struct TimerQueue<Element: Sendable>: Sendable {
  private struct Entry: Comparable, Sendable {
    let deadline: Duration
    let order: Int
    let element: Element

    static func < (left: Self, right: Self) -> Bool {
      left.deadline == right.deadline ? left.order < right.order : left.deadline < right.deadline
    }

    static func == (left: Self, right: Self) -> Bool { left.order == right.order }
  }

  private var heap = Heap<Entry>()
  private var added = 0

  package init() {}

  package private(set) var nextDeadline: Duration?

  package mutating func add(_ element: Element, at deadline: Duration) {
    added += 1
    heap.insert(Entry(deadline: deadline, order: added, element: element))
    nextDeadline = nextDeadline.map { min($0, deadline) } ?? deadline
  }

  /// Removes and returns the first element if it is due.
  package mutating func pop(at now: Duration) -> (deadline: Duration, element: Element)? {
    guard let nextDeadline, nextDeadline <= now, let first = heap.popMin() else { return nil }
    self.nextDeadline = heap.min?.deadline
    return (first.deadline, first.element)
  }
}

/// A scheduled task of the air. It has no references, so that the queue moves it as bytes.
enum AirTimer: Hashable, Sendable {
  case advertisingEvent(AdvertisementID, turn: Int)
  /// The end of a packet of an advertising event, by its place among the transmissions.
  case packetEnds(Int)
  case advertisementEnds(AdvertisementID, turn: Int)
  /// A timer of the adapter's host.
  case host(AdapterID, HostTimer)
  /// The next packet of a direction.
  case arrives(ConnectionID, isUpward: Bool)
  /// Held packets may arrive now.
  case released(ConnectionID)
  case supervisionEnds(ConnectionID, turn: Int, LinkEnd)
  /// A procedure of the link layers that was begun then has not ended.
  case procedureTimesOut(ConnectionID, turn: Int)
  /// New parameters of the connection take effect.
  case parametersChange(ConnectionID, LinkParameters)
  /// The next update of `PhoneDefect.parameterStorm`.
  case storm(ConnectionID, isShort: Bool)
}
