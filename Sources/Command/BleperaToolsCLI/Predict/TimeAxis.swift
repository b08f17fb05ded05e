import BleperaDiscovery
import Glibc

/// The logarithmic axis of curves of found phones.
struct TimeAxis {
  /// The first and the last time, in milliseconds.
  private let (first, last): (Double, Double)
  private let (left, right): (Double, Double)

  /// The times that an axis can show, in milliseconds.
  private static let names: [(time: Int, name: String)] = [
    (1, "1 ms"), (3, "3 ms"), (10, "10 ms"), (30, "30 ms"), (100, "0.1 s"), (300, "0.3 s"), (1000, "1 s"),
    (3000, "3 s"), (10_000, "10 s"), (30_000, "30 s"), (120_000, "2 min"), (600_000, "10 min"), (3_600_000, "1 h"),
    (21_600_000, "6 h"), (86_400_000, "1 day"),
  ]

  /// Creates the axis from where the first curve has 5 % to where all phones are found, or to the end of the trials.
  ///
  /// - Parameters:
  ///   - within: the end of the trials, in microseconds.
  ///   - left: the place of the first time in the picture.
  ///   - right: the place of the last time.
  init(_ counts: [DiscoveryCounts], within: Int, from left: Double, to right: Double) {
    let start = counts.compactMap { $0.percentiles([5])[0] }.min().map { Int(($0 * 1000).rounded()) } ?? 1
    let end = max(within / 1000, 2)
    let longest = counts.compactMap { $0.times.keys.max() }.max()
    let isWhole = counts.allSatisfy { $0.found == $0.trials }
    let last = min(end, isWhole ? (longest ?? end) + 1 : end)
    first = Double(Self.names.last { $0.time <= start && 2 * $0.time <= last }?.time ?? 1)
    self.last = max(Double(last), 2 * first)
    (self.left, self.right) = (left, right)
  }

  /// The place of a time; earlier and later times are at the ends.
  func x(_ milliseconds: Int) -> Double {
    let time = min(max(Double(milliseconds), first), last)
    return left + log(time / first) / log(last / first) * (right - left)
  }

  /// The times to show and their places; powers of ten alone where there is no room for more.
  var ticks: [(x: Double, name: String)] {
    let ticks = Self.names.filter { (first...last).contains(Double($0.time)) }.map { (x: x($0.time), name: $0.name) }
    let isTight = zip(ticks, ticks.dropFirst()).contains { $1.x - $0.x < 110 }
    return isTight ? ticks.filter { !$0.name.contains("3") } : ticks
  }
}
