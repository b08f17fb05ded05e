/// The times of trials as counts, which can be added: the order and the division of trials do not change them.
package struct DiscoveryCounts: Hashable, Sendable {
  /// How many trials were found in each millisecond.
  package private(set) var times: [Int: Int] = [:]
  package private(set) var notFound = 0
  /// The number of trials that were found.
  package private(set) var found = 0
  /// The sum of the times of trials that were found, in microseconds.
  package private(set) var sum = 0

  package init() {}

  /// Creates the counts of another run.
  ///
  /// - Returns: nil for negative counts, for counts that do not fit, and for a sum that the times cannot have.
  package init?(times: [(milliseconds: Int, count: Int)], notFound: Int, sum: Int) {
    var (found, least) = (0, 0)
    for (milliseconds, count) in times {
      let (product, isTooLarge) = milliseconds.multipliedReportingOverflow(by: 1000)
      let (part, isPartTooLarge) = product.multipliedReportingOverflow(by: count)
      let (total, isTotalTooLarge) = least.addingReportingOverflow(part)
      let (number, isNumberTooLarge) = found.addingReportingOverflow(count)
      guard milliseconds >= 0, count > 0, self.times.updateValue(count, forKey: milliseconds) == nil,
        !isTooLarge, !isPartTooLarge, !isTotalTooLarge, !isNumberTooLarge
      else { return nil }
      (found, least) = (number, total)
    }
    guard notFound >= 0, !found.addingReportingOverflow(notFound).overflow, sum >= least,
      (sum - least) / 1000 <= found, found > 0 || sum == 0
    else { return nil }
    (self.notFound, self.found, self.sum) = (notFound, found, sum)
  }

  /// - Parameter time: in microseconds; nil for a phone that was not found.
  package mutating func add(_ time: Int?) {
    guard let time else { return notFound += 1 }
    times[time / 1000, default: 0] += 1
    found += 1
    sum += time
  }

  package static func += (counts: inout DiscoveryCounts, other: DiscoveryCounts) {
    counts.times.merge(other.times) { $0 + $1 }
    counts.notFound += other.notFound
    counts.found += other.found
    counts.sum += other.sum
  }

  package var trials: Int { found + notFound }

  /// The share of trials in which the phone was not found; nil without a trial.
  package var shareNotFound: Double? { trials == 0 ? nil : Double(notFound) / Double(trials) }

  /// The mean of those found, in seconds; nil if none was found.
  package var mean: Double? { found == 0 ? nil : Double(sum) / Double(found) / 1_000_000 }

  /// The nearest-rank percentiles, in seconds, with three decimals; nil for a percentile that falls on a phone that was
  /// not found.
  package func percentiles(_ percents: [Int]) -> [Double?] {
    let sorted = times.sorted { $0.key < $1.key }
    return percents.map { percent in
      let rank = (percent * trials + 99) / 100
      guard rank > 0, rank <= found else { return nil }
      var before = 0
      for (milliseconds, count) in sorted {
        before += count
        if before >= rank { return Double(milliseconds) / 1000 }
      }
      return nil
    }
  }
}
