import ArgumentParser
import Policy

struct RulesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rules",
    abstract: "Print the rules by which an iPhone is emulated, with their values and sources.",
    discussion: """
      Each rule says what iOS does, and to which apps; below it stand the values that it needs, as they are in one \
      version of iOS, each with the document or capture that it is from. Where nobody has published a value it is \
      blepera's own and says so. The last values belong to no rule of iOS.
      """)

  @Option(help: ArgumentHelp("The version of iOS whose values are printed.", valueName: "version"))
  var ios = IOSVersion.newest

  @Flag(help: "Print a JSON object on one line.")
  var json = false

  var report: RulesReport { RulesReport(RuleSet(ios)) }

  func run() throws { report.print(on: Terminal(.output), asJSON: json) }
}
