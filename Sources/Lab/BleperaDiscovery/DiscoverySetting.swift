import BleperaBluetooth

/// A phone that advertises, and a scanner: one question of how long the scanner needs to find the phone. All times are
/// in microseconds.
package struct DiscoverySetting: Codable, Hashable, Sendable {
  package enum Match: String, Codable, Hashable, Sendable, CaseIterable {
    /// Found at the end of the first advertisement that is received.
    case advertisement
    /// Found at the end of the first scan response that is received, which a passive scanner never receives.
    case response
  }

  package enum Start: String, Codable, Hashable, Sendable, CaseIterable {
    /// The phone, which advertises already, comes into the range of a scanner that scans already.
    case arrival
    /// The scanner starts to scan, in the range of a phone that advertises already.
    case scanStart = "scan"
  }

  /// A scan that ends and starts again, as BlueZ's discovery does.
  package struct Pauses: Codable, Hashable, Sendable {
    /// How long the scanner scans; each scan starts with channel 37.
    package var scan: Int
    /// How long it does not scan then; zero for a scan that starts again at once.
    package var pause: Int

    package init(scan: Int, pause: Int) { (self.scan, self.pause) = (scan, pause) }
  }

  /// The advertising interval.
  package var interval: Int
  /// The scanner changes the channel after each scan interval.
  package var scanInterval: Int
  /// The part of the scan interval, from its start, in which the scanner receives.
  package var window: Int
  /// The maximum of the random delay that is added to each advertising interval, uniform from zero.
  package var delay = 10_000
  package var match = Match.advertisement
  package var start = Start.arrival
  /// The probability that a packet is lost, in millionths.
  package var loss = 0
  /// The data of the advertisement, in bytes.
  package var data = 31
  /// The data of the scan response, in bytes.
  package var response = 31
  /// The time from the start of a packet of an advertising event to the start of the next packet.
  package var spacing = AirTime.spacing
  /// Whether the scanner requests scan responses.
  package var isActive = true
  /// Whether the scanner asks less often after requests that failed (Core Specification, Vol 6, Part B, 4.4.3.2).
  package var hasBackoff = false
  /// A phone that is not found by then is not found.
  package var within = 3_600_000_000
  /// Nil for a scan without an end.
  package var pauses: Pauses?

  package init(interval: Int, scanInterval: Int, window: Int) {
    (self.interval, self.scanInterval, self.window) = (interval, scanInterval, window)
  }

  /// The limits of the times of a setting, in microseconds; those of scans as with extended advertising (Core
  /// Specification, Vol 4, Part E, 7.8.64).
  package enum Limits {
    package static let interval = 20_000...10_240_000
    package static let scan = 2500...40_960_000
    package static let within = 1000...86_400_000_000
    /// From the length of the longest packet on.
    package static let spacing = AirTime.advertisement(31)...10_000
  }

  /// The reason that there is no such phone or scanner, a sentence; nil where there is none.
  package var fault: String? {
    func text(_ time: Int) -> String { "\(Double(time) / 1000) ms" }
    func outside(_ what: String, _ time: Int, _ limits: ClosedRange<Int>) -> String? {
      limits.contains(time)
        ? nil : "\(what) of \(text(time)) is not from \(text(limits.lowerBound)) to \(text(limits.upperBound))."
    }
    if window > scanInterval {
      return "A window of \(text(window)) is longer than its scan interval of \(text(scanInterval))."
    }
    return outside("An advertising interval", interval, Limits.interval) ?? outside("A window", window, Limits.scan)
      ?? outside("A scan interval", scanInterval, Limits.scan) ?? outside("A time limit", within, Limits.within)
  }

  /// A text of all values, which differs where settings differ. The random numbers of a trial depend on this text.
  package var key: String {
    var values = [interval, scanInterval, window, delay].map(String.init)
    values += [match.rawValue, start.rawValue]
    values += [loss, data, response, spacing, isActive ? 1 : 0, hasBackoff ? 1 : 0, within].map(String.init)
    if let pauses { values += ["\(pauses.scan)", "\(pauses.pause)"] }
    return values.joined(separator: "|")
  }

  /// The seed of all trials of the setting in a run with that seed.
  package func seed(_ seed: UInt64) -> UInt64 { SplitMix64.mixed(seed ^ Self.hash(key)) }

  /// FNV-1a, whose values are the same in all programs.
  private static func hash(_ text: String) -> UInt64 {
    text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }

  /// The time from the start of an advertisement to the end of its scan response.
  package var exchange: Int {
    AirTime.advertisement(data) + AirTime.interframeSpace + AirTime.scanRequest + AirTime.interframeSpace
      + AirTime.advertisement(response)
  }
}
