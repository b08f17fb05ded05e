import BleperaAppLink
import BleperaBluetooth
import Testing

@testable import BleperaRecording
@testable import BleperaSimulation

@Suite struct ReplayTests {
  @Test func `a trace replays the same way every time`() throws {
    let first = try Sample.play(try Sample.trace(Sample.actions), try Sample.app()).actual
    #expect(first.count > 40)
    for _ in 1...3 { #expect(try Sample.play(try Sample.trace(Sample.actions), try Sample.app()).actual == first) }
  }

  @Test func `a replay repeats the actions with the same result`() throws {
    let trace = try Sample.recorded()
    let events = Set(trace.lines.map(\.record.event))
    #expect(
      events.isSuperset(of: [
        .advertising, .commandReceived, .connected, .disconnected, .notified, .preserved, .published, .read,
        .relaunching,
        .state, .subscribed, .terminated, .unsubscribed, .write,
      ]))
    let comparison = try Sample.play(trace, try Sample.app())
    #expect(comparison.firstDifference == nil)
  }

  @Test func `A replay emulates the phone that was measured`() throws {
    var trace = try Sample.trace(Sample.actions)
    func intervals() throws -> Set<Double?> {
      Set(
        try Sample.play(trace, try Sample.app()).actual.map(\.record).filter { $0.event == .advertising }.map {
          $0.interval?.minimum
        })
    }
    #expect(try intervals().contains(181.25))
    trace.header.like = "{ Phone = a; foregroundInterval = 417.5; }"
    #expect(try intervals().contains(417.5) && !intervals().contains(181.25))
    trace.header.like = "{ Phone = a; foregroundInterval = 4; }"
    #expect(throws: TraceFault.self) { try Sample.play(trace, try Sample.app()) }
  }

