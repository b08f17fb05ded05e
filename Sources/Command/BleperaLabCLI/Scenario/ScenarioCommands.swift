import ArgumentParser
import BleperaAppLink
import BleperaBlueZ
import BleperaBluetooth
import BleperaCLI
import BleperaHCI
import BleperaPhone
import BleperaProfile
import BleperaRadio
import BleperaRecording
import BleperaReport
import BleperaRules
import BleperaSimulation
import BleperaTestingBlueZ

struct ScenarioCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scenario",
    abstract: "Run scenarios of phones and centrals.",
    discussion: """
      A scenario is a property list: phones with their apps, centrals, steps, and expected results. No code is needed. \
      docs/scenarios.md describes the format.
      """,
    subcommands: [ScenarioRunCommand.self, ScenarioCheckCommand.self])
}

struct ScenarioRunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run scenarios on a virtual radio in virtual time, or on the adapters of bluetoothd.",
    usage: "blepera scenario run [<options>] <file> ...",
    discussion: """
      Prints a line for each step, and for the first step that fails the actual result, the expected result and the \
      preceding events; the rest of that scenario is skipped. On the virtual radio, time is virtual and every run is the \
      same. With --bluez, scenarios run in real time, and each phone, then each central, uses an adapter of its own: \
      hci0, hci1 and so on, or those of --adapters.

        blepera scenario run scenarios/*.plist
        blepera scenario run --junit report.xml scenarios/*.plist
        blepera scenario run --report report.html scenarios/*.plist
        blepera scenario run --bluez --adapters hci1,hci0 scenarios/whole-mask.plist
        blepera scenario run --hci tcp:9000 scenarios/whole-mask.plist

      The exit status is 0 if all steps passed, 1 if a step failed or a report cannot be written, and 2 if a scenario or \
      one of its profiles has an error.
      """)

  @Argument(
    help: ArgumentHelp("A scenario, a property list; a folder for all in it, - for standard input.", valueName: "file"),
    completion: .propertyList)
  var files: [String]

  @Option(help: ArgumentHelp("The iOS version of all phones and centrals, overriding the files.", valueName: "version"))
  var ios: IOSVersion?

  @Option(help: PhoneFile.help, completion: .propertyList)
  var like: PhoneFile?

  @Flag(help: "Publish an iPhone's own services on all phones, overriding the files.")
  var phoneServices = false

  @Option(help: ArgumentHelp("Seed for the random number generator, overriding the files.", valueName: "number"))
  var seed: UInt64?

  @Option(
    help: ArgumentHelp("The ATT_MTU that all centrals request, 23 to 517, overriding the files.", valueName: "bytes"))
  var mtu: Int?

  @Option(
    help: ArgumentHelp("Also write a report in JUnit's XML format.", valueName: "file"),
    completion: .file(extensions: ["xml"]))
  var junit: String?

  @Flag(help: "Print the Test Anything Protocol (TAP 13) instead of text.")
  var tap = false

  @Flag(help: "Print the results as a JSON object on one line instead of text.")
  var json = false

  @Flag(name: .shortAndLong, help: "Print failed steps and the summary only.")
  var quiet = false

  @OptionGroup var recording: RecordOptions

  @OptionGroup var page: ReportOptions

  @OptionGroup var capture: CaptureOptions

  @Flag(help: "Run on the adapters of this machine's bluetoothd, in real time.")
  var bluez = false

  @Option(help: ArgumentHelp("The adapters for --bluez, in the order of the phones and centrals.", valueName: "list"))
  var adapters: String?

  @Option(
    help: ArgumentHelp(
      "Run in real time, with an HCI controller (tcp:PORT, unix:PATH or pty), once it has a host.",
      valueName: "endpoint"))
  var hci: [HCIEndpoint] = []

  @Option(help: ArgumentHelp("What the waits of a scenario with --hci may add up to (600).", valueName: "seconds"))
  var timeLimit: Double?

  mutating func validate() throws {
    // `--adapters hci1 hci0` is a list too; the parser reads the names after the first as files.
    if let first = adapters {
      let names = files.filter(Self.isAdapter)
      files.removeAll(where: Self.isAdapter)
      adapters = ([first] + names).joined(separator: ",")
      if files.isEmpty { throw ValidationError("Missing expected argument '<file> ...'") }
    }
    try like?.validate()
    files = ProfileFile.paths(files)
    if json, tap { throw ValidationError("'--json' cannot be combined with '--tap'.") }
    if adapters != nil, !bluez { throw ValidationError("'--adapters' requires '--bluez'.") }
    if bluez, seed != nil {
      throw ValidationError("'--seed' applies to the virtual radio and cannot be combined with '--bluez'.")
    }
    if bluez, mtu != nil {
      throw ValidationError("'--mtu' applies to the virtual radio and cannot be combined with '--bluez'.")
    }
    try ATTMTU.validate(mtu)
    if recording.path != nil, files.count > 1 {
      throw ValidationError("'--record' records one scenario, not \(files.count).")
    }
    if capture.path != nil, files.count > 1 {
      throw ValidationError("'--pcap' captures one scenario, not \(files.count).")
    }
    if bluez, !hci.isEmpty { throw ValidationError("'--hci' cannot be combined with '--bluez'.") }
    if !hci.isEmpty, files.count > 1 { throw ValidationError("'--hci' runs one scenario, not \(files.count).") }
    if let timeLimit {
      if hci.isEmpty { throw ValidationError("'--time-limit' requires '--hci'.") }
      guard timeLimit > 0 else { throw ValidationError("'--time-limit' must be more than 0 seconds.") }
    }
    try capture.requireVirtual(!bluez, "cannot be combined with '--bluez'")
    if adapterNames?.isEmpty == true { throw ValidationError("'--adapters' is empty; give a list such as hci0,hci1.") }
  }

  private static func isAdapter(_ word: String) -> Bool {
    word.hasPrefix("hci") && word.count > 3 && word.dropFirst(3).allSatisfy { ("0"..."9").contains($0) || $0 == "," }
  }

  var adapterNames: [String]? { adapters.map { $0.split(separator: ",").map { "\($0)" } } }

  private var radio: Radio {
    bluez ? adapterNames.map { .bluez($0) } ?? .bluez : hci.isEmpty ? .virtual : .paced
  }

  /// Refuses a scenario that would take too long in real time.
  private func checkTime(of scenario: Scenario, in file: String) throws(ExitCode) {
    guard !hci.isEmpty else { return }
    let waits = scenario.steps.reduce(Duration.zero) { sum, step in
      if case .wait(let time, _) = step.action { sum + time } else { sum }
    }
    let limit = Duration.seconds(timeLimit ?? 600)
    if waits > limit {
      throw CommandFailure.exit(
        "\(file): its steps wait \(waits.components.seconds) s, and '--hci' runs in real time: allow that with "
          + "'--time-limit'")
    }
  }

  func run() async throws {
    let errors = Terminal(.error)
    let scenarios = files.map { ScenarioFile(path: $0, coloredFor: errors) }
    for fault in scenarios.flatMap(\.faults) { errors.print(fault) }
    let runnable = scenarios.compactMap { file in file.scenario.map { (file: file.path, scenario: adapted($0)) } }
    guard runnable.count == scenarios.count else {
      if tap { Terminal(.output).print("Bail out!  A file has an error, so no scenario runs.") }
      throw ExitCode.faultyInput
    }
    if let phone = runnable.flatMap(\.scenario.phones).first(where: { !$0.kind.runs($0.ios) }) {
      throw CommandFailure.exit(
        "'--ios \(phone.ios.rawValue)': \(phone.name) is a phone of the kind \(phone.kind.rawValue), which requires "
          + phone.kind.versions)
    }
    for (file, scenario) in runnable { try checkTime(of: scenario, in: file) }
    let report = try junit.map { path throws(ExitCode) in try ReplacedFile(path) }
    let page = try page.open()
    let recorder = try recording.start()
    let files = try capture.start(hosts: hci.count, beside: recording.path)
    let (results, sources, times) = try await run(
      runnable, recorder: recorder, capture: files, isReported: page != nil)
    files?.flush()
    if let report { try report.write(Array(JUnitReport(results, times: times).document.utf8)) }
    if let page { try page.write(html: ReportPage(sources, version: Release.version).html) }
    if results.contains(where: { !$0.hasPassed }) { throw ExitCode(1) }
  }

  /// Applies the command line's overrides.
  func adapted(_ scenario: Scenario) -> Scenario {
    var scenario = scenario
    if let seed { scenario.seed = seed }
    let version = ios ?? like?.phone?.ios
    for index in scenario.phones.indices {
      let (rules, ios) = (scenario.phones[index].settings.rules, version ?? scenario.phones[index].ios)
      scenario.phones[index].settings.rules = RuleSet(ios)
        .with(phoneKind: like?.phone?.kind(running: ios) ?? rules.phoneKind).with(like?.phone)
        .with(splitView: rules.splitView.value)
      if phoneServices { scenario.phones[index].settings.phoneServices = true }
    }
    for index in scenario.centrals.indices {
      if let version { scenario.centrals[index].ios = version }
      scenario.centrals[index].measured = like?.phone
    }
    if let mtu { for index in scenario.centrals.indices { scenario.centrals[index].mtu = mtu } }
    return scenario
  }

  /// The command line's options for the header of a trace: those that override the scenario, and the seed.
  private func settings(_ scenario: Scenario) -> [String] {
    [
      ios.map { "--ios \($0.rawValue)" }, like.map { "--like \($0.path)" }, phoneServices ? "--phone-services" : nil,
      "--seed \(scenario.seed)",
    ].compactMap(\.self)
  }

  /// The header of a trace, with the iOS version of the first phone.
  private func header(_ scenario: Scenario) -> TraceHeader {
    TraceHeader(
      time: bluez ? .now : Timestamp(sinceEpoch: Air.virtualBeginning), blepera: Release.version,
      command: "scenario run", ios: scenario.phones.first?.ios.rawValue ?? IOSVersion.newest.rawValue,
      radio: bluez ? .bluez : .virtual, settings: settings(scenario),
      phones: scenario.phones.map { phone in
        TraceHeader.Phone(name: phone.name, apps: phone.apps.map(\.identifier))
      })
  }

  private func run(
    _ scenarios: [(file: String, scenario: Scenario)], recorder: TraceWriter?, capture: CaptureFiles?, isReported: Bool
  ) async throws -> ([ScenarioResult], [ReportSource], times: [[Duration]]) {
    let output = Terminal(.output)
    let text = ScenarioText(terminal: output)
    var report = TAPReport()
    var results: [ScenarioResult] = []
    var sources: [ReportSource] = []
    var times: [[Duration]] = []
    if tap { output.print(report.head(steps: scenarios.reduce(0) { $0 + $1.scenario.steps.count })) }
    for (file, scenario) in scenarios {
      if tap {
        output.print(TAPReport.comment("\(file): \(Quote.line(scenario.title))"))
      } else if !json, !quiet {
        output.print(text.head(file, Quote.line(scenario.title)))
      }
      let header = header(scenario)
      recorder?.begin(header)
      let collector = isReported ? ReportCollector(title: scenario.title, origin: file) : nil
      collector?.begin(header)
      let record = Self.record(recorder, collector)
      var runner = ScenarioRunner(scenario, on: radio, record: record, capture: capture?.air?.write)
      collector?.name(runner.centralNames)
      let signals = TerminationSignalHandler(runner.air)
      let hosts = try hosts(runner.air, seed: scenario.seed, capture?.ofHosts ?? [], record)
      await hosts?.wait(on: runner.air)
      var last = ContinuousClock.now
      times.append([])
      let result = await runner.run(file: file) { step in
        let now = ContinuousClock.now
        times[times.count - 1].append(last.duration(to: now))
        last = now
        collector?.add(step)
        guard !json, !quiet || tap || step.failure != nil else { return }
        let lines =
          tap
          ? report.lines(step, of: ScenarioResult.name(of: file), file: file) : text.lines(step, in: file)
        output.print(lines)
      }
      hosts?.close()
      await runner.air.close()
      signals.cancel()
      results.append(result)
      if let source = collector?.collected { sources.append(source) }
      if !tap, !json, !quiet { output.print("") }
    }
    if json { output.print(ScenarioReport(results: results).json) }
    if !tap, !json { output.print(text.summary(results)) }
    return (results, sources, times)
  }

  private func hosts(
    _ air: Air, seed: UInt64, _ captures: [HCICapture], _ record: (@Sendable (EventRecord) -> Void)?
  ) throws(ExitCode) -> ScenarioHosts? {
    guard !hci.isEmpty else { return nil }
    do throws(HCIDoorFailure) {
      return try ScenarioHosts(hci, on: air, seed: seed, captures, record)
    } catch {
      throw CommandFailure.exit("\(error)")
    }
  }

  /// Passes events to the recorder and the collector; nil if there is neither.
  private static func record(
    _ recorder: TraceWriter?, _ collector: ReportCollector?
  ) -> (@Sendable (EventRecord) -> Void)? {
    guard recorder != nil || collector != nil else { return nil }
    return { record in
      recorder?.write(record.json)
      if let collector, let time = Timestamp(date: record.time) { collector.add(record, at: time) }
    }
  }
}
