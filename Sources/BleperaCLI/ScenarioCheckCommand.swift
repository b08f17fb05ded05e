import ArgumentParser

struct ScenarioCheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Look for faults in scenarios and the profiles that they name, without playing them.",
    discussion: """
      Each fault is a line in the form that compilers use:

        FILE:LINE:COLUMN: error: KEY PATH: found ..., expected ...

      The exit status is 2 if there is an error in any file, otherwise 0; a warning is no error.
      """)

  @Argument(help: ArgumentHelp("A scenario, an XML or binary property list.", valueName: "file"))
  var files: [String]

  func run() async throws {
    let output = Terminal(.output)
    let errors = Terminal(.error)
    var isFaulty = false
    for path in files {
      let file = ScenarioFile(path: path, colouredFor: errors)
      file.faults.forEach(errors.print)
      if let summary = file.summary { output.print(summary) } else { isFaulty = true }
    }
    if isFaulty { throw ScenarioRunCommand.faultStatus }
  }
}
