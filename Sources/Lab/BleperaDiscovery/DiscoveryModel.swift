import BleperaBluetooth

/// The fast model: one phone and one scanner, without collisions.
///
/// A trial is a function of the seed, the setting and the number of the trial, so that any machine can compute any
/// trial.
package struct DiscoveryModel: Sendable {
  private let setting: DiscoverySetting
  /// The seed of all trials of the setting.
  private let seed: UInt64
  /// The times on the air of the advertisement and of the whole exchange, in microseconds.
  private let (advertisement, exchange): (Int, Int)

  package init(_ setting: DiscoverySetting, seed: UInt64) {
    self.setting = setting
    self.seed = setting.seed(seed)
    (advertisement, exchange) = (AirTime.advertisement(setting.data), setting.exchange)
  }

  /// The times of those trials.
  package func counts(of trials: Range<Int>) -> DiscoveryCounts {
    var counts = DiscoveryCounts()
    for trial in trials { counts.add(time(ofTrial: trial)) }
    return counts
  }

  /// The time until the phone is found, in microseconds; nil for a phone that is not found in time.
  package func time(ofTrial trial: Int) -> Int? { time(ofTrial: trial, isFromFirstPacket: false) }

  /// The time from the start of the first packet, as some publications have it.
  package func time(fromFirstPacketOfTrial trial: Int) -> Int? { time(ofTrial: trial, isFromFirstPacket: true) }

  private func time(ofTrial trial: Int, isFromFirstPacket: Bool) -> Int? {
    let (interval, scanInterval, window, spacing) =
      (setting.interval, setting.scanInterval, setting.window, setting.spacing)
    let needsResponse = setting.match == .response
    guard !needsResponse || setting.isActive else { return nil }
    var draws = Draws(seed: SplitMix64.mixed(seed ^ UInt64(truncatingIfNeeded: trial)))
    let period = setting.pauses.map { $0.scan + $0.pause } ?? 3 * scanInterval
    let phase = setting.start == .arrival ? draws.below(period) : 0
    var start = isFromFirstPacket ? 0 : draws.below(interval + draws.below(setting.delay + 1))
    var backoff = RequestBackoff()
    while start <= setting.within {
      // In a setting with pauses, time runs from the start of the present scan.
      let elapsed = setting.pauses == nil ? start + phase : (start + phase) % period
      let end = setting.pauses?.scan ?? .max
      var (index, place) = elapsed.quotientAndRemainder(dividingBy: scanInterval)
      for channel in 0..<3 {
        if channel > 0 { place += spacing }
        while place >= scanInterval { (index, place) = (index + 1, place - scanInterval) }
        guard place + advertisement <= window, index % 3 == channel,
          elapsed + channel * spacing + advertisement <= end, isReceived(&draws)
        else { continue }
        let sent = start + channel * spacing
        guard needsResponse else { return inTime(sent + advertisement) }
        if setting.hasBackoff, !backoff.asks() { continue }
        if isReceived(&draws), isReceived(&draws), place + exchange <= window,
          elapsed + channel * spacing + exchange <= end
        {
          return inTime(sent + exchange)
        }
        if setting.hasBackoff { backoff.failed { draws.below($0) } }
      }
      start += interval + draws.below(setting.delay + 1)
    }
    return nil
  }

  private func isReceived(_ draws: inout Draws) -> Bool {
    setting.loss == 0 || draws.below(1_000_000) >= setting.loss
  }

  private func inTime(_ time: Int) -> Int? { time <= setting.within ? time : nil }
}

private struct Draws {
  private var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  /// A uniform number from zero to `limit` - 1.
  mutating func below(_ limit: Int) -> Int {
    Int(truncatingIfNeeded: random.next().multipliedFullWidth(by: UInt64(truncatingIfNeeded: limit)).high)
  }
}
