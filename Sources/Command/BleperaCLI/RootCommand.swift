package import ArgumentParser
import BleperaBluetooth
import BleperaEventLoop
import BleperaSessions
import Dispatch
import Glibc
import Synchronization

/// The version of blepera.
package enum Release {
  package static let version = "0.1.0"
}

/// The `blepera` command of a build, whose configuration lists the commands.
package protocol RootCommand: AsyncParsableCommand {
  /// The topics of `help TOPIC`, in their order.
  static var topics: [HelpTopic] { get }
}

/// A command whose last arguments are a command of their own, after `--`.
package protocol CommandRunner: ParsableCommand {}

extension RootCommand {
  /// Runs the command given by this process's arguments, and exits.
  ///
  /// Not `async`: the runtime opens descriptors before the first line of an asynchronous `main`.
  ///
  /// - Parameter hidden: runs another process of a session, and does not return, if the arguments request one.
  package static func runProcess(_ hidden: ([String]) -> Void = { _ in }) -> Never {
    StandardDescriptors.openAll()
    ControllerRights.resume(CommandLine.arguments)
    hidden(CommandLine.arguments)
    if let lack = ProcessLimits.lack { Glibc.exit(CommandFailure.exit(lack).rawValue) }
    // A handler makes a write beyond `ulimit -f` an error; started programs have the default action again.
    signal(SIGXFSZ) { _ in }
    // A task with the priority of `main` would start more threads.
    Task(priority: .medium) {
      await runCommand()
      Glibc.exit(OutputQueues.hasFailed ? ExitCode.failure.rawValue : TerminationSignals.exitStatus)
    }
    dispatchMain()
  }

  private static func runCommand() async {
    var words = Array(CommandLine.arguments.dropFirst())
    do throws(ValidationError) {
      let color = try takeColor(&words)
      Terminal.color.withLock { $0 = color }
    } catch {
      CommandFailure.report(error.message)
      exit(withError: ExitCode.validationFailure)
    }
    if words == ["-V"] { words = ["--version"] }
    if let unknown = unknownCommand(words) {
      CommandFailure.report(unknown)
      exit(withError: ExitCode.validationFailure)
    }
    if let topic = topic(words) {
      let terminal = Terminal(.output)
      terminal.print(topic.lines(for: terminal))
      if let command = command(topic.name) {
        terminal.print(text: "\nThe command 'blepera \(topic.name)':\n\n\(helpMessage(for: command))\n")
      }
      return
    }
    do {
      var command = try parseAsRoot(words)
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch {
      let error = unknownOption(words, behind: error)
      // ArgumentParser begins with 'Error:'; every other error of blepera begins with 'error:'.
      let text = fullMessage(for: error)
      let status = OutputQueues.hasFailed ? .failure : exitCode(for: error)
      if let name = words.first, command(name) is any CommandRunner.Type, !words.contains("--"),
        message(for: error).hasPrefix("Unexpected argument")
      {
        CommandFailure.report("\(message(for: error)); put -- before the command: blepera \(name) ... -- COMMAND")
        exit(withError: ExitCode.validationFailure)
      }
      if error is ExitCode { exit(withError: status) }
      // ArgumentParser would print a help text, the version or a completion script without checking for write errors.
      if status.isSuccess { return Terminal(.output).write(Array("\(text)\n".utf8)) }
      guard text.hasPrefix(errorPrefix) else { exit(withError: error) }
      let lines = text.dropFirst(errorPrefix.count).split(separator: "\n", omittingEmptySubsequences: false)
      CommandFailure.report(String(lines[0]))
      Terminal(.error).print(lines.dropFirst().map(String.init))
      exit(withError: status)
    }
  }

  /// The beginning of ArgumentParser's text of an error.
  static var errorPrefix: String { "Error: " }

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

  /// The error of an unknown option, which ArgumentParser reports only if no argument is missing, or of a negative
  /// number, which ArgumentParser reads as an option.
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

  /// The topic that `help TOPIC` requests; nil for other words.
  static func topic(_ words: [String]) -> HelpTopic? {
    guard words.count == 2, words[0] == "help" else { return nil }
    return topics.first { $0.name == words[1] }
  }

  static var commands: [any ParsableCommand.Type] { configuration.groupedSubcommands.flatMap { $0.subcommands } }

  private static func command(_ name: String) -> (any ParsableCommand.Type)? {
    commands.first { $0.configuration.commandName == name }
  }

  /// The error for a word that is not a command: the first word, or the word after `help` or after a group of commands;
  /// nil if there is no such word.
  static func unknownCommand(_ words: [String]) -> String? {
    let isHelp = words.first == "help" && words.count > 1
    let rest = isHelp ? words.dropFirst() : words[...]
    guard let word = rest.first, !word.hasPrefix("-") else { return nil }
    let names = commands.compactMap { $0.configuration.commandName } + ["help"]
    let known = isHelp ? names + topics.map(\.name) : names
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
