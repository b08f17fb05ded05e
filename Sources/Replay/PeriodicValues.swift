/// Values that a characteristic sends by itself from time to time: which of them comes first or last, and which ones a
/// busy machine leaves out, is a matter of milliseconds.
struct PeriodicValues {
  let period: Duration
  let expected: [Moment]
  let actual: [Moment]

  /// Nil where they are the same but for one at each end, at both sides of a pause, and those that were left out.
  var difference: TraceComparison.Mismatch? {
    if expected.count > 1, actual.isEmpty { return (expected[0], nil) }
    var (i, j) = (0, 0)
    // How many may yet be passed over.
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

  /// Whether it goes on there.
  private func next(_ i: Int, _ j: Int) -> Bool {
    guard actual.indices.contains(j) else { return expected.count - i <= 1 }
    guard expected.indices.contains(i) else { return actual.count - j <= 1 + missed }
    return expected[i].matches(actual[j])
  }

  /// Whether it is the first or the last, of all or before or after a pause.
  private func isEdge(_ moments: [Moment], _ index: Int) -> Bool {
    index == 0 || index == moments.count - 1 || isPause(moments, before: index) || isPause(moments, before: index + 1)
  }

  /// Whether the trace's machine has let some pass.
  private func isLate(_ index: Int) -> Bool { isPause(expected, before: index) }

  private func isPause(_ moments: [Moment], before index: Int) -> Bool {
    guard index > 0, index < moments.count else { return false }
    return (moments[index].time - moments[index - 1].time) * 2 > period * 3
  }

  /// How many the trace may have left out.
  private var missed: Int {
    expected.indices.dropFirst().filter { isPause(expected, before: $0) }
      .map { min(Self.longestGap, Int((expected[$0].time - expected[$0 - 1].time) / period)) }.reduce(0, +)
  }

  /// The most that one pause is taken to have left out; a longer one is that of a suspended app.
  private static let longestGap = 3
}
