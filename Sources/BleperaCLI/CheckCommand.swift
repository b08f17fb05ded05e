import ArgumentParser

struct CheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Look for faults in profiles, without a radio.",
    discussion: """
      Each fault is a line in the form that compilers use:

        FILE:LINE:COLUMN: error: KEY PATH: found ..., expected ...

      In a binary property list the line is 1 and the column counts bytes. The exit status is 1 if there is an error in \
      any file, otherwise 0; a warning is no error.
      """)

  @Argument(help: ArgumentHelp("A profile, an XML or binary property list.", valueName: "file"))
  var files: [String]

  func run() async throws {
    let output = Terminal(.output)
    let errors = Terminal(.error)
    var isFaulty = false
    for file in files {
      let report = CheckReport(ProfileFile(path: file), colouredFor: errors)
      for line in report.faults { errors.print(line) }
      if let summary = report.summary { output.print(summary) } else { isFaulty = true }
    }
    if isFaulty { throw ExitCode(1) }
  }
}
