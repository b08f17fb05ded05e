/// The advertising intervals near a setting's interval with which discovery takes far longer, as each event falls into
/// the same part of the scan interval.
package struct IntervalTraps: Hashable, Sendable {
  /// Neighboring intervals that are all traps.
  package struct Trap: Hashable, Sendable {
    /// In microseconds.
    package let intervals: ClosedRange<Int>
    /// The longest mean, in seconds.
    package let mean: Double
  }

  /// The mean of the setting, in seconds.
  package let mean: Double
  package let traps: [Trap]
  /// The interval near the setting's with the shortest mean; nil unless the setting is a trap itself.
  package let better: Trap?

  /// The share of the interval in which traps are looked for, on either side.
  package static let reach = 0.05
  /// The mean of a trap, as a multiple of the setting's mean.
  package static let factor = 1.5

  /// A trial that ends without discovery counts as its time limit, since the mean of those found would be too short.
  package init(near setting: DiscoverySetting, seed: UInt64) {
    func mean(at interval: Int, trials: Int) -> Double {
      var setting = setting
      setting.interval = interval
      let counts = DiscoveryModel(setting, seed: seed).counts(of: 0..<trials)
      return (Double(counts.sum) + Double(counts.notFound) * Double(setting.within)) / Double(trials) / 1_000_000
    }
    let usual = mean(at: setting.interval, trials: 2000)
    self.mean = usual
    // 1.25 ms, or more for long intervals, so that at most about 300 intervals are tried.
    let step = 1250 * max(1, setting.interval / 4_000_000)
    let steps = Int(Double(setting.interval) * Self.reach) / step
    // The deviation of a mean of 400 trials is about 5 %.
    let means = (-steps...steps).filter { $0 != 0 }.map { number in
      let interval = setting.interval + number * step
      return (interval: interval, mean: mean(at: interval, trials: 400))
    }
    var traps: [Trap] = []
    for one in means where one.mean >= Self.factor * usual {
      if let last = traps.last, one.interval - last.intervals.upperBound <= step {
        traps[traps.count - 1] = Trap(
          intervals: last.intervals.lowerBound...one.interval, mean: max(last.mean, one.mean))
      } else {
        traps.append(Trap(intervals: one.interval...one.interval, mean: one.mean))
      }
    }
    self.traps = traps
    better = means.min { $0.mean < $1.mean }.flatMap { best in
      usual >= Self.factor * best.mean
        ? Trap(intervals: best.interval...best.interval, mean: best.mean) : nil
    }
  }
}
