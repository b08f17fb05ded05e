/// What a central asks of a dynamic value; it waits for the answer.
package enum RequestKind: String, Hashable, CaseIterable, Sendable {
  case read
  case write
}
