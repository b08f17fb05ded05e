import BleperaAppLink
import BleperaBluetooth
import BleperaPhone
import BleperaRadio
import BleperaRecording
import BleperaReport
import BleperaSessions
import FoundationEssentials
import TestSupport
import Testing

@testable import BleperaCLI
@testable import BleperaRules

/// The name of a peer in every output of an event: each shows the name, and none is changed by characters in the name.
@Suite struct PeerTextTests {
  private static let strap = PeripheralID(rawValue: "66:77:88:99:AA:BB")
  private static let time = Timestamp(seconds: 1_795_269_839, milliseconds: 42)

  private static func records(_ name: String) -> [EventRecord] {
    [.discovered(strap, Discovery(localName: name)), .peripheralConnected(strap, name: name)].map {
      (event: PhoneEvent) in
      var record = EventRecord(event, of: "org.example.watch")
      record.time = time.date
      return record
    }
  }

  /// Whether a terminal or a reader of lines does something with a character of the text.
  private static func hasControls(_ text: String, besides allowed: String = "") -> Bool {
    text.unicodeScalars.contains { scalar in
      scalar.properties.generalCategory == .control && !allowed.unicodeScalars.contains(scalar)
    }
  }

  @Test(arguments: PeerText.all)
  func `an event in JSON, also of the control socket, has the name`(text: PeerText) throws {
    for record in Self.records(text.name) {
      let line = Terminal.plain.escaped(record.json)
      #expect(!Self.hasControls(line))
      let fields = try JSONDecoder().decode([String: Ignored].self, from: Data(line.utf8))
      #expect(fields["localName"] != nil)
      #expect(EventRecord(json: Array(line.utf8)) == record)
    }
  }

  @Test(arguments: PeerText.all)
  func `an event in text is one line, without controls`(text: PeerText) {
    for record in Self.records(text.name) {
      let line = EventPrinter.text(record, at: Self.time, on: .plain)
      #expect(!Self.hasControls(Terminal.plain.escaped(line)))
      #expect(line.contains(Quote.text(text.name)))
    }
  }

  @Test(arguments: PeerText.all)
  func `a trace has the name, and so has its page, as data`(text: PeerText) throws {
    let header = TraceHeader(
      time: Self.time, blepera: "0.1.0", command: "serve", ios: 26, phones: [.init(apps: ["org.example.watch"])])
    let records = Self.records(text.name)
    let bytes = Array(([header.json] + records.map(\.json)).joined(separator: "\n").utf8) + [UInt8(ascii: "\n")]
    let trace = try TraceFile(bytes)
    #expect(trace.lines.map(\.record) == records)
    let page = ReportPage([ReportSource(trace, path: "one.jsonl")], version: "0.1.0").html
    let start = try #require(page.range(of: #"id="data">"#)?.upperBound)
    let end = try #require(page.range(of: "</script>", in: start)?.lowerBound)
    let data = String(page[start..<end])
    #expect(!data.contains("<") && !data.unicodeScalars.contains { $0.value < 0x20 })
    #expect(throws: Never.self) { try JSONDecoder().decode([String: Ignored].self, from: Data(data.utf8)) }
    // As often as an empty name, and one with nothing to escape.
    let plain = ReportPage(
      [ReportSource(TraceFile(header: header, lines: []), path: "one.jsonl")], version: "0.1.0"
    ).html
    #expect(page.components(of: "</script>") == plain.components(of: "</script>"))
  }
}

/// Any value.
private struct Ignored: Decodable {
  init(from decoder: any Decoder) {}
}

extension String {
  fileprivate func range(of text: String, in start: Index? = nil) -> Range<Index>? {
    self[(start ?? startIndex)...].firstRange(of: text)
  }

  fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
