import ArgumentParser
import BleperaBluetooth
import BleperaEventLoop
import BleperaSessions
import Dispatch
import Glibc
import Synchronization

/// The `blepera` command.
struct Blepera: AsyncParsableCommand {
  static let version = "0.1.0"

  static let configuration = CommandConfiguration(
    commandName: "blepera",
    abstract: "A Bluetooth LE peripheral that behaves as an iPhone app does.",
    discussion: """
      Write a profile, serve it without Bluetooth, then look at this machine's:

        blepera init heart-rate -o heart.plist
        blepera serve --virtual heart.plist
        blepera doctor

      'blepera help TOPIC' explains profile, accessory, scenario, rules and overflow. Every command has --color always \
      or never. 'blepera --generate-completion-script bash' prints completions, or those for zsh or fish.
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
          CompareCommand.self, OverflowCommand.self,
        ]),
      CommandGroup(
        name: "Laboratory",
        subcommands: [LabCommand.self, ScenarioCommand.self, ReportCommand.self]),
      CommandGroup(name: "Central", subcommands: [ScanCommand.self, CloneCommand.self]),
      CommandGroup(name: "Machine", subcommands: [DoctorCommand.self]),
    ])
}

/// Runs the command given by this process's arguments, and exits.
///
/// Not `async`: the runtime opens descriptors before the first line of an asynchronous `main`.
package func runBlepera() -> Never {
  StandardDescriptors.openAll()
  LabSupervisor.run(CommandLine.arguments)
  if let lack = ProcessLimits.lack { exit(CommandFailure.exit(lack).rawValue) }
  // A handler, so that a write beyond `ulimit -f` is an error; a program that is started has the default action again.
  signal(SIGXFSZ) { _ in }
  // The priority of `main` would start further threads.
  Task(priority: .medium) {
    await runCommand()
    exit(OutputQueues.hasFailed ? ExitCode.failure.rawValue : TerminationSignals.exitStatus)
  }
  dispatchMain()
}

private func runCommand() async {
  var words = Array(CommandLine.arguments.dropFirst())
  do throws(ValidationError) {
    let color = try Blepera.takeColor(&words)
    Terminal.color.withLock { $0 = color }
  } catch {
    CommandFailure.report(error.message)
    Blepera.exit(withError: ExitCode.validationFailure)
  }
  if words == ["-V"] { words = ["--version"] }
  if let unknown = Blepera.unknownCommand(words) {
    CommandFailure.report(unknown)
    Blepera.exit(withError: ExitCode.validationFailure)
  }
  if let topic = HelpTopic(words) {
    let terminal = Terminal(.output)
    terminal.print(topic.lines(for: terminal))
    if let command = Blepera.command(topic.rawValue) {
      terminal.print(text: "\nThe command 'blepera \(topic.rawValue)':\n\n\(Blepera.helpMessage(for: command))\n")
    }
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
    let error = Blepera.unknownOption(words, behind: error)
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
    // A help text, the version or a completion script, which ArgumentParser would print without a look at what fails.
    if status.isSuccess { return Terminal(.output).write(Array("\(text)\n".utf8)) }
    guard text.hasPrefix(Blepera.errorPrefix) else { Blepera.exit(withError: error) }
    let lines = text.dropFirst(Blepera.errorPrefix.count).split(separator: "\n", omittingEmptySubsequences: false)
    CommandFailure.report(String(lines[0]))
    Terminal(.error).print(lines.dropFirst().map(String.init))
    Blepera.exit(withError: status)
  }
}

extension Blepera {
  /// What ArgumentParser writes before an error.
  static let errorPrefix = "Error: "

  /// Takes `--color WHEN`, which every command has, out of the words before `--`.
  static func takeColor(_ words: inout [String]) throws(ValidationError) -> Terminal.Color {
    let name = "--color"
    let end = words.firstIndex(of: "--") ?? words.endIndex
    guard let place = words[..<end].firstIndex(where: { $0 == name || $0.hasPrefix("\(name)=") }) else { return .auto }
    let isApart = words[place] == name
    let word = isApart ? words[..<end].dropFirst(place + 1).first ?? "" : String(words[place].dropFirst(name.count + 1))
    guard let color = Terminal.Color(rawValue: word) else {
      throw ValidationError("'--color \(word)' is not one of auto, always and never.")
    }
    words.removeSubrange(place...(isApart ? place + 1 : place))
    return color
  }

  /// The error of an unknown option, which ArgumentParser reports only where no argument is missing, or of a negative
  /// number, which it takes for an option.
  static func unknownOption(_ words: [String], behind error: any Error) -> any Error {
    let text = message(for: error)
    let isMissing = text.hasPrefix("Missing expected argument")
    if let place = words.firstIndex(where: { $0.hasPrefix("-") && Int($0) != nil }),
      isMissing || text == "Unknown option '\(words[place])'"
    {
      do { _ = try parseAsRoot(words[..<place] + ["--"] + words[place...]) } catch let other { return other }
    }
    guard isMissing else { return error }
    do { _ = try parseAsRoot(words + ["x", "x"]) } catch let other {
      if message(for: other).hasPrefix("Unknown option") { return other }
    }
    return error
  }

  static var commands: [any ParsableCommand.Type] { configuration.groupedSubcommands.flatMap { $0.subcommands } }

  fileprivate static func command(_ name: String) -> (any ParsableCommand.Type)? {
    commands.first { $0.configuration.commandName == name }
  }

  /// Says that a word is no command, which is the first, or the one after `help` or a command of commands; nil where
  /// there is no such word.
  static func unknownCommand(_ words: [String]) -> String? {
    let isHelp = words.first == "help" && words.count > 1
    let rest = isHelp ? words.dropFirst() : words[...]
    guard let word = rest.first, !word.hasPrefix("-") else { return nil }
    let names =
      commands.compactMap { $0.configuration.commandName } + ["help"]
    let known = isHelp ? names + HelpTopic.allCases.map(\.rawValue) : names
    guard known.contains(word) else { return refusal(of: word, known, before: "") }
    let parts = command(word)?.configuration.subcommands.compactMap { $0.configuration.commandName } ?? []
    guard !parts.isEmpty, let part = rest.dropFirst().first, !part.hasPrefix("-"), !(parts + ["help"]).contains(part)
    else { return nil }
    return refusal(of: part, parts, before: "\(word) ")
  }

  private static func refusal(of word: String, _ known: [String], before: String) -> String {
    let meant = NearestName.find(word, in: known).map { "; did you mean '\(before)\($0)'?" }
    return "there is no command '\(before)\(word)'\(meant ?? "; 'blepera \(before)--help' lists the commands")"
  }
}
