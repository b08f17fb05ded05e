import ArgumentParser
import BleperaCLI
import BleperaSimulation

struct ScenarioCheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check scenarios and their profiles for errors, without running them.",
    usage: "blepera scenario check [<options>] <file> ...",
    discussion: """
      Each diagnostic is a line in the form that compilers use:

        FILE:LINE:COLUMN: error: KEY PATH: found ..., expected ...

      The exit status is 2 if any file has an error, otherwise 0; warnings do not count.
      """)

  @Argument(
    help: ArgumentHelp("A scenario, a property list; a folder for all in it, - for standard input.", valueName: "file"),
    completion: .propertyList)
  var files: [String]

  @OptionGroup var output: CheckOptions

  func run() async throws {
    let errors = Terminal(.error)
    let files = ProfileFile.paths(files).map { ScenarioFile(path: $0, coloredFor: errors) }
    output.print(files, json: ScenarioCheckReport(files: files).json)
    if files.contains(where: { $0.scenario == nil }) { throw ExitCode.faultyInput }
  }
}

/// The result of `blepera scenario check`.
struct ScenarioCheckReport: CommandReport {
  let files: [ScenarioFile]

  private enum CodingKeys: CodingKey {
    case files
  }

  private struct File: Encodable {
    let file: String
    let diagnostics: [DiagnosticEntry]
    /// The title; nil, like the numbers, if the file has an error.
    let title: String?
    let apps: Int?
    let centrals: Int?
    let steps: Int?
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    let entries = files.map { file in
      File(
        file: file.path, diagnostics: file.diagnostics, title: file.scenario?.title, apps: file.scenario?.apps.count,
        centrals: file.scenario?.centrals.count, steps: file.scenario?.steps.count)
    }
    try container.encode(entries, forKey: .files)
  }

  func lines(for terminal: Terminal) -> [String] { files.flatMap(\.faults) + files.compactMap(\.summary) }
}
