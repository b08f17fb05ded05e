/// The result of playing a scenario.
package struct ScenarioResult: Hashable, Sendable {
  package let title: String
  /// The path as it was given.
  package let file: String
  package let steps: [StepResult]

  package var hasPassed: Bool { steps.allSatisfy { $0.outcome == .passed } }
  /// On the story's clock.
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

/// The result of one step.
package struct StepResult: Hashable, Sendable {
  package enum Outcome: Hashable, Sendable {
    case passed
    /// Describes the outcome and the expectation.
    case failed(String)
    /// The step could not be performed.
    case broken(String)
    /// An earlier step has failed.
    case skipped

    /// As in JSON: `passed`, `failed`, `error` or `skipped`.
    package var name: String {
      switch self {
      case .passed: "passed"
      case .failed: "failed"
      case .broken: "error"
      case .skipped: "skipped"
      }
    }
  }

  package let line: Int
  package let text: String
  package let note: String?
  package var outcome: Outcome
  /// On the story's clock.
  package var start: Duration
  package var end: Duration
  /// The trace of the step and shortly before; empty unless the step failed.
  package var trace: [String] = []

  package init(_ step: Scenario.Step, _ outcome: Outcome, start: Duration, end: Duration, trace: [String] = []) {
    line = step.line
    text =
      switch outcome {
      case .failed, .broken: step.actionText
      case .passed, .skipped: step.text
      }
    note = step.note
    self.outcome = outcome
    self.start = start
    self.end = end
    self.trace = trace
  }

  /// Why the step failed; nil if it did not.
  package var failure: String? {
    switch outcome {
    case .failed(let reason), .broken(let reason): reason
    case .passed, .skipped: nil
    }
  }
}
