import BleperaAppLink
import BleperaBluetooth
import BleperaProfile
import BleperaProfileApp
import BleperaRecording
import BleperaReport
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
        time: Timestamp(sinceEpoch: Air.virtualBeginning), blepera: Release.version, command: "serve", ios: 26,
        phones: [.init(apps: [profile.identifier])]))
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

  @Test(.timeLimit(.minutes(5)))
  func `what was recorded is read again, and has a page`() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(Self.profile, to: "quick.plist")
    let profile = try #require(ProfileFiles([file], coloredFor: .plain).profiles?.first)
    let path = "\(folder.path)/quick.jsonl"
    try await Self.record(to: path, profile)
    let bytes = try ProfileFile(path: path).read()
    let trace = try TraceFile(bytes)
    let events = Set(trace.lines.map(\.record.event))
    #expect(events.isSuperset(of: [.connected, .read, .subscribed, .notified, .disconnected, .commandReceived]))
    let written = bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    #expect([trace.header.json] + trace.lines.map(\.record.json) == written)
    let page = ReportPage([ReportSource(trace, path: path)], version: Release.version)
    #expect(page.summary == "1 phone, 1 central, \(trace.lines.count) events")
  }
}
