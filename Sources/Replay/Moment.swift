package import EventTrace

/// An event of a trace, or of what happens now.
package struct Moment: Hashable, Sendable {
  /// Of the trace; nil for what happens now.
  package let line: Int?
  /// Since the trace's first event.
  package let time: Duration
  package let record: EventRecord
  /// The phone's place in the header.
  package let phone: Int
  /// Further values that would do as well: those just before and just after this moment, as hexadecimal digits.
  package var alternatives: [String] = []

  package init(line: Int? = nil, time: Duration, phone: Int = 0, _ record: EventRecord, alternatives: [String] = []) {
    self.line = line
    self.time = time
    self.phone = phone
    self.record = record
    self.alternatives = alternatives
  }
}
