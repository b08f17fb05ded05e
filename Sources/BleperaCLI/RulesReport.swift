import Policy

/// What `blepera rules` says.
struct RulesReport: CommandReport, Equatable {
  let ios: Int
  let rules: [RuleEntry]
  let values: [ValueEntry]

  struct RuleEntry: Encodable, Equatable {
    let id: String
    let name: String
    let meaning: String
    let scope: String
    let source: String
    /// Whether blepera obeys it today.
  }

  struct ValueEntry: Encodable, Equatable {
    /// Nil for a value that is no rule of iOS, and then not in the JSON either.
    let rule: String?
    let name: String
    let value: String
    let source: String
  }

  init(_ ruleSet: RuleSet) {
    ios = ruleSet.version.rawValue
    rules = RuleSet.rules.map { rule in
      RuleEntry(
        id: "\(rule.id)", name: rule.name, meaning: rule.meaning, scope: rule.scope, source: rule.source)
    }
    values = ruleSet.values.map { value in
      ValueEntry(rule: value.rule.map { "\($0)" }, name: value.name, value: value.text, source: value.source)
    }
  }

  func lines(for terminal: Terminal) -> [String] {
    let text = RulesText(terminal: terminal)
    let rules = rules.map { rule in text.rule(rule, values.filter { $0.rule == rule.id }) }
    let others = values.filter { $0.rule == nil }
    return Array(([[text.title(ios: ios)]] + rules + [text.others(others)]).joined(separator: [""]))
  }
}
