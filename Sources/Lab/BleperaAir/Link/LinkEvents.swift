import BleperaBluetooth

/// The connection events of a link: packets are sent in them, so many in each.
package struct LinkEvents: Sendable {
  /// The payload of data PDUs in bytes, without and with data length.
  package static let shortestPDU = DataLength.range.lowerBound
  package static let longestPDU = DataLength.range.upperBound
  /// How many PDUs each side sends in one event; ours. iPhones send 4 to 7.
  static let capacity = 4

  private let anchor: Duration
  private let interval: Duration
  /// The last event in which each side sends, and the number of its PDUs there.
  private var up: (event: Int, count: Int) = (0, 0)
  private var down: (event: Int, count: Int) = (0, 0)

  /// - Parameter interval: zero where packets arrive when they are sent.
  init(anchor: Duration, interval: Duration) { (self.anchor, self.interval) = (anchor, interval) }

  /// The first event after that time.
  func first(after now: Duration) -> Duration { interval > .zero ? anchor + interval * number(after: now) : now }

  private func number(after now: Duration) -> Int { Int((now - anchor) / interval) + 1 }

  /// When a packet arrives that is sent now.
  mutating func next(after now: Duration, _ packet: LinkPacket, payload: (up: Int, down: Int)) -> Duration {
    guard interval > .zero else { return now }
    let length = packet.isUpward ? payload.up : payload.down
    let count = max(1, (packet.length + length - 1) / length)
    var last = packet.isUpward ? up : down
    let next = number(after: now)
    if last.event < next { last = (next, 0) }
    for _ in 0..<count {
      if last.count == Self.capacity { last = (last.event + 1, 0) }
      last.count += 1
    }
    if packet.isUpward { up = last } else { down = last }
    return anchor + interval * last.event
  }
}
