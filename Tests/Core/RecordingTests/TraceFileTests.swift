import BleperaAppLink
import Testing

@testable import BleperaRecording

@Suite struct TraceFileTests {
  private static let header =
    #"{"command":"lab","ios":26,"phones":[{"apps":["org.example.lock"],"name":"lock"}],"#
    + #""settings":["--seed 7"],"time":"2026-11-21T14:03:58.000Z","trace":2}"#
  private static let event =
    #"{"central":"00:11:22:33:44:55","event":"connected","phone":"lock","time":"2026-11-21T14:03:59.042Z"}"#

  private static func read(_ text: String) throws(TraceFault) -> TraceFile { try TraceFile(Array(text.utf8)) }

  @Test func `a trace is its first line and the events of phones`() throws {
    let central = #"{"event":"intervalMeasured","interval":181.25,"side":"central","time":"2026-11-21T14:03:59.000Z"}"#
    let trace = try Self.read("\(Self.header)\n\(central)\n\(Self.event)\n")
    #expect(trace.header.phones == [.init(name: "lock", apps: ["org.example.lock"])])
    #expect(trace.header.settings == ["--seed 7"] && trace.header.ios == 26)
    #expect(trace.lines.map(\.number) == [3])
    #expect(trace.lines.first?.record.text(.central) == "00:11:22:33:44:55")
    #expect(trace.lines.first?.time.date == "2026-11-21T14:03:59.042Z")
    #expect(trace.cutLine == nil)
  }

  @Test func `a first line is read as it was written`() throws {
    let header = TraceHeader(
      blepera: "0.1.0", command: "serve", ios: 26, radio: .bluez,
      settings: ["--phone-kind n1", "--like a.plist", "--background"], phones: [.init(apps: ["a", "b"])])
    #expect(try Self.read(header.json + "\n").header == header)
  }

  @Test func `a last line that was not written to its end is left out`() throws {
    let trace = try Self.read("\(Self.header)\n\(Self.event)\n{\"event\":\"conn")
    #expect(trace.lines.count == 1)
    #expect(trace.cutLine == 3)
  }

  private static func after(_ line: String) -> String { "\(header)\n\(line)\n" }

  private static let faults: [(String, String)] = [
    ("", ": error: the file is empty; expected a trace"),
    ("text", ": error: not a trace"),
    ("text\n", ":1: error: not a trace: the first line must have the key 'trace'; record a trace with --record"),
    ("\(event)\n", ":1: error: not a trace: the first line must have the key 'trace'; record a trace with --record"),
    (
      "{\"trace\":1}\n",
      ":1: error: the trace has version 1 of the format, and this blepera reads version 2; record the trace again"
    ),
    (
      "{\"trace\":2}\n",
      """
      :1: error: a key of the trace is missing or has a value of the wrong type; expected time, command, ios, \
      settings, phones
      """
    ),
    (
      "{\"trace\":2,\"time\":\"\",\"command\":\"lab\",\"ios\":26,\"settings\":[],\"phones\":[]}\n",
      ":1: error: the trace has no phones"
    ),
    (
      "\(header)\n\(event)\n\n",
      ":3: error: not an event; expected a JSON object with 'event' and 'time'"
    ),
    (after(#"{"event":"flies"}"#), ":2: error: unknown event 'flies'"),
    (
      after(#"{"event":"read","offset":"0"}"#),
      ":2: error: not a valid event 'read': offset: Expected to decode Int but found a string instead."
    ),
    (
      after(#"{"event":"connected","phone":"lock","time":"today"}"#),
      ":2: error: 'today' is not a valid time; expected a time such as 2026-11-21T14:03:59.042Z"
    ),
    (
      after(#"{"event":"busLost","phone":"key","time":"2026-11-21T14:03:59.042Z"}"#),
      ":2: error: unknown phone 'key'; the first line lists the phones"
    ),
    (
      after(#"{"event":"busLost","time":"2026-11-21T14:03:59.042Z"}"#),
      ":2: error: the event has no 'phone'"
    ),
  ]

  @Test(arguments: faults)
  func `what is no trace is said with its line`(text: String, fault: String) {
    let error = #expect(throws: TraceFault.self) { try Self.read(text) }
    #expect(error?.description == fault)
  }
}
