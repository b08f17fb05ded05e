/// Values that a characteristic notifies periodically. Milliseconds decide which value is the first or the last, and
/// which values a busy machine skips.
struct PeriodicValues {
  let period: Duration
  let expected: [TraceEntry]
  let actual: [TraceEntry]

  /// Nil if equal except for skipped values and for one value at each end and on both sides of a pause.
  var difference: TraceComparison.Mismatch? {
    if expected.count > 1, actual.isEmpty { return (expected[0], nil) }
    var (i, j) = (0, 0)
    // The number of values of the replay that may still be skipped.
    var slack = 1 + missed
    while i < expected.count, j < actual.count {
      if expected[i].matches(actual[j]) {
        (i, j) = (i + 1, j + 1)
      } else if slack > 0, isEdge(actual, j), next(i, j + 1) {
        j += 1
      } else if isEdge(expected, i), next(i + 1, j) {
        i += 1
      } else if slack > 0, isLate(i), let skipped = (j..<min(actual.count, j + slack + 1)).first(where: { next(i, $0) })
      {
        slack -= skipped - j
        j = skipped
      } else {
        return (expected[i], actual[j])
      }
    }
    if expected.count - i > 1 { return (expected[i], nil) }
    return actual.count - j > 1 + missed ? (nil, actual[j]) : nil
  }

  /// Whether the values at these indices match.
  private func next(_ i: Int, _ j: Int) -> Bool {
    guard actual.indices.contains(j) else { return expected.count - i <= 1 }
    guard expected.indices.contains(i) else { return actual.count - j <= 1 + missed }
    return expected[i].matches(actual[j])
  }

  /// Whether the value is at an end of the list or next to a pause.
  private func isEdge(_ entries: [TraceEntry], _ index: Int) -> Bool {
    index == 0 || index == entries.count - 1 || isPause(entries, before: index) || isPause(entries, before: index + 1)
  }

  /// Whether the trace may lack values before the value.
  private func isLate(_ index: Int) -> Bool { isPause(expected, before: index) }

  private func isPause(_ entries: [TraceEntry], before index: Int) -> Bool {
    guard index > 0, index < entries.count else { return false }
    return (entries[index].time - entries[index - 1].time) * 2 > period * 3
  }

  /// The number of values that the trace may lack.
  private var missed: Int {
    expected.indices.dropFirst().filter { isPause(expected, before: $0) }
      .map { min(Self.longestGap, Int((expected[$0].time - expected[$0 - 1].time) / period)) }.reduce(0, +)
  }

  /// The maximum number of values that one pause may lack; an app is suspended during a longer pause.
  private static let longestGap = 3
}