  @Test(arguments: [.virtual, .bluez] as [TraceHeader.Radio])
  func `a prepared write is replayed as the radio of the trace passes it on`(radio: TraceHeader.Radio) throws {
    var actions = Sample.actions
    let index = try #require(actions.firstIndex { $0.event == .write })
    actions[index][.piece] = .number(1)
    actions[index][.pieces] = .number(2)
    var second = actions[index]
    second[.piece] = .number(2)
    second[.offset] = .number(1)
    second[.value] = .hex("2B")
    actions.insert(second, at: index + 1)
    let trace = try Sample.recorded(actions, radio: radio)
    let writes = trace.lines.map(\.record).filter { $0.event == .write && $0[.characteristic] == .short(0x2A39) }
    #expect(
      writes.map { $0.bytes(.value) } == (radio == .virtual ? [[0x2A], [0x2B], [0x2B]] : [[0x2A, 0x2B], [0x2B]]))
    #expect(writes.map { $0.number(.pieces) } == (radio == .virtual ? [2, 2, nil] : [nil, nil]))
    #expect(try Sample.play(trace, try Sample.app()).firstDifference == nil)
  }

  /// A planted difference, and the event that it is found at.
  struct Plant: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// The line that is changed, and the one that is reported.
    let isMeant: @Sendable (EventRecord) -> Bool
    let change: @Sendable (inout EventRecord) -> Void
    var app: @Sendable () throws -> ReplayedApp = { try Sample.app() }
    var expected: @Sendable (ReplayDifference) -> Bool
  }

  static let plants = [
    Plant(
      testDescription: "another cached value", isMeant: { $0.event == .read && $0[.characteristic] == .short(0x2A38) },
      change: { $0[.value] = .hex("02") },
      expected: { $0.actual?.record[.value] == .hex("01") && $0.expected?.record[.value] == .hex("02") }),
    Plant(
      testDescription: "another value that was written",
      isMeant: { $0.event == .notified && $0[.characteristic] == .short(0x2A39) },
      change: { $0[.value] = .hex("FF") }, expected: { $0.actual?.record[.value] == .hex("2A") }),
    Plant(
      testDescription: "the name in the background",
      isMeant: { $0.event == .advertising && $0[.overflowServiceUUIDs] != nil },
      change: { $0[.localName] = .text("Lock") },
      expected: { $0.actual?.record.text(.localName) == nil && $0.expected?.record.text(.localName) == "Lock" }),
    Plant(
      testDescription: "an error in place of a value",
      isMeant: { $0.event == .read && $0[.characteristic] == .short(0x2A37) },
      change: {
        $0[.value] = nil
        $0[.error] = .error(.unlikelyError)
      }, expected: { $0.actual?.record.error == nil && $0.actual?.record[.value] != nil }),
    Plant(
      testDescription: "another state", isMeant: { $0.text(.state) == "suspended" },
      change: { $0[.state] = .text("inactive") },
      expected: { $0.actual?.record.text(.state) == "suspended" }),
    Plant(
      testDescription: "a profile with another value",
      isMeant: { $0.event == .read && $0[.characteristic] == .short(0x2A38) },
      change: { _ in }, app: { try Sample.app(Sample.plist(second: "Ag==")) },
      expected: { $0.actual?.record[.value] == .hex("02") && $0.expected?.record[.value] == .hex("01") }),
    Plant(
      testDescription: "a profile without one of the characteristics", isMeant: { $0.event == .published },
      change: { _ in }, app: { try Sample.app(Sample.plist(isComplete: false)) },
      expected: { $0.actual?.record.event == .published }),
  ]

  @Test(arguments: plants)
  func `a difference is found at its line`(plant: Plant) throws {
    var trace = try Sample.recorded()
    let index = try #require(trace.lines.firstIndex { plant.isMeant($0.record) })
    plant.change(&trace.lines[index].record)
    let difference = try #require(try Sample.play(trace, try plant.app()).firstDifference)
    #expect(difference.line == trace.lines[index].number)
    #expect(difference.expected?.record == trace.lines[index].record)
    #expect(plant.expected(difference))
  }

  @Test func `an event that only the trace has is missing, with the reason`() throws {
    var trace = try Sample.recorded()
    let index = try #require(
      trace.lines.firstIndex { $0.record.event == .read && $0.record[.characteristic] == .short(0x2A38) })
    trace.lines[index].record[.characteristic] = .short(0x2A3B)
    let difference = try #require(try Sample.play(trace, try Sample.app()).firstDifference)
    #expect(difference.line == trace.lines[index].number)
    #expect(difference.note == "the central finds no 2A3B in the service 180D")
  }

  @Test func `an event that only the replay has is found too`() throws {
    var trace = try Sample.recorded()
    let index = try #require(trace.lines.firstIndex { $0.record.event == .preserved })
    trace.lines.remove(at: index)
    let difference = try #require(try Sample.play(trace, try Sample.app()).firstDifference)
    #expect(difference.actual?.record.event == .preserved)
  }

  @Test(
    arguments: [("passkey", [.connected, .passkey, .paired]), ("refuse", [.connected, .pairingRefused])]
      as [(String, [EventRecord.Kind])])
  func `a central pairs as in the trace`(mode: String, events: [EventRecord.Kind]) throws {
    var trace = try Sample.trace(Sample.actions)
    trace.header.pairing = mode
    let paired = try #require(trace.lines.firstIndex { $0.record.event == .subscribed })
    trace.lines.removeSubrange(paired...)
    for (number, event) in events.dropFirst().enumerated() {
      var line = try #require(trace.lines.last)
      (line.number, line.record.event) = (line.number + 1, event)
      line.time = Timestamp(sinceEpoch: .seconds(4 + number))
      line.record[.passkey] = event == .passkey ? .text("000000") : nil
      trace.lines.append(line)
    }
    let comparison = try Sample.play(trace, try Sample.app())
    #expect(comparison.actual.filter { $0.record[.central] != nil }.map(\.record.event) == events)
  }

  @Test func `the phone's own services are played too`() throws {
    var trace = try Sample.trace(Sample.actions)
    let end = try #require(trace.lines.firstIndex { $0.record.event == .subscribed })
    trace.lines.removeSubrange(end...)
    trace.header.phoneServices = true
    for (number, event) in [EventRecord.Kind.paired, .read, .subscribed].enumerated() {
      var line = try #require(trace.lines.last)
      (line.number, line.record.event) = (line.number + 1, event)
      line.time = Timestamp(sinceEpoch: .seconds(4 + number))
      if event != .paired {
        line.record[.service] = .short(0x180F)
        line.record[.characteristic] = .short(0x2A19)
      }
      trace.lines.append(line)
    }
    let events = try Sample.play(trace, try Sample.app()).actual.filter { $0.record[.central] != nil }.map(\.record)
    #expect(events.map(\.event) == [.connected, .paired, .read, .subscribed])
    #expect(
      events.map(\.app) == [nil, nil, nil, nil] && events[2][.value] == .hex("50") && events[2].flag(.cached) == true)
    trace.header.phoneServices = nil
    let without = try Sample.play(trace, try Sample.app()).actual.filter { $0.record[.central] != nil }
    #expect(without.map(\.record.event) == [.connected, .paired])
  }

  @Test func `other rules are a difference`() throws {
    var trace = try Sample.recorded()
    trace.header.ios = 11
    let difference = try #require(try Sample.play(trace, try Sample.app()).firstDifference)
    #expect(difference.expected?.record.event == .advertising)
  }

  @Test func `only the profiles of the trace are accepted`() throws {
    let trace = try Sample.recorded()
    let script = try ReplayScript(trace)
    let app = try Sample.app()
    let other = try Sample.app(Sample.plist().replacing("org.example.lock", with: "org.example.key"))
    for (apps, reason) in [
      ([], "the trace is of org.example.lock too; give its profile"),
      ([app, app], "two profiles of org.example.lock are given; it can be played with one"),
      ([other], "the trace is of org.example.lock, and org.example.key is given"),
    ] {
      let fault = #expect(throws: TraceFault.self) {
        try ReplayPlayer(trace, script, apps: apps, bluezTimeLimit: .milliseconds(4500))
      }
      #expect(fault == TraceFault(line: 1, reason))
    }
    // As of `lab --app`.
    var withoutProfiles = trace
    withoutProfiles.header.phones[0].apps = []
    let fault = #expect(throws: TraceFault.self) {
      try ReplayPlayer(withoutProfiles, script, apps: [app], bluezTimeLimit: .milliseconds(4500))
    }
    #expect(fault == TraceFault(line: 1, "the trace is of no app with a profile, and cannot be played"))
  }
}
