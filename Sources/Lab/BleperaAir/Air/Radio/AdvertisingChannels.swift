import DequeModule

/// The packets on the advertising channels during the last milliseconds. Times are in whole microseconds since the air's
/// origin.
struct AdvertisingChannels: Sendable {
  /// A packet on one channel.
  struct Packet: Hashable, Sendable {
    let sender: AdapterID
    let start: Int
    let end: Int
  }

  /// An advertising event, whose packets follow each other at equal distances from start to start.
  private struct Event: Sendable {
    let sender: AdapterID
    let start: Int
    let length: Int
    /// How many packets have these distances; after a request the others do not.
    var packets = 3
  }

  /// The longest packet, in microseconds.
  private static let longest = 376

  var spacing: Int
  private var events: Deque<Event> = []
  /// The number of the first event.
  private var first = 0
  /// Requests, responses and what follows them, by channel.
  private var others: [[Packet]] = [[], [], []]

  init(spacing: Int) { self.spacing = spacing }

  /// Adds an event that begins now.
  ///
  /// - Returns: the number of the event.
  mutating func add(from sender: AdapterID, at start: Int, length: Int) -> Int {
    let old = start - 2 * spacing - 2 * Self.longest
    while let event = events.first, event.start < old {
      events.removeFirst()
      first += 1
    }
    events.append(Event(sender: sender, start: start, length: length))
    return first + events.count - 1
  }

  /// The packets of that event after this channel are added one by one.
  mutating func shift(_ event: Int, after channel: AdvertisingChannel) {
    guard event >= first, event - first < events.count else { return }
    events[event - first].packets = channel.index + 1
  }

  mutating func add(_ packet: Packet, on channel: AdvertisingChannel) {
    others[channel.index].removeAll { $0.end < packet.start - 2 * Self.longest }
    others[channel.index].append(packet)
  }

  /// Returns whether a packet of another sender overlaps with this one, and is not harmless.
  func isHit(_ packet: Packet, on channel: AdvertisingChannel, unless isHarmless: (AdapterID) -> Bool) -> Bool {
    let shift = channel.index * spacing
    // The starts of events ascend.
    var index = events.count
    while index > 0 {
      index -= 1
      let start = events[index].start + shift
      if start + Self.longest <= packet.start { break }
      if start < packet.end, events[index].packets > channel.index, start + events[index].length > packet.start,
        events[index].sender != packet.sender, !isHarmless(events[index].sender)
      {
        return true
      }
    }
    return others[channel.index].contains {
      $0.start < packet.end && $0.end > packet.start && $0.sender != packet.sender && !isHarmless($0.sender)
    }
  }
}
