import ArgumentParser
import Policy
import Profile

struct ExplainCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Print what an iPhone would send for profiles, and what BlueZ will, without a radio.",
    discussion: """
      For each state: every byte of both, AD structure by AD structure, the overflow area with the UUID behind each bit, \
      what centrals see, who answers them, and by which rule. The foreground and the background stand side by side where \
      the terminal has 99 columns. Several profiles are several apps on one phone, in the order in which they start. A \
      faulty profile is reported as by `blepera check`, with exit status 1.
      """)

  @Argument(help: ArgumentHelp("A profile, an XML or binary property list.", valueName: "file"))
  var files: [String]

  @Option(help: ArgumentHelp("Where the apps are; by default the foreground and the background.", valueName: "state"))
  var state: ExplainedState?

  @Option(help: ArgumentHelp("The version of iOS whose rules apply.", valueName: "version"))
  var ios = IOSVersion.newest

  @Flag(help: "Print a JSON object on one line.")
  var json = false

  func run() async throws {
    let files = ProfileFiles(files, colouredFor: Terminal(.error))
    for line in files.faults { Terminal(.error).print(line) }
    guard let apps = files.apps else { throw ExitCode(1) }
    explanation(of: apps).print(on: Terminal(.output), asJSON: json)
  }

  func explanation(of apps: [ExplainedApp]) -> Explanation {
    Explanation(apps, in: state.map { [$0] } ?? [.foreground, .background], RuleSet(ios))
  }
}
