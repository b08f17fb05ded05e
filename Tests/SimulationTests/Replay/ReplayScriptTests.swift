import BleperaAppLink
import Testing

@testable import BleperaRecording
@testable import BleperaSimulation

@Suite struct ReplayScriptTests {
  private static func fault(_ change: (inout [EventRecord]) -> Void) -> TraceFault? {
    var records = Sample.actions
    change(&records)
    return #expect(throws: TraceFault.self) { try ReplayScript(try Sample.trace(records)) }
  }

  @Test func `a trace that lacks events is not played`() {
    #expect(
      Self.fault { $0.removeAll { $0.event == .connected } }
        == TraceFault(line: 5, "\(Sample.central) is not connected here: the trace has no 'connected' before"))
    #expect(
      Self.fault { $0.removeAll { $0.event == .published } }
        == TraceFault(
          line: 5,
          "a central uses org.example.lock, which has no 'published' before in the trace: the app ran when the trace "
            + "began; record from its launch on"))
    #expect(Self.fault { $0 = [] } == TraceFault(line: nil, "has no events"))
  }

  @Test func `an event without its required keys is not played`() {
    #expect(Self.fault { $0[3][.central] = nil } == TraceFault(line: 5, "'connected' needs 'central'"))
    #expect(
      Self.fault { $0[3][.central] = .text("one") } == TraceFault(line: 5, "'one' is not the address of a central"))
    #expect(
      Self.fault { $0[4][.service] = nil } == TraceFault(line: 6, "'subscribed' needs 'service' and 'characteristic'"))
    #expect(
      Self.fault { $0[4][.service] = .text("18") }
        == TraceFault(line: 6, "not a valid event 'subscribed': service: '18' is not a UUID"))
    #expect(Self.fault { $0[8][.value] = nil } == TraceFault(line: 10, "'write' needs 'value', hexadecimal digits"))
    #expect(Self.fault { $0[9][.command] = .text("fly") } == TraceFault(line: 11, "a phone has no command 'fly'"))
    #expect(Self.fault { $0[0].app = nil } == TraceFault(line: 2, "'state' needs 'app'"))
  }

  @Test func `a phone that began with preserved state is not played`() {
    let fault = Self.fault {
      $0[1].event = .restored
      $0[1][.preservedSince] = .text("2026-11-24T15:02:10Z")
    }
    #expect(fault?.line == 3)
    #expect(fault?.reason.contains("blepera preserved forget") == true)
  }

  @Test func `what an app has received that was launched again on the phone is no input`() throws {
    var records = Sample.actions
    records[0].event = .restored
    records.insert(Sample.actions[0], at: 0)
    let inputs = try ReplayScript(try Sample.trace(records)).inputs.count
    #expect(inputs == (try ReplayScript(try Sample.trace(Sample.actions)).inputs.count))
  }

  @Test func `a request that took long is sent before later events`() throws {
    var records = Sample.actions
    records[6][.responseMilliseconds] = .number(1050)
    let script = try ReplayScript(try Sample.trace(records))
    let lines = script.inputs.map(\.line)
    // The read of line 8 was asked for at 2.45 s: before that of line 7.
    let (read, other) = (try #require(lines.firstIndex(of: 8)), try #require(lines.firstIndex(of: 7)))
    #expect(read + 1 == other)
  }

  @Test func `a long value is read once, and shows the MTU`() throws {
    var records = Sample.actions
    records[5][.value] = .hex(String(repeating: "00", count: 50))
    var rest = records[5]
    rest[.offset] = .number(22)
    rest[.value] = .hex(String(repeating: "00", count: 28))
    records.insert(rest, at: 6)
    let script = try ReplayScript(try Sample.trace(records))
    #expect(script.mtus == [Sample.central: 23])
    #expect(!script.inputs.map(\.line).contains(8))
  }

  @Test(arguments: 1...25)
  func `a read that begins at a low offset shows no MTU`(offset: Int) throws {
    var trace = try Sample.trace(Sample.actions)
    let index = try #require(trace.lines.firstIndex { $0.record.event == .read })
    trace.lines[index].record[.value] = .hex(String(repeating: "00", count: 50))
    var again = trace.lines[index]
    again.record[.offset] = .number(offset)
    again.record[.value] = .hex(String(repeating: "00", count: 50 - offset))
    trace.lines.insert(again, at: index + 1)
    #expect(try ReplayScript(trace).mtus == (offset < 22 ? [:] : [Sample.central: offset + 1]))
    // Neither the subscription nor the write after it traps.
    _ = try Sample.play(trace, try Sample.app())
  }

  @Test(arguments: [-1, 65_536, Int.max])
  func `an offset that no request can have is not played`(offset: Int) {
    for index in [5, 8] {
      #expect(
        Self.fault { $0[index][.offset] = .number(offset) }
          == TraceFault(line: index + 2, "'offset' must be from 0 to 65535, not \(offset)"))
    }
  }

  @Test func `a clock that was set ends the trace`() throws {
    var trace = try Sample.trace(Sample.actions)
    let begin = trace.lines[0].time.sinceEpoch
    for index in trace.lines.indices where index >= 4 {
      trace.lines[index].time = Timestamp(sinceEpoch: begin + .seconds(31 * 86_400 + index))
    }
    let fault = #expect(throws: TraceFault.self) { try ReplayScript(trace) }
    #expect(fault?.line == trace.lines[4].number)
    #expect(fault?.reason.contains("more than 30 days after") == true)
    // One that goes back changes nothing.
    for index in trace.lines.indices where index >= 4 { trace.lines[index].time = Timestamp(sinceEpoch: .zero) }
    _ = try ReplayScript(trace)
  }

  @Test func `the pieces of a prepared write are one input`() throws {
    var records = Sample.actions
    records[8][.piece] = .number(1)
    records[8][.pieces] = .number(2)
    var second = records[8]
    second[.piece] = .number(2)
    second[.offset] = .number(1)
    second[.value] = .hex("2B")
    records.insert(second, at: 9)
    let script = try ReplayScript(try Sample.trace(records))
    let input = try #require(script.inputs.first { if case .execute = $0.action { true } else { false } })
    guard case .execute(Sample.central, let pieces) = input.action else { return }
    #expect(input.line == 10)
    #expect(pieces.map(\.offset) == [0, 1] && pieces.map(\.value) == [[0x2A], [0x2B]])
    records.remove(at: 8)
    let fault = #expect(throws: TraceFault.self) { try ReplayScript(try Sample.trace(records)) }
    #expect(fault == TraceFault(line: 10, "a piece of a prepared write comes without those before"))
  }

  @Test func `changes of the radio are played unless a command causes them`() throws {
    var records = Sample.actions
    for (event, time) in [(.poweredOff, 44), (.poweredOn, 45), (.poweredOff, 46)] as [(EventRecord.Kind, Double)] {
      var record = EventRecord(event)
      record.time = Timestamp(sinceEpoch: .seconds(time)).date
      records.append(record)
    }
    // The first two are the reboot's.
    let script = try ReplayScript(try Sample.trace(records))
    let powers = script.inputs.filter { if case .power = $0.action { true } else { false } }
    #expect(powers.map(\.action) == [.power(false)])
    #expect(powers.map(\.line) == [21])
  }
}
