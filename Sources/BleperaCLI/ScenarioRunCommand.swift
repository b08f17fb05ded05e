import ArgumentParser
import Policy
import Scenario
import ScenarioRunner
import Story

struct ScenarioRunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Play scenarios on a virtual radio and a virtual clock, without hardware.",
    usage: "blepera scenario run [<options>] <file> ...",
    discussion: """
      Prints a line for each step, and for the first one that fails what was seen, what was expected, and what happened \
      before it; the rest of that scenario is skipped. Hours pass in no time, and the same way every time.

        blepera scenario run scenarios/*.plist
        blepera scenario run --junit report.xml scenarios/*.plist

      The exit status is 0 if all steps have passed, 1 if one has failed, and 2 if a file has an error, a profile that it \
      names has one, or a report cannot be written.
      """)

  @Argument(help: ArgumentHelp("A scenario, an XML or binary property list.", valueName: "file"))
  var files: [String]

  @Option(help: ArgumentHelp("The iOS of all phones and centrals, whatever the files say.", valueName: "version"))
  var ios: IOSVersion?

  @Option(help: ArgumentHelp("What chance is drawn from, whatever the files say.", valueName: "number"))
  var seed: UInt64?

  @Option(help: ArgumentHelp("Write a report in JUnit's XML as well.", valueName: "file"))
  var junit: String?

  @Flag(help: "Print the Test Anything Protocol (TAP 13) in place of text.")
  var tap = false

  /// Of files and reports that are at fault.
  static let faultStatus = ExitCode(2)

  func run() async throws {
    let errors = Terminal(.error)
    let scenarios = files.map { ScenarioFile(path: $0, colouredFor: errors) }
    for fault in scenarios.flatMap(\.faults) { errors.print(fault) }
    let playable = scenarios.compactMap { file in file.scenario.map { (file: file.path, scenario: adapted($0)) } }
    guard playable.count == scenarios.count else { throw Self.faultStatus }
    let report = try junit.map { try ReportFile(path: $0) }
    let results = await play(playable)
    if let report { try report.write(JUnitReport(results).document) }
    if results.contains(where: { !$0.hasPassed }) { throw ExitCode(1) }
  }

  /// With what the command line says.
  func adapted(_ scenario: Scenario) -> Scenario {
    var scenario = scenario
    if let seed { scenario.seed = seed }
    if let ios {
      for index in scenario.phones.indices { scenario.phones[index].ios = ios }
      for index in scenario.centrals.indices { scenario.centrals[index].ios = ios }
    }
    return scenario
  }

  private func play(_ scenarios: [(file: String, scenario: Scenario)]) async -> [ScenarioResult] {
    let output = Terminal(.output)
    let text = ScenarioText(terminal: output)
    var report = TAPReport()
    var results: [ScenarioResult] = []
    if tap { report.head(steps: scenarios.reduce(0) { $0 + $1.scenario.steps.count }).forEach(output.print) }
    for (file, scenario) in scenarios {
      if tap {
        output.print(TAPReport.comment("\(file): \(scenario.title)"))
      } else {
        text.head(file, scenario.title).forEach(output.print)
      }
      let troubles = Troubles()
      let stage = StoryStage(
        scenario, on: Air(seed: scenario.seed) { troubles.add($0) }, troubles: troubles)
      var runner = ScenarioRunner(scenario, on: stage)
      let result = await runner.run(file: file) { step in
        let lines =
          tap
          ? report.lines(step, of: ScenarioResult.name(of: file), file: file) : text.lines(step, in: file)
        lines.forEach(output.print)
      }
      results.append(result)
      if !tap { output.print("") }
    }
    if !tap { output.print(text.summary(results)) }
    return results
  }
}
