import BleperaRules

/// A phone's packets with one kind of content, which belong to one advertising set.
struct AirSet: Sendable {
  var gaps = Gaps()
  private var addresses: Set<UInt64> = []
  /// How long the set was sent without a break, each time.
  private var bursts = Times()
  private var burst: (start: Int64, end: Int64)?

  mutating func add(_ address: UInt64, at time: Int64) {
    addresses.insert(address)
    if let burst, (0...Self.longestPause).contains(time - burst.end) {
      self.burst?.end = time
    } else {
      endBurst()
      burst = (time, time)
    }
  }

  /// The longest pause in nanoseconds: a set is off if nothing is received for the longest interval.
  private static let longestPause = Int64(Gaps.longest) * 1_000_000

  private mutating func endBurst() {
    if let burst { bursts.add(burst.end - burst.start) }
    burst = nil
  }

  /// `own, 270 ms, 2 addresses, for 61000 ms, 60000 to 64000`
  ///
  /// - Parameter isOfDaemon: whether bluetoothd reported the packets, whose times say nothing.
  func observation(_ kind: PhoneContent.Kind, _ estimate: Gaps.Estimate?, isOfDaemon: Bool) -> Observation {
    var whole = self
    whole.endBurst()
    var parts = ["\(kind)", "\(addresses.count) \(addresses.count == 1 ? "address" : "addresses")"]
    if case .interval(let interval)? = estimate { parts.insert("\(RuleContent.text(interval.milliseconds)) ms", at: 1) }
    if !isOfDaemon { parts.append("for \(whole.bursts.text)") }
    return Observation("set", parts.joined(separator: ", "), whole.bursts.count)
  }
}
