import ArgumentParser
import BleperaBluetooth
import BleperaPhone
import BleperaRules
import Testing

@testable import BleperaCLI
@testable import BleperaCommands
@testable import BleperaLabCLI
@testable import BleperaSimulation

@Suite struct ScenarioTests {
  private static let folder = ShippedProfiles.folder.dropLast("profiles".count) + "scenarios"
  private static let file = "\(folder)/filter-by-name.plist"

  @Test func `a shipped scenario is summed up, without faults`() {
    let file = ScenarioFile(path: Self.file, coloredFor: .plain)
    #expect(file.faults == [])
    #expect(file.summary == "\(Self.file): no errors: 1 app, 1 central, 8 steps")
  }

  @Test func `a file that cannot be read is a fault`() {
    let file = ScenarioFile(path: "\(Self.folder)/none.plist", coloredFor: .plain)
    #expect(file.faults == ["\(Self.folder)/none.plist: error: no such file"])
    #expect(file.scenario == nil && file.summary == nil)
  }

  @Test func `a profile is not a scenario`() {
    let path = "\(ShippedProfiles.folder)/heart-rate.plist"
    let file = ScenarioFile(path: path, coloredFor: .plain)
    #expect(file.faults.contains { $0.contains("found a profile, expected a scenario; check it with 'blepera check'") })
    #expect(file.scenario == nil)
  }

  @Test func `the command line comes before the file`() throws {
    let command = try #require(
      try Blepera.parseAsRoot(["scenario", "run", "--ios", "13", "--phone-services", "--seed", "7", Self.file])
        as? ScenarioRunCommand)
    let scenario = try #require(ScenarioFile(path: Self.file, coloredFor: .plain).scenario)
    #expect(scenario.phones.map(\.ios) == [.ios26] && scenario.seed == 0)
    let adapted = command.adapted(scenario)
    #expect(adapted.phones.map(\.ios) == [.ios13] && adapted.centrals.map(\.ios) == [.ios13])
    #expect(adapted.seed == 7)
    #expect(scenario.phones.map(\.settings.phoneServices) == [false])
    #expect(adapted.phones.map(\.settings.phoneServices) == [true])
  }

  private static func step(_ outcome: StepResult.Outcome, note: String? = nil, trace: [String] = []) -> StepResult {
    StepResult(
      Scenario.Step(line: 12, note: note, action: .serve(app: "lock")), outcome, start: .zero, end: .milliseconds(3003),
      trace: trace)
  }

  @Test func `a step is a line, and one that fails says why`() {
    let text = ScenarioText(terminal: .plain)
    #expect(text.lines(Self.step(.passed), in: "f") == ["ok          3.003   serve lock"])
    #expect(text.lines(Self.step(.skipped), in: "f") == ["skipped             serve lock"])
    #expect(
      text.lines(Self.step(.failed("found A; expected B"), note: "Why.", trace: ["0.001  phone  on"]), in: "f") == [
        "FAILED      3.003   serve lock", "                    Why.", "  f:12: found A; expected B",
        "  events before the failure:",
        "    0.001  phone  on",
      ])
  }

  @Test func `the last line says what became of all`() {
    let text = ScenarioText(terminal: .plain)
    let good = ScenarioResult(title: "A", file: "a.plist", steps: [Self.step(.passed)])
    let bad = ScenarioResult(title: "B", file: "b.plist", steps: [Self.step(.broken("no"))])
    #expect(text.summary([good]) == "The scenario has passed, 1 step.")
    #expect(text.summary([good, good]) == "All 2 scenarios have passed, 2 steps.")
    #expect(text.summary([good, bad]) == "1 of 2 scenarios failed: b.")
  }

  @Test(arguments: [Terminal.plain, .colored])
  func `color changes nothing but the color`(terminal: Terminal) {
    let step = Self.step(.failed("found A; expected B"), note: "Why.")
    let plain = ScenarioText(terminal: .plain).lines(step, in: "f")
    #expect(ScenarioText(terminal: terminal).lines(step, in: "f").map(\.withoutColor) == plain)
  }
}
