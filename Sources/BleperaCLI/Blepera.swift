import ArgumentParser
import BleperaBluetooth
import Dispatch
import Glibc

/// The `blepera` command.
struct Blepera: AsyncParsableCommand {
  static let version = "0.1.0"

  static let configuration = CommandConfiguration(
    commandName: "blepera",
    abstract: "A Bluetooth LE peripheral that behaves as an iPhone app does.",
    discussion: """
      blepera publishes the services of property-list profiles, through BlueZ or on a virtual radio. Write a profile, \
      serve it without Bluetooth, then look at this machine's:

        blepera init heart-rate -o heart.plist
        blepera serve --virtual heart.plist
        blepera doctor

      'blepera help TOPIC' explains profile (the keys of a profile), rules (what an iPhone does) and overflow (the \
      overflow area).
      """,
    version: version,
    groupedSubcommands: [
      CommandGroup(
        name: "Phone",
        subcommands: [
          ServeCommand.self, SystemCommand.self, StatusCommand.self, EventsCommand.self, LaunchCommand.self,
          ForegroundCommand.self,
          BackgroundCommand.self,
          SuspendCommand.self,
          LockCommand.self, UnlockCommand.self, BluetoothCommand.self, NotifyCommand.self, QuitCommand.self,
          TerminateCommand.self,
          RebootCommand.self,
          ShutdownCommand.self, PreservedCommand.self,
        ]),
      CommandGroup(
        name: "Offline",
        subcommands: [
          CheckCommand.self, InitCommand.self, ConvertCommand.self, ExplainCommand.self, RulesCommand.self,
          OverflowCommand.self,
        ]),
      CommandGroup(
        name: "Laboratory",
        subcommands: [LabCommand.self, ScenarioCommand.self, ReplayCommand.self, ReportCommand.self]),
      CommandGroup(name: "Central", subcommands: [ScanCommand.self, CloneCommand.self]),
      CommandGroup(name: "Machine", subcommands: [DoctorCommand.self]),
    ])
}

/// Runs the command given by this process's arguments, and exits.
///
/// Not `async`: the runtime opens descriptors before the first line of an asynchronous `main`.
public func runBlepera() -> Never {
  StandardDescriptors.openAll()
  if let lack = ProcessLimits.lack { exit(CommandFailure.exit(lack).rawValue) }
  // A handler, so that a write beyond `ulimit -f` is an error; a program that is started has the default action again.
  signal(SIGXFSZ) { _ in }
  // The priority of `main` would start further threads.
  Task(priority: .medium) {
    await runCommand()
    exit(OutputQueues.hasFailed ? ExitCode.failure.rawValue : ExitCode.success.rawValue)
  }
  dispatchMain()
}

private func runCommand() async {
  let words = Array(CommandLine.arguments.dropFirst())
  if let unknown = Blepera.unknownCommand(words) {
    CommandFailure.report(unknown)
    Blepera.exit(withError: ExitCode.validationFailure)
  }
  if let topic = HelpTopic(words) {
    let terminal = Terminal(.output)
    for line in topic.lines(for: terminal) { terminal.print(line) }
    return
  }
  do {
    var command = try Blepera.parseAsRoot(words)
    if var command = command as? any AsyncParsableCommand {
      try await command.run()
    } else {
      try command.run()
    }
  } catch {
    // ArgumentParser begins with 'Error:'; every other error of blepera begins with 'error:'.
    let text = Blepera.fullMessage(for: error)
    let status = OutputQueues.hasFailed ? .failure : Blepera.exitCode(for: error)
    if words.first == LabCommand.configuration.commandName, !words.contains("--"),
      Blepera.message(for: error).hasPrefix("Unexpected argument")
    {
      CommandFailure.report("\(Blepera.message(for: error)); put -- before the command: blepera lab ... -- COMMAND")
      Blepera.exit(withError: ExitCode.validationFailure)
    }
    if error is ExitCode { Blepera.exit(withError: status) }
    guard !status.isSuccess, text.hasPrefix(Blepera.errorPrefix) else { Blepera.exit(withError: error) }
    let lines = text.dropFirst(Blepera.errorPrefix.count).split(separator: "\n", omittingEmptySubsequences: false)
    CommandFailure.report(String(lines[0]))
    Terminal(.error).print(lines.dropFirst().map(String.init))
    Blepera.exit(withError: status)
  }
}

extension Blepera {
  /// What ArgumentParser writes before an error.
  static let errorPrefix = "Error: "

  /// Says that the first word, or the word after `help`, is no command; nil where it is one.
  static func unknownCommand(_ words: [String]) -> String? {
    let commands = configuration.groupedSubcommands.flatMap { $0.subcommands }
    let names = commands.compactMap { $0.configuration.commandName } + ["help"]
    let isHelp = words.first == "help" && words.count > 1
    let known = isHelp ? names + HelpTopic.allCases.map(\.rawValue) : names
    guard let word = isHelp ? words[1] : words.first, !word.hasPrefix("-"), !known.contains(word) else { return nil }
    let meant = NearestName.find(word, in: known).map { "; did you mean '\($0)'?" }
    return "there is no command '\(word)'\(meant ?? "; 'blepera --help' lists the commands")"
  }
}
