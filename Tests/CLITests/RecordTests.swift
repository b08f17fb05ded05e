import BleperaAppLink
import BleperaBluetooth
import BleperaProfile
import BleperaProfileApp
import BleperaRecording
import BleperaSimulation
import BusTesting
import Testing

@testable import BleperaCLI
@testable import BleperaSessions

@Suite struct RecordTests {
  private static let profile = ServeVirtualTests.profile

  /// Records a visit of a central, and the way into the background, on a virtual clock.
  private static func record(to path: String, _ profile: NamedProfile) async throws {
    let recorder = try TraceWriter(path) { Issue.record("\($0)") }
    recorder.begin(
      TraceHeader(
        time: Timestamp(sinceEpoch: Air.virtualBeginning), blepera: Blepera.version, command: "serve", ios: 26,
        bluez: "5.82", launch: "foreground", seed: 0, phones: [.init(apps: [profile.identifier])]))
    let record = { @Sendable (record: EventRecord) in
      var record = record
      record.phone = nil
      recorder.write(record.json)
    }
    let air = Air(on: .virtual, record: record) { Issue.record("\($0)") }
    let (phone, central) = (Phone(on: air), Central(on: air))
    phone.launch(AppDefinition(profile: profile.profile, fallbackName: profile.name))
    await air.advance(by: .seconds(1))
    let value = BluetoothUUID(0x2A37 as UInt16)
    try await central.connect(to: phone)
    _ = try await central.read(value)
    try await central.subscribe(to: value)
    for _ in 1...5 { #expect(try await central.receives(from: value, within: .seconds(1)) != nil) }
    await central.disconnect()
    await air.advance(by: .seconds(1))
    phone.moveToBackground()
    await air.advance(by: .seconds(2))
    await air.close()
  }

  @Test(.timeLimit(.minutes(1)))
  func `what was recorded is played again without a difference, and another profile with one`() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(Self.profile, to: "quick.plist")
    let profile = try #require(ProfileFiles([file], coloredFor: .plain).profiles?.first)
    let path = "\(folder.path)/quick.jsonl"
    try await Self.record(to: path, profile)
    let trace = try TraceFile(try ProfileFile(path: path).read())
    let events = Set(trace.lines.map(\.record.event))
    #expect(events.isSuperset(of: [.connected, .read, .subscribed, .notified, .disconnected, .commandReceived]))

    func replay(_ profile: NamedProfile) throws -> ReplayReport {
      let script = try ReplayScript(trace)
      let stage = try ReplayPlayer(
        trace, script, apps: [ReplayedApp(profile: profile.profile, name: profile.name)],
        bluezTimeLimit: .milliseconds(4500))
      return ReplayReport(path: "quick.jsonl", trace: trace, script: script, difference: stage.play().firstDifference)
    }
    let same = try replay(profile)
    #expect(same.difference == nil, "\(same.lines(for: .plain).joined(separator: "\n"))")
    #expect(same.lines(for: .plain).first?.hasSuffix(" s, no difference") == true)

    var other = profile.profile
    other.advertisement?.localName = "Slow"
    let report = try replay(NamedProfile(profile: other, name: profile.name))
    let lines = report.lines(for: .plain)
    let line = try #require(trace.lines.first { $0.record.event == .advertising }?.number)
    #expect(lines.first == "quick.jsonl:\(line): the replay diverges from the trace")
    let (old, new) = (lines.filter { $0.hasPrefix("- ") }, lines.filter { $0.hasPrefix("+ ") })
    #expect(old.count == 1 && old[0].contains(#"advertising     "Quick"  180D"#))
    #expect(new.count == 1 && new[0].contains(#"advertising     "Slow"  180D"#))
    #expect(report.json.contains(#""line":\#(line)"#) && report.json.contains(#""localName":"Slow""#))
  }
}
