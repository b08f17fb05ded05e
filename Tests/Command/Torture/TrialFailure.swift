/// A fault that a trial has found, or the reason that the trial could not run.
struct TrialFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
