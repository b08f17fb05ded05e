import BleperaAppLink
import BleperaBluetooth
import Testing

@testable import BleperaRecording
@testable import BleperaSimulation

@Suite struct TraceComparisonTests {
  private static let key = ValueKey(
    phone: 0, app: "a", service: BluetoothUUID(0x180D as UInt16),
    characteristic: BluetoothUUID(0x2A37 as UInt16))

  /// `12:A` is the value 0A at 1.2 s.
  private static func entries(_ text: String, isTrace: Bool) -> [TraceEntry] {
    text.split(separator: " ").enumerated().map { number, word in
      let parts = word.split(separator: ":")
      var record = EventRecord(.notified)
      record.app = "a"
      record[.service] = .short(0x180D)
      record[.characteristic] = .short(0x2A37)
      record[.value] = .hex("0\(parts[1])")
      return TraceEntry(
        line: isTrace ? number + 2 : nil, time: .milliseconds(100 * (Int(parts[0]) ?? 0)), record: record)
    }
  }

  private static func difference(_ mine: String, _ now: String, period: Duration?) -> ReplayDifference? {
    let (mine, now) = (entries(mine, isTrace: true), entries(now, isTrace: false))
    return TraceComparison(
      expected: mine, actual: now, periods: period.map { [key: $0] } ?? [:], end: .seconds(10)
    ).firstDifference
  }

  @Test(
    arguments: [
      ("10:1 20:2 30:3", "10:1 20:2 30:3"), ("10:1 20:2 30:3", "20:2 30:3"), ("20:2 30:3", "10:1 20:2 30:3"),
      ("10:1 20:2 30:3", "10:1 20:2"), ("10:1 20:2", "10:1 20:2 30:3"), ("10:1 20:2 30:3", "20:2 30:3 40:4"),
      // The machine was busy.
      ("10:1 20:2 40:4 50:5", "10:1 20:2 30:3 40:4 50:5"),
      // The app was suspended.
      ("10:1 20:2 70:7 80:8", "10:1 20:2 30:3 70:7 80:8"), ("10:1 20:2 30:3 70:7 80:8", "10:1 20:2 70:7 80:8"),
      ("10:1", ""), ("", "10:1"), ("10:1 20:1 30:1", "10:1 20:1"),
    ])
  func `periodic values are equal except at the edges`(mine: String, now: String) {
    #expect(Self.difference(mine, now, period: .seconds(1)) == nil)
  }

  @Test(
    arguments: [
      ("10:1 20:2 30:3 40:4", "10:1 20:2 30:5 40:4", 4), ("10:1 20:2 30:3 40:4", "10:1 20:2 40:4", 4),
      ("10:1 20:2", "", 2), ("10:1 20:2 30:3", "10:4 20:5 30:6", 2), ("10:1 20:2 30:3 40:4", "10:1", 3),
    ])
  func `another value is a difference`(mine: String, now: String, line: Int) {
    #expect(Self.difference(mine, now, period: .seconds(1))?.line == line)
  }

  @Test(
    arguments: [
      ("10:1 20:2", "10:1 20:2", nil), ("10:1", "10:1 99:2", nil), ("10:1 20:2", "10:1", 3), ("10:1", "10:2", 2),
    ]
      as [(String, String, Int?)])
  func `values that are sent because of something else are compared one by one`(mine: String, now: String, line: Int?) {
    #expect(Self.difference(mine, now, period: nil)?.line == line)
  }

  /// Words are events: `+` connected, `-` disconnected, `u` unsubscribed, `p` paired; `A` and `B` advertisements; `f` a
  /// state.
  private static func events(_ text: String, isTrace: Bool) -> [TraceEntry] {
    text.split(separator: " ").enumerated().map { number, word in
      let parts = word.split(separator: ":")
      let kinds: [String: EventRecord.Kind] = [
        "+": .connected, "-": .disconnected, "u": .unsubscribed, "p": .paired, "f": .state,
      ]
      var record = EventRecord(kinds["\(parts[1])"] ?? .advertising)
      record[.central] = .text("00:11:22:33:44:55")
      record.app = "a"
      if record.event == .advertising { record[.localName] = .text("\(parts[1])") }
      return TraceEntry(
        line: isTrace ? number + 2 : nil, time: .milliseconds(100 * (Int(parts[0]) ?? 0)), record: record)
    }
  }

  @Test(
    arguments: [
      ("1:+ 2:u 2:-", "1:+ 2:- 2:u", nil),
      // Another stream's events may come in between elsewhere.
      ("1:+ 2:f 3:A", "1:A 2:+ 3:f", nil),
      // A bond from before the trace.
      ("1:+ 9:-", "1:+ 5:p 9:-", nil), ("1:+ 5:p 9:-", "1:+ 9:-", 3),
      // On the air for a entry.
      ("1:A 50:B", "1:A 46:C 50:B", nil), ("1:A 46:C 50:B", "1:A 50:B", nil), ("1:A 50:B", "1:A 40:C 50:B", 3),
      ("1:A 3:C", "1:B 3:C", 2), ("1:A 45:D 47:C 50:B", "1:A 50:B", nil),
      // Reported again.
      ("1:A 50:A 60:B", "1:A 60:B", nil), ("1:A", "1:A 20:+", 2), ("1:A", "1:A 98:+", nil),
    ] as [(String, String, Int?)])
  func `events are compared stream by stream`(mine: String, now: String, line: Int?) {
    let comparison = TraceComparison(
      expected: Self.events(mine, isTrace: true), actual: Self.events(now, isTrace: false), end: .seconds(10))
    #expect(comparison.firstDifference?.line == line)
  }

  @Test func `a value that has just changed may be the one before`() {
    var record = EventRecord(.read)
    record[.value] = .hex("01")
    let mine = TraceEntry(line: 2, time: .seconds(1), record: record)
    record[.value] = .hex("02")
    let now = TraceEntry(time: .seconds(1), record: record)
    func difference(_ alternatives: Set<[UInt8]>) -> ReplayDifference? {
      var now = now
      now.alternatives = alternatives
      return TraceComparison(expected: [mine], actual: [now], end: .seconds(2)).firstDifference
    }
    #expect(difference([[1]]) == nil)
    #expect(difference([[3]])?.line == 2)
  }
}
