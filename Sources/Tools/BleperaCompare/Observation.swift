/// A fact that a capture shows of a phone and for which no rule has a value.
package struct Observation: Hashable, Encodable, Sendable {
  package let name: String
  package let text: String
  /// How often the fact was observed.
  package let count: Int
  /// The number of all cases in which it could be observed; nil if such a number has no meaning.
  package let total: Int?

  init(_ name: String, _ text: String, _ count: Int, of total: Int? = nil) {
    (self.name, self.text, self.count, self.total) = (name, text, count, total)
  }
}

extension Tally {
  /// The text of each value, the most frequent first.
  func observations(_ name: String, text: (Value) -> String) -> [Observation] {
    counts.map { (text: text($0.key), count: $0.value) }
      .sorted { ($1.count, $0.text) < ($0.count, $1.text) }
      .map { Observation(name, $0.text, $0.count, of: total) }
  }
}

extension Tally<String> {
  func observations(_ name: String) -> [Observation] { observations(name) { $0 } }
}

/// Durations in milliseconds, summarized by their median and range.
struct Times: Hashable, Sendable {
  private var all: [Int] = []

  /// Ignores a negative time: the clock was set back.
  mutating func add(_ nanoseconds: Int64) { if nanoseconds >= 0 { all.append(Int(nanoseconds / 1_000_000)) } }

  var count: Int { all.count }

  /// `16 ms, 5 to 117`: the median and the range.
  var text: String {
    let sorted = all.sorted()
    guard let first = sorted.first, let last = sorted.last else { return "" }
    return "\(sorted[sorted.count / 2]) ms" + (first == last ? "" : ", \(first) to \(last)")
  }
}
