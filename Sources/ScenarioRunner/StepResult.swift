package import Scenario

/// What became of one step.
package struct StepResult: Hashable, Sendable {
  package enum Outcome: Hashable, Sendable {
    case passed
    /// What was seen, and what was expected.
    case failed(String)
    /// It could not be done.
    case broken(String)
    /// A step before it has failed.
    case skipped
  }

  package let line: Int
  package let text: String
  package let note: String?
  package var outcome: Outcome
  /// On the clock of the story.
  package var start: Duration
  package var end: Duration
  /// What happened during the step and before it, if it has failed.
  package var trace: [String] = []

  package init(_ step: Scenario.Step, _ outcome: Outcome, start: Duration, end: Duration, trace: [String] = []) {
    line = step.line
    text = step.text
    note = step.note
    self.outcome = outcome
    self.start = start
    self.end = end
    self.trace = trace
  }

  /// Why it has failed; nil where it has not.
  package var failure: String? {
    switch outcome {
    case .failed(let reason), .broken(let reason): reason
    case .passed, .skipped: nil
    }
  }
}
