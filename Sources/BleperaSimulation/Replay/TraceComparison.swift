import BleperaAppLink
import BleperaRecording

/// A place where the replay diverges from the trace.
package struct ReplayDifference: Hashable, Sendable {
  /// The line of the trace.
  package let line: Int
  /// The event of the trace; nil if missing.
  package let expected: TraceEntry?
  /// The corresponding event of the replay; nil if missing.
  package let actual: TraceEntry?
  /// The reason if known: a clause without a period.
  package var note: String?
}

/// Finds the first difference between a trace and its replay.
///
/// Order and content of events are compared, stream by stream; times are not. docs/trace.md lists what is ignored at
/// the edges.
package struct TraceComparison: Sendable {
  private let expected: [TraceEntry]
  package let actual: [TraceEntry]
  /// The periods of characteristics that notify values periodically.
  private let periods: [ValueKey: Duration]
  private let end: Duration
  /// Why inputs could not be played, by line.
  private let notes: [Int: String]

  /// An advertisement that is on the air for a shorter time may be missing.
  private static let shortestAdvertisement = Duration.milliseconds(500)
  /// Events of the replay this shortly before the end of the trace may be missing in the trace.
  private static let lastTraceEntrys = Duration.milliseconds(500)

  package init(
    expected: [TraceEntry], actual: [TraceEntry], periods: [ValueKey: Duration] = [:], end: Duration,
    notes: [Int: String] = [:]
  ) {
    self.expected = expected
    self.actual = actual
    self.periods = periods
    self.end = end
    self.notes = notes
  }

  /// The first difference; nil if none.
  package var firstDifference: ReplayDifference? {
    let (expectedStreams, actualStreams) = (Self.streams(expected), Self.streams(actual))
    var first: ReplayDifference?
    for stream in Set(expectedStreams.keys).union(actualStreams.keys) {
      let (mine, now) = (expectedStreams[stream] ?? [], actualStreams[stream] ?? [])
      let mismatch =
        if case .values(let key) = stream { differenceOfValues(mine, now, key) } else { difference(mine, now, stream) }
      guard let mismatch else { continue }
      let difference = report(mismatch.expected, mismatch.actual)
      // Of several differences at one line, always report the same one.
      let isFirst = first.map { (difference.line, difference.order) < ($0.line, $0.order) } ?? true
      if isFirst { first = difference }
    }
    return first
  }

  typealias Mismatch = (expected: TraceEntry?, actual: TraceEntry?)

  private static func streams(_ entries: [TraceEntry]) -> [EventStream: [TraceEntry]] {
    var streams: [EventStream: [TraceEntry]] = [:]
    for entry in entries { if let stream = EventStream(entry) { streams[stream, default: []].append(entry) } }
    for (stream, list) in streams {
      switch stream {
      // Events before the first `poweredOn` show the state of the machine at the start.
      case .radio: streams[stream] = withoutRepetitions(Array(list.drop { $0.record.event != .poweredOn }))
      case .air, .publishing: streams[stream] = withoutRepetitions(list)
      case .central: streams[stream] = sortingEnds(list)
      case .app, .values: break
      }
    }
    return streams
  }

  /// Removes repeated events, as after a daemon's restart.
  private static func withoutRepetitions(_ entries: [TraceEntry]) -> [TraceEntry] {
    entries.reduce(into: []) { if $0.last?.comparisonKey != $1.comparisonKey { $0.append($1) } }
  }

  /// Sorts the ends of a connection and of its subscriptions, which bluetoothd reports in either order.
  private static func sortingEnds(_ entries: [TraceEntry]) -> [TraceEntry] {
    func isEnd(_ entry: TraceEntry) -> Bool { [.unsubscribed, .disconnected].contains(entry.record.event) }
    func order(_ entry: TraceEntry) -> (Int, String, String) {
      func text(_ key: EventKey) -> String { entry.record.uuid(key).map { "\($0)" } ?? "" }
      return (entry.record.event == .disconnected ? 1 : 0, text(.service), text(.characteristic))
    }
    var result: [TraceEntry] = []
    var ends: [TraceEntry] = []
    for entry in entries {
      if isEnd(entry) {
        ends.append(entry)
      } else {
        result += ends.sorted { order($0) < order($1) }
        ends = []
        result.append(entry)
      }
    }
    return result + ends.sorted { order($0) < order($1) }
  }

  private func difference(_ mine: [TraceEntry], _ now: [TraceEntry], _ stream: EventStream) -> Mismatch? {
    var (i, j) = (0, 0)
    while i < mine.count, j < now.count {
      if mine[i].matches(now[j]) {
        (i, j) = (i + 1, j + 1)
      } else if let next = nextMatch(now, j, stream, { mine[i].matches($0) }) {
        j = next
      } else if let next = nextMatch(mine, i, stream, { $0.matches(now[j]) }) {
        i = next
      } else {
        return (mine[i], now[j])
      }
    }
    if let missing = mine[i...].first(where: { $0.time <= end }) { return (missing, nil) }
    return now[j...].first { $0.time < end - Self.lastTraceEntrys }.map { (nil, $0) }
  }

  /// The index of the next match after entries that may be absent.
  private func nextMatch(_ entries: [TraceEntry], _ index: Int, _ stream: EventStream, _ matches: (TraceEntry) -> Bool)
    -> Int?
  {
    var next = index
    while next < entries.count, mayBeAbsent(entries, next, stream) {
      next += 1
      if next < entries.count, matches(entries[next]) { return next }
    }
    return nil
  }

  private func mayBeAbsent(_ entries: [TraceEntry], _ index: Int, _ stream: EventStream) -> Bool {
    switch stream {
    case .air:
      entries.indices.contains(index + 1) && entries[index + 1].time - entries[index].time < Self.shortestAdvertisement
    // A central that was paired before the trace began pairs again when pairing is first required.
    case .central: entries[index].line == nil && entries[index].record.event == .paired
    case .radio, .app, .publishing, .values: false
    }
  }

  private func differenceOfValues(_ mine: [TraceEntry], _ now: [TraceEntry], _ key: ValueKey) -> Mismatch? {
    let (mine, now) = (subscriptions(expected, mine, key), subscriptions(actual, now, key))
    // A different number of subscriptions is found in the stream of a central.
    for index in 0..<max(mine.count, now.count) {
      let (mine, now) = (mine.count > index ? mine[index] : [], now.count > index ? now[index] : [])
      let difference =
        if let period = periods[key] {
          PeriodicValues(period: period, expected: mine, actual: now).difference
        } else {
          Self.differenceOfActions(mine, now, end)
        }
      if let difference { return difference }
    }
    return nil
  }

  /// Compares values that are not periodic one by one.
  private static func differenceOfActions(_ mine: [TraceEntry], _ now: [TraceEntry], _ end: Duration) -> Mismatch? {
    for index in 0..<max(mine.count, now.count) {
      switch (mine.indices.contains(index), now.indices.contains(index)) {
      case (true, true): if !mine[index].matches(now[index]) { return (mine[index], now[index]) }
      case (true, false): return (mine[index], nil)
      default: return now[index].time < end - lastTraceEntrys ? (nil, now[index]) : nil
      }
    }
    return nil
  }

  /// The values of each interval from the first subscription to the end of the last.
  private func subscriptions(_ all: [TraceEntry], _ values: [TraceEntry], _ key: ValueKey) -> [[TraceEntry]] {
    var result: [[TraceEntry]] = []
    var subscribers: Set<String> = []
    for entry in all where entry.record.uuid(.characteristic) == key.characteristic && ValueKey(entry) == key {
      switch entry.record.event {
      case .subscribed:
        if subscribers.isEmpty { result.append([]) }
        subscribers.insert(entry.record.text(.central) ?? "")
      case .unsubscribed: subscribers.remove(entry.record.text(.central) ?? "")
      case .notified:
        if result.isEmpty { result.append([]) }
        result[result.count - 1].append(entry)
      default: break
      }
    }
    return result
  }

  private func report(_ mine: TraceEntry?, _ now: TraceEntry?) -> ReplayDifference {
    let line = mine?.line ?? now.flatMap { now in expected.last { $0.time <= now.time }?.line } ?? expected.first?.line
    return ReplayDifference(
      line: line ?? 1, expected: mine, actual: now, note: mine?.line.flatMap { notes[$0] })
  }
}

extension ReplayDifference {
  fileprivate var order: String { (expected ?? actual)?.record.json ?? "" }
}
