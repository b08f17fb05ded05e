/// What playing a scenario came to.
package struct ScenarioResult: Hashable, Sendable {
  package let title: String
  /// As it was given.
  package let file: String
  package let steps: [StepResult]

  package init(title: String, file: String, steps: [StepResult]) {
    self.title = title
    self.file = file
    self.steps = steps
  }

  package var hasPassed: Bool { steps.allSatisfy { $0.outcome == .passed } }
  /// On the clock of the story.
  package var duration: Duration { steps.last.map { $0.end } ?? .zero }
}

extension ScenarioResult {
  /// `killed-overnight` for `scenarios/killed-overnight.plist`.
  package var name: String { Self.name(of: file) }

  package static func name(of file: String) -> String {
    let last = file.split(separator: "/").last.map(String.init) ?? file
    return last.hasSuffix(".plist") && last != ".plist" ? String(last.dropLast(6)) : last
  }
}
