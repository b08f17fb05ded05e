package import ArgumentParser
import Glibc

/// The exit statuses of every command. `ArgumentParser` ends with 64 for a wrong command line.
extension ExitCode {
  /// A file that was given has an error or cannot be read.
  package static let faultyInput = ExitCode(2)

  /// Ends the process with success at SIGINT, as commands do that repeat until Ctrl-C.
  static func succeedAtInterrupt() { signal(SIGINT) { _ in _exit(0) } }
}
