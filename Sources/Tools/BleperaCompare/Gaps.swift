/// The gaps between advertisements of one kind on one channel, and the interval that they show.
package struct Gaps: Hashable, Sendable {
  /// The number of gaps of each length, in hundredths of a millisecond.
  package private(set) var counts: [Int: Int] = [:]
  package private(set) var total = 0

  /// Gaps above this are breaks, in milliseconds: the longest interval of a legacy advertisement and its delay.
  static let longest = 10_250.0
  /// The shortest interval of an advertisement, in milliseconds.
  private static let shortest = 20.0
  private static let unitsOfMillisecond = 100.0

  package init() {}

  /// - Parameter gap: the length in nanoseconds.
  package mutating func add(_ gap: Int64) {
    let gap = Double(gap) / 1e6
    guard gap > 0, gap <= Self.longest else { return }
    counts[Int((gap * Self.unitsOfMillisecond).rounded()), default: 0] += 1
    total += 1
  }

  /// - Parameter resolution: the resolution of the capture's clock, in milliseconds.
  package func estimate(resolution: Double = 0.01) -> Estimate {
    guard total >= Self.fewest else { return .tooFew(total) }
    let gaps = counts.map { (value: Double($0.key) / Self.unitsOfMillisecond, count: $0.value) }.sorted {
      $0.value < $1.value
    }
    let slack = Self.longestDelay + 2 * resolution
    guard let single = Self.densest(gaps, width: slack), single.count * 5 >= total,
      single.first >= Self.shortest - resolution - Self.drift
    else { return .unfit(total) }
    // A packet that is missed makes a gap longer, and nothing makes it shorter.
    let shorter = gaps.prefix { $0.value < single.first - slack }.reduce(0) { $0 + $1.count }
    let stray = gaps.reduce(0) { sum, gap in
      let periods = (gap.value / (single.first + slack)).rounded(.up)
      return sum + (gap.value < periods * (single.first - 2 * resolution - Self.drift) ? gap.count : 0)
    }
    guard shorter * 20 <= total, stray * 5 <= total else { return .unfit(total) }
    let inside = gaps.filter { $0.value >= single.first - slack / 4 && $0.value <= single.first + slack }
    return .interval(
      resolution <= Self.finest
        ? Self.inSteps(inside) ?? Self.spread(inside, resolution) : Self.spread(inside, resolution))
  }

  private typealias Weighted = [(value: Double, count: Int)]

  /// The fewest gaps that show an interval.
  private static let fewest = 8
  /// The longest random delay of the specification (advDelay), in milliseconds.
  private static let longestDelay = 10.0
  /// The most that the clocks of sniffer and phone differ within a gap, in milliseconds.
  private static let drift = 0.5
  /// The coarsest clock that shows the steps of a delay, in milliseconds.
  private static let finest = 0.1
  /// The steps of a delay that are looked for, in milliseconds.
  private static let steps = [5, 2.5, 2, 1.25, 1, 0.625]

  /// The first gap of the window with the most gaps, and their number.
  private static func densest(_ gaps: Weighted, width: Double) -> (first: Double, count: Int)? {
    var (best, sum, low) = ((first: 0.0, count: 0), 0, 0)
    for gap in gaps {
      sum += gap.count
      while gaps[low].value < gap.value - width {
        sum -= gaps[low].count
        low += 1
      }
      if sum > best.count { best = (gaps[low].value, sum) }
    }
    return best.count > 0 ? best : nil
  }

  /// The estimate for a delay in steps; nil if fewer than 9 of 10 gaps are on the steps.
  private static func inSteps(_ gaps: Weighted) -> Interval? {
    let total = gaps.reduce(0) { $0 + $1.count }
    guard let mode = gaps.max(by: { $0.count < $1.count })?.value else { return nil }
    for step in steps {
      var levels: [Int: (count: Int, sum: Double)] = [:]
      for gap in gaps {
        let level = ((gap.value - mode) / step).rounded()
        guard abs(gap.value - mode - level * step) <= step / 8 else { continue }
        levels[Int(level), default: (0, 0)].count += gap.count
        levels[Int(level), default: (0, 0)].sum += gap.value * Double(gap.count)
      }
      let common = levels.filter { $0.value.count * 40 >= total }
      guard common.count > 1, levels.values.reduce(0, { $0 + $1.count }) * 10 >= total * 9,
        let low = common.keys.min(), let high = common.keys.max(), let lowest = common[low]
      else { continue }
      let value = lowest.sum / Double(lowest.count)
      return Interval(
        milliseconds: Interval.inUnits(value, error: 0.1), error: 0.1, delay: Double(high - low) * step, step: step,
        gaps: total)
    }
    return nil
  }

  /// The estimate for a delay without steps. Gaps near the ends give the range, since stray gaps are outermost.
  private static func spread(_ gaps: Weighted, _ resolution: Double) -> Interval {
    let total = gaps.reduce(0) { $0 + $1.count }
    let rank = max(1, (Double(total) * 0.02).rounded(.up))
    func ranked(_ gaps: some Sequence<(value: Double, count: Int)>) -> Double {
      var left = rank
      return gaps.first { gap in
        left -= Double(gap.count)
        return left <= 0
      }?.value ?? 0
    }
    let (low, high) = (ranked(gaps), ranked(gaps.reversed()))
    // A gap of this rank is expected that share of the range above its start.
    let share = rank / Double(total + 1)
    let delay = (high - low) / max(0.5, 1 - 2 * share)
    let value = low - share * delay
    // Three standard deviations; a file with three channels has three gaps for each advertising event.
    let error = resolution + 0.02 + 5.2 * delay * rank.squareRoot() / Double(total + 1)
    return Interval(
      milliseconds: Interval.inUnits(value, error: error), error: error,
      delay: delay > 2 * resolution + 0.1 ? min(delay, longestDelay) : 0, step: nil, gaps: total)
  }
}

extension Gaps {
  package enum Estimate: Hashable, Sendable {
    case interval(Interval)
    /// The clock fits no interval, or several sets are mixed.
    case unfit(Int)
    case tooFew(Int)
  }

  package struct Interval: Hashable, Sendable {
    /// The interval without the random delay.
    package var milliseconds: Double
    package var error: Double
    /// The longest random delay, in milliseconds.
    package var delay: Double
    /// The step of the delay in milliseconds; nil for a delay without steps, and for a clock that does not show them.
    package var step: Double?
    /// The number of gaps without a missed packet.
    package var gaps: Int

    /// The multiple of 0.625 ms within the error, since intervals are such multiples; otherwise the value itself.
    static func inUnits(_ value: Double, error: Double) -> Double {
      let near = (value / 0.625).rounded() * 0.625
      return error < 0.625 && abs(near - value) <= error ? near : (value * 100).rounded() / 100
    }
  }
}
