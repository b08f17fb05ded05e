import BusTesting
import Control
import EventTrace
import Profile
import Replay
import System
import Testing

@testable import BleperaCLI

@Suite struct RecordTests {
  /// Notified five times a second: the visit of the central is short, and a busy machine is not late by a value.
  private static let profile = ServeVirtualTests.profile.replacing("<real>0.05</real>", with: "<real>0.2</real>")

  /// What `serve --virtual` records of a visit of its central, and of the way into the background.
  private static func record(to path: String, _ profile: NamedProfile) async throws {
    let recorder = try TraceWriter(path) { Issue.record("\($0)") }
    let printer = EventPrinter(isJSON: false, isQuiet: true, recorder: recorder)
    printer.begin(
      TraceHeader(
        blepera: Blepera.version, command: "serve", ios: 26, bluez: "5.66", launch: "foreground", seed: 0,
        phones: [.init(apps: [profile.identifier])]))
    try await PhonesOnAir.run(adapters: 2) { air in
      let events = Mailbox<String>()
      let visitor = Visitor(loop: TestLoops.second) { printer.print($0) }
      try await visitor.start(bus: air.address, adapter: "hci1")
      try await air.serve(profile, on: "hci0") { event, app in
        printer.print(event, of: app, by: .phone)
        events.put(EventRecord(event).event)
      }
      while try await events.next() != "disconnected" {}
      _ = await air.systems[0].perform(ControlRequest(.background))
      while try await events.next() != "advertising" {}
      await visitor.close()
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `what was recorded is played again without a difference, and another profile with one`() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(Self.profile, to: "quick.plist")
    let profile = try #require(ProfileFiles([file], colouredFor: .plain).profiles?.first)
    let path = "\(folder.path)/quick.jsonl"
    try await Self.record(to: path, profile)
    let trace = try TraceFile(try ProfileFile(path: path).read())
    let events = Set(trace.lines.map(\.record.event))
    #expect(events.isSuperset(of: ["connected", "read", "subscribed", "notified", "disconnected", "asked"]))

    func replay(_ profile: NamedProfile) throws -> ReplayReport {
      let script = try ReplayScript(trace)
      let stage = try ReplayStage(trace, script, apps: [ReplayedApp(profile: profile.profile, name: profile.name)])
      return ReplayReport(path: "quick.jsonl", trace: trace, script: script, difference: stage.play().firstDifference)
    }
    let same = try replay(profile)
    #expect(same.difference == nil, "\(same.lines(for: .plain).joined(separator: "\n"))")
    #expect(same.lines(for: .plain).first?.hasSuffix(" s, without a difference") == true)

    var other = profile.profile
    other.advertisement?.localName = "Slow"
    let report = try replay(NamedProfile(profile: other, name: profile.name))
    let lines = report.lines(for: .plain)
    let line = try #require(trace.lines.first { $0.record.event == "advertising" }?.number)
    #expect(lines.first == "quick.jsonl:\(line): it goes another way now")
    let (old, new) = (lines.filter { $0.hasPrefix("- ") }, lines.filter { $0.hasPrefix("+ ") })
    #expect(old.count == 1 && old[0].contains(#"advertising     "Quick"  180D"#))
    #expect(new.count == 1 && new[0].contains(#"advertising     "Slow"  180D"#))
    #expect(report.json.contains(#""line":\#(line)"#) && report.json.contains(#""localName":"Slow""#))
  }
}
