import ArgumentParser
import BlueZ
import EventTrace
import Policy
import Scenario
import ScenarioRunner
import Story

struct ScenarioRunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Play scenarios on a virtual radio and a virtual clock, or on the adapters of bluetoothd.",
    usage: "blepera scenario run [<options>] <file> ...",
    discussion: """
      Prints a line for each step, and for the first one that fails what was seen, what was expected, and what happened \
      before it; the rest of that scenario is skipped. On the virtual radio hours pass in no time, and the same way every \
      time. With --bluez it is the clock on the wall, and each phone, then each central, takes an adapter of its own: hci0, \
      hci1 and so on, or those of --adapters.

        blepera scenario run scenarios/*.plist
        blepera scenario run --junit report.xml scenarios/*.plist
        blepera scenario run --bluez --adapters hci1,hci0 scenarios/whole-mask.plist

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

  @OptionGroup var recording: RecordOptions

  @Flag(help: "Play on the adapters of this machine's bluetoothd, in real time.")
  var bluez = false

  @Option(help: ArgumentHelp("The adapters of --bluez, in the order in which they are taken.", valueName: "list"))
  var adapters: String?

  /// Of files and reports that are at fault.
  static let faultStatus = ExitCode(2)

  func validate() throws {
    if adapters != nil, !bluez { throw ValidationError("'--adapters' is of '--bluez'; give that too.") }
    if bluez, seed != nil { throw ValidationError("'--seed' is of the virtual radio; leave it out with '--bluez'.") }
    if recording.path != nil, files.count > 1 {
      throw ValidationError("'--record' is of one scenario; \(files.count) are given.")
    }
    if adapterNames?.isEmpty == true { throw ValidationError("'--adapters' names none; hci0,hci1 names two.") }
  }

  private var adapterNames: [String]? { adapters.map { $0.split(separator: ",").map { "\($0)" } } }

  private var radio: Radio { bluez ? adapterNames.map { .bluez($0) } ?? .bluez : .virtual }

  func run() async throws {
    let errors = Terminal(.error)
    let scenarios = files.map { ScenarioFile(path: $0, colouredFor: errors) }
    for fault in scenarios.flatMap(\.faults) { errors.print(fault) }
    let playable = scenarios.compactMap { file in file.scenario.map { (file: file.path, scenario: adapted($0)) } }
    guard playable.count == scenarios.count else {
      if tap { Terminal(.output).print("Bail out!  A file has an error, and nothing is played.") }
      throw Self.faultStatus
    }
    let report = try junit.map { try ReportFile(path: $0) }
    let results = await play(playable, recorder: try recording.start())
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

  /// Of a trace of it; the iOS is the first phone's.
  private func header(_ scenario: Scenario) -> TraceHeader {
    TraceHeader(
      time: bluez ? .now : Timestamp(sinceEpoch: Air.virtualBeginning), blepera: Blepera.version,
      command: "scenario run", ios: scenario.phones.first?.ios.rawValue ?? IOSVersion.newest.rawValue,
      pairing: PairingMode.justWorks.rawValue, launch: LaunchFlag.foreground.rawValue, seed: scenario.seed,
      phones: scenario.phones.map { phone in
        TraceHeader.Phone(name: phone.name, apps: phone.apps.map(\.identifier))
      })
  }

  private func play(
    _ scenarios: [(file: String, scenario: Scenario)], recorder: TraceWriter?
  ) async -> [ScenarioResult] {
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
      recorder?.begin(header(scenario))
      let record = recorder.map { recorder in { @Sendable (record: EventRecord) in recorder.write(record.json) } }
      let air = Air(on: radio, seed: scenario.seed, record: record) { troubles.add("\($0)") }
      let leaving = LeavingHandler(air)
      let stage = StoryStage(scenario, on: air, troubles: troubles)
      var runner = ScenarioRunner(scenario, on: stage)
      let result = await runner.run(file: file) { step in
        let lines =
          tap
          ? report.lines(step, of: ScenarioResult.name(of: file), file: file) : text.lines(step, in: file)
        lines.forEach(output.print)
      }
      await air.close()
      leaving.cancel()
      results.append(result)
      if !tap { output.print("") }
    }
    if !tap { output.print(text.summary(results)) }
    return results
  }
}
