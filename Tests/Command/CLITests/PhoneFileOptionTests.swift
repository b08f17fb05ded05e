import ArgumentParser
import BleperaBluetooth
import BleperaPhone
import BleperaRules
import BusTesting
import Testing

@testable import BleperaCLI
@testable import BleperaCommands
@testable import BleperaLabCLI
@testable import BleperaSessions
@testable import BleperaSimulation

@Suite struct PhoneFileOptionTests {
  private static let text = """
    {
      Phone = "iPhone12,1";
      iOS = 18;
      // measured: log.pklg, 40 packets, 2026-11-24
      ownInterval = 417.5;
      txPowerLevel = 7;
    }
    """

  /// The command with `--like` and the file.
  private static func parse<Command: ParsableCommand>(
    _ words: String, _ text: String = text, as type: Command.Type, _ check: (Command, _ path: String) throws -> Void
  ) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(text, to: "my phone.plist")
    let words = words.split(separator: " ").map(String.init) + ["--like", path]
    try check(try #require(try Blepera.parseAsRoot(words) as? Command), path)
  }

  @Test func `the file's version and values are those of the phone, and options of the command stand over it`() throws {
    try Self.parse("serve a.plist", as: ServeCommand<AirOptions>.self) { command, path in
      let rules = command.bluez.settings(command.emulation, command.own).phone.rules
      #expect((rules.version, rules.ownInterval.value.minimum, rules.txPowerLevel.value) == (.ios18, 417.5, 7))
      let arguments = command.bluez.settings(command.emulation, command.own).arguments
      #expect(arguments == ["--like", path])
      let system = try #require(try Blepera.parseAsRoot(["system"] + arguments) as? SystemCommand<AirOptions>)
      #expect(system.emulation.rules == rules)
      #expect(system.emulation.options.map(\.text).prefix(3) == ["--ios 18", "--phone-kind earlier", "--like \(path)"])
    }
    try Self.parse("lab --ios 26 --apple-items none --phone-kind n1", as: LabCommand.self) { command, _ in
      let rules = command.emulation.rules
      #expect((rules.version, rules.ownInterval.value.minimum, rules.txPowerLevel.value) == (.ios26, 417.5, 7))
      #expect(rules.txPowerPlace.value == .last && rules.backgroundAppleItems.value.isEmpty)
    }
  }

  @Test func `the name is that of the command, or of the file`() throws {
    let text = "{ Phone = a; DeviceName = \"Ada's iPhone\"; }"
    for (option, name) in [("", "Ada's iPhone"), (" --split-view", "Ada's iPhone"), (" --device-name Other", "Other")] {
      try Self.parse("serve --virtual a.plist" + option, text, as: ServeCommand<AirOptions>.self) { command, _ in
        var options = VirtualOptions()
        command.emulation.apply(to: &options)
        #expect(options.settings(of: 0).phone.deviceName == name)
      }
    }
  }

  @Test(arguments: [
    ("iPhone18,2", "", PhoneKind.n1), ("iPhone18,2", " --ios 18", .earlier), ("iPhone17,1", "", .earlier),
    ("iPhone8,1", " --ios 15", .upTo6s), ("iPhone8,1", "", .earlier), ("mine", "", .earlier),
    ("iPhone18,2", " --phone-kind earlier", .earlier),
  ])
  func `the model decides the kind of phone, where such a phone runs the version`(
    name: String, options: String, kind: PhoneKind
  ) throws {
    let text = "{ Phone = \"\(name)\"; iOS = 26; ownInterval = 417.5; }"
    try Self.parse("serve a.plist" + options, text, as: ServeCommand<AirOptions>.self) { command, _ in
      #expect(command.emulation.rules.phoneKind == kind)
    }
    guard options.isEmpty else { return }
    try Self.parse("scenario run a.plist", text, as: ScenarioRunCommand.self) { command, _ in
      var scenario = Scenario()
      scenario.phones = [Scenario.Phone(name: "one")]
      #expect(command.adapted(scenario).phones.map(\.kind) == [kind])
    }
  }

  @Test func `rules prints a value as measured, with its source`() throws {
    try Self.parse("rules", as: RulesCommand.self) { command, _ in
      let report = command.report
      #expect(report.ios == 18)
      let values = report.values.filter { ["ownInterval", "txPowerLevel"].contains($0.name) }
      #expect(values.map(\.value) == ["7 dBm", "417.5 ms"])
      #expect(values.map(\.standing) == [.measured, .measured])
      #expect(values.map(\.source) == ["my phone.plist", "log.pklg, 40 packets, 2026-11-24"])
      #expect(values.map(\.visible) == [.air, .air])
    }
  }

  @Test func `all phones and centrals of a scenario are like it`() throws {
    try Self.parse("scenario run a.plist", as: ScenarioRunCommand.self) { command, _ in
      var scenario = Scenario()
      scenario.phones = [Scenario.Phone(name: "one"), Scenario.Phone(name: "two")]
      scenario.centrals = [Scenario.Central(name: "three")]
      let adapted = command.adapted(scenario)
      #expect(adapted.phones.map(\.settings.rules.measured?.name) == ["iPhone12,1", "iPhone12,1"])
      #expect(adapted.phones.map(\.ios) == [.ios18, .ios18] && adapted.centrals.map(\.ios) == [.ios18])
      #expect(adapted.centrals[0].measured?.values.count == 2)
    }
  }

  @Test(arguments: ["{ Phone = a; ownIntervall = 3; }", "{", "{ Steps = (); }"])
  func `a file with an error is refused`(text: String) {
    #expect(throws: (any Error).self) { try Self.parse("rules", text, as: RulesCommand.self) { _, _ in } }
  }

  @Test func `check knows the kind`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(Self.text, to: "my.plist")
    let report = CheckReport(ProfileFile(path: path), coloredFor: .plain)
    #expect(report.summary == "\(path): no errors: 2 values of a phone")
    #expect((report.values, report.services) == (2, nil))
  }
}
