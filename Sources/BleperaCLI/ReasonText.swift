import Policy
import Profile

/// Why it is so, for all states together.
struct ReasonText {
  let terminal: Terminal
  let states: [StateExplanation]

  /// Of the column that says in which state.
  private static let tagWidth = 12

  /// What became of what the apps ask for, where it is not advertised as it was asked for.
  var reasons: [String] {
    let rows = states.flatMap { state in
      let interval = state.plan.pace == .background ? state.plan.interval.map { ["interval: \($0) (R3)"] } : nil
      return tagged(state.state.rawValue, state.apps.flatMap { reasons(of: $0, state) } + (interval ?? []))
    }
    return titled("Why it is so", rows)
  }

  private func reasons(of app: ExplainedApp, _ state: StateExplanation) -> [String] {
    let reasons = state.plan.reasons.filter { $0.app == app.id }.map { reason in
      "\(text(reason.field)): \(text(reason.fate)) (\(reason.rule))"
    }
    guard state.apps.count > 1, !reasons.isEmpty else { return reasons }
    return ["\(app.identifier):"] + reasons
  }

  private func text(_ field: AdvertisedField) -> String {
    switch field {
    case .localName(let name): Quote.text(name)
    case .serviceUUID(let uuid): "\(uuid)"
    }
  }

  private func text(_ fate: PlanReason.Fate) -> String {
    switch fate {
    case .shortened(let name): "shortened to \(Quote.text(name))"
    case .movedToOverflow, .movedToScanResponse, .dropped, .merged, .withheld, .kept: "\(fate)"
    }
  }

  /// Each once, with the states that have it.
  var differences: [String] {
    var all: [AdvertisementDifference] = []
    for difference in states.flatMap(\.plan.differences) where !all.contains(difference) { all.append(difference) }
    let rows = all.flatMap { difference in
      let having = states.filter { $0.plan.differences.contains(difference) }
      return tagged(having.count > 1 ? "both" : having.first?.state.rawValue ?? "", ["\(difference)"])
    }
    return titled("Where BlueZ differs from an iPhone", rows)
  }

  /// Those that were named above.
  var rules: [String] {
    let cited = Set(states.flatMap(\.citedRules))
    let rows = RuleSet.rules.filter { cited.contains($0) }.flatMap { rule in
      labelled("\(rule.id)", 5, "\(rule.name): \(rule.meaning)")
    }
    return titled("Rules", rows)
  }

  private func titled(_ title: String, _ rows: [String]) -> [String] {
    guard !rows.isEmpty else { return [] }
    return [terminal.styled(title, .bold)] + rows
  }

  private func tagged(_ tag: String, _ rows: [String]) -> [String] {
    guard states.count > 1 else { return rows.flatMap { labelled("", 2, $0) } }
    return rows.enumerated().flatMap { labelled($0 == 0 ? tag : "", Self.tagWidth, $1) }
  }

  private func labelled(_ label: String, _ width: Int, _ text: String) -> [String] {
    TextLayout.wrapped(text, to: terminal.columns - width).enumerated().map { index, line in
      terminal.styled(TextLayout.padded(index == 0 ? label : "", to: width), .cyan) + line
    }
  }
}
