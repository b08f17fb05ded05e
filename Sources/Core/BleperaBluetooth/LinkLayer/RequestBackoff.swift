/// How often an active scanner sends requests (Core Specification, Vol 6, Part B, 4.4.3.2): two failures in a row halve
/// the frequency, two successes in a row double it.
package struct RequestBackoff: Hashable, Sendable {
  private var limit = 1
  /// The next request is sent at the advertisement with this number.
  private var count = 1
  private var failures = 0
  private var successes = 0

  private static let longest = 256

  package init() {}

  /// Returns whether the scanner sends a request for this advertisement.
  package mutating func asks() -> Bool {
    count -= 1
    return count <= 0
  }

  /// - Parameter below: draws a number from zero to its argument - 1.
  package mutating func failed(_ below: (Int) -> Int) {
    (failures, successes) = (failures + 1, 0)
    if failures == 2 { (limit, failures) = (min(Self.longest, limit * 2), 0) }
    count = 1 + below(limit)
  }

  /// - Parameter below: draws a number from zero to its argument - 1.
  package mutating func succeeded(_ below: (Int) -> Int) {
    (failures, successes) = (0, successes + 1)
    if successes == 2 { (limit, successes) = (max(1, limit / 2), 0) }
    count = 1 + below(limit)
  }
}
