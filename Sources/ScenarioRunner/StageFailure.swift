/// Why something cannot be done on a stage, where the fault is not the phone's.
package struct StageFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// A whole sentence, without a period at its end.
  package let description: String

  package init(_ description: String) { self.description = description }
}
