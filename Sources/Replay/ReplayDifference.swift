/// Where what happens now is not what the trace tells.
package struct ReplayDifference: Hashable, Sendable {
  /// Of the trace.
  package let line: Int
  /// What the trace has there; nil where it has nothing like it.
  package let expected: Moment?
  /// What comes in its place; nil where nothing does.
  package let actual: Moment?
  /// Why, where that is known: a sentence's middle.
  package var note: String?
}
