/// How often, or for how long, each of some values was there.
struct Tally<Value: Hashable & Sendable>: Hashable, Sendable {
  private(set) var counts: [Value: Int] = [:]
  private(set) var total = 0

  /// A phone has fewer different values; the total alone counts further ones. Ours.
  private static var most: Int { 1000 }

  init() {}

  mutating func add(_ value: Value, _ count: Int = 1) {
    total += count
    if counts.count < Self.most || counts[value] != nil { counts[value, default: 0] += count }
  }

  /// The most frequent value and its count.
  var most: (value: Value, count: Int)? { most { _ in true } }

  func most(where condition: (Value) -> Bool) -> (value: Value, count: Int)? {
    counts.filter { condition($0.key) }.max { ($0.value, "\($1.key)") < ($1.value, "\($0.key)") }
      .map { ($0.key, $0.value) }
  }
}
