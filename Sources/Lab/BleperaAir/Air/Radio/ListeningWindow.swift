import BleperaBluetooth

/// The windows in which a link layer receives, each on one advertising channel; 37 in the first window, and the next one
/// in each next interval. Times are in whole microseconds since the air's origin.
struct ListeningWindow: Hashable, Sendable {
  let start: Int
  let interval: Int
  let window: Int
  let isActive: Bool
  /// The channel of the first window.
  let first: Int

  init(_ scan: ScanWindow, from start: Duration, first: Int = 0) {
    self.start = start.wholeMicroseconds
    interval = max(scan.interval.wholeMicroseconds, 1)
    window = min(scan.window.wholeMicroseconds, interval)
    isActive = scan.isActive
    self.first = first
  }

  /// Whether a packet lies whole in a window on that channel.
  func holds(_ channel: AdvertisingChannel, _ packet: AdvertisingChannels.Packet) -> Bool {
    guard packet.start >= start else { return false }
    let (index, place) = (packet.start - start).quotientAndRemainder(dividingBy: interval)
    return place + packet.end - packet.start <= window && (index + first) % 3 == channel.index
  }

  /// Whether a window is open on any channel.
  func isOpen(at time: Int) -> Bool { time >= start && (time - start) % interval < window }

  /// The channel of the window or of the pause after it.
  func channel(at time: Int) -> AdvertisingChannel? {
    time < start ? nil : AdvertisingChannel(rawValue: ((time - start) / interval + first) % 3)
  }

  /// The channels on which packets of an event are received, as bits, and when the first window after the event begins
  /// if there is none.
  func channels(ofEventAt time: Int, spacing: Int, length: Int) -> (bits: UInt8, next: Int) {
    guard time >= start else { return (0, start) }
    var (index, place) = (time - start).quotientAndRemainder(dividingBy: interval)
    let next = time + interval - place
    index += first
    var bits: UInt8 = 0
    for channel in 0..<3 {
      if channel > 0 { place += spacing }
      while place >= interval { (index, place) = (index + 1, place - interval) }
      if place + length <= window, index % 3 == channel { bits |= 1 << UInt8(truncatingIfNeeded: channel) }
    }
    return (bits, next)
  }
}

extension Duration {
  /// The number of whole microseconds.
  var wholeMicroseconds: Int {
    let (seconds, attoseconds) = components
    return Int(seconds) * 1_000_000 + Int(attoseconds / 1_000_000_000_000)
  }
}
