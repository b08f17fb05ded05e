import Policy

/// What `blepera explain` says.
struct Explanation: CommandReport, Equatable {
  let ios: Int
  let apps: [ExplainedApp]
  let states: [StateExplanation]

  init(_ apps: [ExplainedApp], in states: [ExplainedState], _ rules: RuleSet) {
    ios = rules.version.rawValue
    self.apps = apps
    self.states = states.map { StateExplanation($0, apps, rules) }
  }

  func lines(for terminal: Terminal) -> [String] { ExplanationText(terminal: terminal).lines(self) }
}
