import BleperaEventLoop
import BleperaLoop
import Glibc

/// The command of a lab, and the signals that it receives.
struct CommandRun {
  /// The number of forwarded signals after which the command is killed.
  private static let signalLimit = 3

  fileprivate var process: ChildProcess?
  fileprivate var end: ChildProcess.End?
  private var signals = 0
  /// Kills the command if it ignores SIGHUP; nil while the bus runs.
  fileprivate var hangUp: EventSource?

  var isRunning: Bool { process != nil }

  /// Forwards a signal to the command, unless the command has received it from the terminal, as all foreground
  /// processes receive Ctrl-C. Without a terminal, the command has its own process group, which no signal to the lab
  /// reaches.
  mutating func forward(_ signal: CInt) {
    guard let process else { return }
    if signal == SIGINT, Self.isForegroundProcess { return }
    signals += 1
    process.send(signal: signals < Self.signalLimit ? signal : SIGKILL)
  }

  private static let terminals = [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO].filter { isatty($0) == 1 }

  /// Whether Ctrl-C in the terminal reaches this process.
  private static var isForegroundProcess: Bool { terminals.contains { tcgetpgrp($0) == getpgrp() } }

  /// Whether no terminal decides which processes are in the foreground.
  static var hasOwnGroup: Bool { terminals.isEmpty }
}

extension VirtualSession {
  /// A shell's exit status for a command that does not exist.
  static let notFound: CInt = 127
  /// A shell's exit status for a command that cannot be run.
  private static let notRunnable: CInt = 126

  /// Returns the exit status of the command, as a shell reports it.
  func runCommand(on radio: VirtualBus) async -> CInt {
    if let signal { return 128 + signal }
    radio.bus.commandWillStart()
    do throws(ChildProcess.Failure) {
      let process = try ChildProcess(
        options.command, environment: Dictionary(uniqueKeysWithValues: settings(of: radio).map { ($0.name, $0.value) }),
        hasOwnGroup: CommandRun.hasOwnGroup)
      radio.bus.track(process)
      command.process = process
      let source = loop.watch(process) { [weak self] end in
        self?.assumeIsolated { this in
          this.radio?.bus.track(nil)
          this.command.process = nil
          this.command.end = end
          this.wake()
        }
      }
      await wait { command.end != nil }
      withExtendedLifetime(source) {}
    } catch {
      radio.bus.track(nil)
      let isMissing = error.code == ENOENT
      let reason = isMissing ? "command not found" : unsafe String(cString: strerror(error.code))
      return fail("\(options.command[0]): \(reason)", isMissing ? Self.notFound : Self.notRunnable)
    }
    guard command.hangUp == nil else { return 1 }
    switch command.end {
    case .exited(let status)?: return status
    case .signalled(let signal)?: return 128 + signal
    case nil: return 1
    }
  }

  /// Ends the command if it runs; the lab then ends with status 1.
  func hangUp() {
    guard let process = command.process else { return }
    process.send(signal: SIGHUP)
    command.hangUp = loop.schedule(after: AppRuns.endTimeout) { [weak self] in
      self?.assumeIsolated { $0.command.process?.send(signal: SIGKILL) }
    }
  }
}
