import ArgumentParser

/// Why a command came to nothing.
enum CommandFailure {
  /// Says it, and is what is to be thrown.
  static func of(_ reason: String) -> ExitCode {
    let errors = Terminal(.error)
    errors.print("\(errors.styled("error:", .red)) \(reason)")
    return ExitCode(1)
  }
}
