internal import BleperaBluetooth

/// The scan interval and window of a central.
package struct ScanTiming: Hashable, Sendable, CustomStringConvertible {
  /// The time between the starts of two scan windows.
  package let interval: Duration
  /// The part of the interval in which the central scans.
  package let window: Duration

  /// The share of the time in which the central scans.
  package var share: Double { window / interval }

  /// Whether the scan window is open at this time after the scan started.
  package func isOpen(after elapsed: Duration) -> Bool { elapsed - interval * Int(elapsed / interval) < window }

  /// `30 ms of 40 ms`.
  package var description: String { "\(Self.text(window)) ms of \(Self.text(interval)) ms" }

  private static func text(_ time: Duration) -> String { AdvertisingInterval.text(time / .milliseconds(1)) }
}

/// Whether a discovery has an advertisement together with its scan response, or has one packet (R16).
package enum DiscoveredPackets: String, Hashable, CaseIterable, Sendable {
  case joined = "with the scan response"
  case separate = "the packet that came first"
}

/// When a scan in the background requests scan responses, that is, is active.
package enum ScanResponses: String, Hashable, CaseIterable, Sendable {
  case never
  case screenOn
}
