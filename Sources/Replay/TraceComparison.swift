import EventTrace

/// Looks for the first difference between a trace and what happens when it is played again.
///
/// Compared are order and content, lane by lane; times are not. What is left out at the edges is said in docs/trace.md.
package struct TraceComparison: Sendable {
  private let expected: [Moment]
  package let actual: [Moment]
  /// How often a characteristic sends a value by itself.
  private let periods: [ValueKey: Duration]
  private let end: Duration
  /// By line, why an input could not be played.
  private let notes: [Int: String]

  /// What is on the air for a shorter time may not be seen.
  private static let blink = Duration.milliseconds(500)
  /// What happens now so shortly before the end of the trace may have been cut off there.
  private static let lastMoments = Duration.milliseconds(500)

  package init(
    expected: [Moment], actual: [Moment], periods: [ValueKey: Duration] = [:], end: Duration, notes: [Int: String] = [:]
  ) {
    self.expected = expected
    self.actual = actual
    self.periods = periods
    self.end = end
    self.notes = notes
  }

  /// Nil where there is none.
  package var firstDifference: ReplayDifference? {
    let (expectedLanes, actualLanes) = (Self.lanes(expected), Self.lanes(actual))
    var first: ReplayDifference?
    for lane in Set(expectedLanes.keys).union(actualLanes.keys) {
      let (mine, now) = (expectedLanes[lane] ?? [], actualLanes[lane] ?? [])
      let mismatch =
        if case .values(let key) = lane { differenceOfValues(mine, now, key) } else { difference(mine, now, lane) }
      guard let mismatch else { continue }
      let difference = report(mismatch.expected, mismatch.actual)
      // Of several at one line the same one is named every time.
      let isFirst = first.map { (difference.line, difference.order) < ($0.line, $0.order) } ?? true
      if isFirst { first = difference }
    }
    return first
  }

  typealias Mismatch = (expected: Moment?, actual: Moment?)

  private static func lanes(_ moments: [Moment]) -> [Lane: [Moment]] {
    var lanes: [Lane: [Moment]] = [:]
    for moment in moments { if let lane = Lane(moment) { lanes[lane, default: []].append(moment) } }
    for (lane, list) in lanes {
      switch lane {
      // What stands before the first word of a radio that is on is how the machine was found.
      case .radio: lanes[lane] = unrepeated(Array(list.drop { $0.record.event != "poweredOn" }))
      case .air, .publishing: lanes[lane] = unrepeated(list)
      case .central: lanes[lane] = withEndsInOrder(list)
      case .app, .values: break
      }
    }
    return lanes
  }

  /// What is told again, as after a daemon's restart, is no news.
  private static func unrepeated(_ moments: [Moment]) -> [Moment] {
    moments.reduce(into: []) { if $0.last?.essence != $1.essence { $0.append($1) } }
  }

  /// bluetoothd tells the end of a connection and of its subscriptions in one order or the other.
  private static func withEndsInOrder(_ moments: [Moment]) -> [Moment] {
    func isEnd(_ moment: Moment) -> Bool { ["unsubscribed", "disconnected"].contains(moment.record.event) }
    func order(_ moment: Moment) -> (Int, String, String) {
      (
        moment.record.event == "disconnected" ? 1 : 0, moment.record.service ?? "", moment.record.characteristic ?? ""
      )
    }
    var result: [Moment] = []
    var ends: [Moment] = []
    for moment in moments {
      if isEnd(moment) {
        ends.append(moment)
      } else {
        result += ends.sorted { order($0) < order($1) }
        ends = []
        result.append(moment)
      }
    }
    return result + ends.sorted { order($0) < order($1) }
  }

  private func difference(_ mine: [Moment], _ now: [Moment], _ lane: Lane) -> Mismatch? {
    var (i, j) = (0, 0)
    while i < mine.count, j < now.count {
      if mine[i].matches(now[j]) {
        (i, j) = (i + 1, j + 1)
      } else if let next = goesOn(now, j, lane, { mine[i].matches($0) }) {
        j = next
      } else if let next = goesOn(mine, i, lane, { $0.matches(now[j]) }) {
        i = next
      } else {
        return (mine[i], now[j])
      }
    }
    if let missing = mine[i...].first(where: { $0.time <= end }) { return (missing, nil) }
    return now[j...].first { $0.time < end - Self.lastMoments }.map { (nil, $0) }
  }

  /// Where it goes on after what can be missed.
  private func goesOn(_ moments: [Moment], _ index: Int, _ lane: Lane, _ matches: (Moment) -> Bool) -> Int? {
    var next = index
    while next < moments.count, canMiss(moments, next, lane) {
      next += 1
      if next < moments.count, matches(moments[next]) { return next }
    }
    return nil
  }

  private func canMiss(_ moments: [Moment], _ index: Int, _ lane: Lane) -> Bool {
    switch lane {
    case .air: moments.indices.contains(index + 1) && moments[index + 1].time - moments[index].time < Self.blink
    // A central that was paired before the trace was begun is paired where it first needs it.
    case .central: moments[index].line == nil && moments[index].record.event == "paired"
    case .radio, .app, .publishing, .values: false
    }
  }

  private func differenceOfValues(_ mine: [Moment], _ now: [Moment], _ key: ValueKey) -> Mismatch? {
    let (mine, now) = (subscriptions(expected, mine, key), subscriptions(actual, now, key))
    // Where there are not as many, the lane of a central says so.
    for index in 0..<max(mine.count, now.count) {
      let (mine, now) = (mine.count > index ? mine[index] : [], now.count > index ? now[index] : [])
      let difference =
        if let period = periods[key] {
          PeriodicValues(period: period, expected: mine, actual: now).difference
        } else {
          Self.differenceOfDeeds(mine, now, end)
        }
      if let difference { return difference }
    }
    return nil
  }

  /// Values that are sent because of something else come one for one.
  private static func differenceOfDeeds(_ mine: [Moment], _ now: [Moment], _ end: Duration) -> Mismatch? {
    for index in 0..<max(mine.count, now.count) {
      switch (mine.indices.contains(index), now.indices.contains(index)) {
      case (true, true): if !mine[index].matches(now[index]) { return (mine[index], now[index]) }
      case (true, false): return (mine[index], nil)
      default: return now[index].time < end - lastMoments ? (nil, now[index]) : nil
      }
    }
    return nil
  }

  /// The values from a first subscription to the end of the last one, again and again.
  private func subscriptions(_ all: [Moment], _ values: [Moment], _ key: ValueKey) -> [[Moment]] {
    var result: [[Moment]] = []
    var subscribers: Set<String> = []
    for moment in all where moment.record.characteristic == key.characteristic && ValueKey(moment) == key {
      switch moment.record.event {
      case "subscribed":
        if subscribers.isEmpty { result.append([]) }
        subscribers.insert(moment.record.central ?? "")
      case "unsubscribed": subscribers.remove(moment.record.central ?? "")
      case "notified":
        if result.isEmpty { result.append([]) }
        result[result.count - 1].append(moment)
      default: break
      }
    }
    return result
  }

  private func report(_ mine: Moment?, _ now: Moment?) -> ReplayDifference {
    let line = mine?.line ?? now.flatMap { now in expected.last { $0.time <= now.time }?.line } ?? expected.first?.line
    return ReplayDifference(
      line: line ?? 1, expected: mine, actual: now, note: mine?.line.flatMap { notes[$0] })
  }
}

extension ReplayDifference {
  fileprivate var order: String { (expected ?? actual)?.record.json ?? "" }
}
