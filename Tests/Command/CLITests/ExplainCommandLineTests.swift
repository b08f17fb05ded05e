import ArgumentParser
import BleperaBlueZProtocol
import BleperaBluetooth
import BleperaDBus
import BleperaRules
import Testing

@testable import BleperaBlueZ
@testable import BleperaCLI
@testable import BleperaCommands

@Suite struct ExplainCommandLineTests {
  @Test(
    arguments: [
      ("profiles/heart-rate.plist", 26, ["foreground", "background"]),
      ("profiles/heart-rate.plist --state suspended --ios 11", 11, ["suspended"]),
      ("--ios 14 --json --state background profiles/heart-rate.plist profiles/smart-lock.plist", 14, ["background"]),
    ])
  func `explain takes profiles, a state and a version`(words: String, ios: Int, states: [String]) throws {
    let explanation = try ExplainSample.explanation(words)
    #expect(explanation.ios == ios)
    #expect(explanation.states.map(\.state.rawValue) == states)
    #expect(explanation.apps.count == words.split(separator: " ").count { $0.hasSuffix(".plist") })
  }

  @Test(
    arguments: [
      ([], "Missing expected argument '<file> ...'"),
      (["a.plist", "--state", "killed"], "Please provide one of 'foreground', 'background' or 'suspended'."),
      (
        ["a.plist", "--phone-kind", "n1", "--ios", "18"],
        "'--phone-kind n1' requires iOS 26 to 27; no such phone runs"
      ),
      (["a.plist", "--ios", "19"], "The value '19' is invalid for '--ios <version>'."),
      (["a.plist", "--bluez-version", "6.1"], "The value '6.1' is invalid for '--bluez-version <version>'"),
      (["a.plist", "--bluez-version", "new"], "The value 'new' is invalid for '--bluez-version <version>'"),
    ] as [([String], String)])
  func `what cannot be read is refused with status 64`(words: [String], message: String) {
    do {
      _ = try Blepera.parseAsRoot(["explain"] + words)
      Issue.record("accepted")
    } catch {
      #expect(Blepera.exitCode(for: error) == .validationFailure)
      #expect(Blepera.message(for: error).contains(message))
    }
  }

  @Test func `a faulty profile is reported as by check, and none is explained`() async throws {
    let paths = [ShippedProfiles.paths[0], #filePath, "/nonexistent/a.plist"]
    let profiles = ProfileFiles(paths, coloredFor: .colored)
    #expect(profiles.profiles == nil)
    #expect(profiles.faults == paths.flatMap { CheckReport(ProfileFile(path: $0), coloredFor: .colored).faults })
    #expect(profiles.faults.count >= 2)
    let command = try ExplainCommand.parse(paths)
    await #expect(throws: ExitCode(2)) { try await command.run() }
  }

  /// The bluetoothd that runs, options, and what the line of the text says.
  private static let daemons: [(DaemonVersion?, String, String)] = [
    (DaemonVersion(5, 87), "", "bluetoothd  5.87 with -E, which runs here"),
    (nil, "", "bluetoothd  release unknown with -E, which runs here"),
    (DaemonVersion(5, 87), "--bluez-version 5.72", "bluetoothd  5.72 without -E"),
    (DaemonVersion(5, 87), "--experimental", "bluetoothd  5.66 with -E"),
  ]

  @Test(arguments: daemons)
  func `the bluetoothd that runs is explained, unless options name another`(
    version: DaemonVersion?, options: String, line: String
  ) throws {
    var report = MachineReport(bus: .system)
    var adapter = Adapter(path: "/org/bluez/hci1", isPowered: true, version: version)
    adapter.isExperimental = true
    report.adapters = [Adapter(path: "/org/bluez/hci0", version: DaemonVersion(5, 55)), adapter]
    let explanation = try ExplainSample.explanation(
      "profiles/heart-rate.plist \(options)", running: ExplainedDaemon.running(report))
    #expect(explanation.lines(for: .plain).contains(line))
  }

  private static let page = "on a dual-mode adapter pages the private address of a connected iPhone"

  @Test(
    arguments: [
      ("--bluez-version 5.66", "5.66", page, true), ("--bluez-version 5.87", "5.87", page, true),
      ("--bluez-version 5.87", "5.87", "crashes when a connected device is removed", true),
      ("--bluez-version next", "5.88", page, false),
      ("--bluez-version next", "5.88", "signals no change of RSSI below 8 dB", true),
      ("--bluez-version 5.66", "5.66", "with -E can crash when a link to a device with Volume Control", false),
      ("--experimental", "5.66", "with -E can crash when a link to a device with Volume Control", true),
    ])
  func `the faults of a named release are printed`(
    options: String, version: String, start: String, isPrinted: Bool
  ) throws {
    let lines = try ExplainSample.explanation("profiles/heart-rate.plist \(options)").lines(for: .plain)
    let faults = lines.drop { $0 != "Faults of bluetoothd \(version)" }.prefix { !$0.isEmpty }
    #expect(faults.count > 1 && faults.contains { $0.hasPrefix("  \(start)") } == isPrinted, "\(faults)")
  }

  @Test func `a controller has nothing of BlueZ`() throws {
    let lines = try ExplainSample.explanation("profiles/heart-rate.plist --controller").lines(for: .plain)
    #expect(!lines.contains { $0.hasPrefix("bluetoothd") || $0.contains("between BlueZ") })
    for option in ["--exact", "--experimental", "--bluez-version 5.82"] {
      #expect(throws: (any Error).self) { try ExplainSample.explanation("a.plist --controller \(option)") }
    }
  }

  @Test func `an assumed release has no faults`() throws {
    let lines = try ExplainSample.explanation("profiles/heart-rate.plist").lines(for: .plain)
    #expect(!lines.contains { $0.hasPrefix("Faults of bluetoothd") })
  }

  @Test func `without a bluetoothd, that of Debian 12 is assumed, and said to be`() throws {
    #expect(ExplainedDaemon.running(MachineReport(bus: .system)) == nil)
    let lines = try ExplainSample.explanation("profiles/heart-rate.plist").lines(for: .plain)
    #expect(
      lines.contains(
        "bluetoothd  5.66 without -E, as in Debian 12; none is found here, and --bluez-version names another"))
  }

  @Test func `an app without a name of its own is named after its file`() {
    let state = ExplainSample.state(.foreground, [ExplainSample.profile("a", [])])
    #expect(state.apps.map(\.identifier) == ["app1"])
    #expect(state.apps.map(\.identity.name) == ["app1"])
  }
}
