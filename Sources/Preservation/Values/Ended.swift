package import FoundationEssentials
package import Policy

/// How and when an app's process ended.
package struct Ended: Hashable, Sendable {
  package var cause: TerminationCause
  package var at: Date { didSet { at = at.wholeSecond } }

  package init(cause: TerminationCause, at: Date) {
    self.cause = cause
    self.at = at.wholeSecond
  }
}

extension Ended: StoredValue {
  init(reading fields: StateReader) throws {
    self.init(cause: try fields.value(.cause), at: try fields.value(.at))
  }

  func write(to fields: inout StateWriter) throws {
    try fields.value(cause, .cause)
    try fields.value(at, .at)
  }
}
