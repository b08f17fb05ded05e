/// One line of the doctor: what was looked at, what it is like, and what to do about it.
package struct Finding: Hashable, Sendable {
  package enum Severity: Int, Comparable, Sendable {
    case good
    /// Works, with a difference that somebody may meet.
    case note
    /// blepera cannot serve until it is mended.
    case problem

    package static func < (left: Severity, right: Severity) -> Bool { left.rawValue < right.rawValue }
  }

  package let severity: Severity
  package let subject: String
  package let state: String
  /// Nil where there is nothing to do.
  package let advice: String?

  package init(_ severity: Severity, _ subject: String, _ state: String, advice: String? = nil) {
    self.severity = severity
    self.subject = subject
    self.state = state
    self.advice = advice
  }
}
