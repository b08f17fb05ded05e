package import ArgumentParser

/// Reports the failure of a command.
package enum CommandFailure {
  /// Prints the reason on standard error.
  package static func report(_ reason: String) {
    let errors = Terminal(.error)
    errors.print("\(errors.styled("error:", .red)) \(reason)")
  }

  /// Prints the reason and returns the status to throw.
  package static func exit(_ reason: String, _ status: ExitCode = ExitCode(1)) -> ExitCode {
    report(reason)
    return status
  }
}
