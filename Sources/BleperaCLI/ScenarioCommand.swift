import ArgumentParser

struct ScenarioCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scenario",
    abstract: "Play stories of phones and centrals, and see whether they end as expected.",
    discussion: """
      A scenario is a property list: phones with their apps, centrals, steps in their order, and what is expected of \
      them. Nobody has to write code for it. docs/scenarios.md describes it.
      """,
    subcommands: [ScenarioRunCommand.self, ScenarioCheckCommand.self])
}
