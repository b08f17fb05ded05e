/// What a central asks of a dynamic value; it waits for the answer of all but a command.
package enum RequestKind: String, Hashable, CaseIterable, Sendable {
  case read
  case write
  /// A write without response.
  case command
}
