import ArgumentParser
import EventTrace

/// Where the events go besides the terminal.
struct RecordOptions: ParsableArguments {
  @Option(
    name: .customLong("record"),
    help: ArgumentHelp("Write the event trace to a file, for 'blepera replay'.", valueName: "file"))
  var path: String?

  /// Nil where nothing is to be recorded. A line that cannot be written is told on standard error.
  ///
  /// - Throws: `ExitCode` where the file cannot be written, which it has said.
  func start() throws -> TraceWriter? {
    guard let path else { return nil }
    do throws(TraceWriter.Failure) {
      return try TraceWriter(path) { failure in
        let errors = Terminal(.error)
        errors.print("\(errors.styled("error:", .red)) \(failure)")
      }
    } catch {
      throw CommandFailure.of("\(error)")
    }
  }
}
