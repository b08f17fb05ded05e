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

  /// A text of all values, which differs where settings differ. The random numbers of a trial depend on this text.
  package var key: String {
    var values = [interval, scanInterval, window, delay].map(String.init)
    values += [match.rawValue, start.rawValue]
    values += [loss, data, response, spacing, isActive ? 1 : 0, hasBackoff ? 1 : 0, within].map(String.init)
    if let pauses { values += ["\(pauses.scan)", "\(pauses.pause)"] }
    return values.joined(separator: "|")
  }

  /// The time from the start of an advertisement to the end of its scan response.
  package var exchange: Int {
    AirTime.advertisement(data) + AirTime.interframeSpace + AirTime.scanRequest + AirTime.interframeSpace
      + AirTime.advertisement(response)
  }
}
