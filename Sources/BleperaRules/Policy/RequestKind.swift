/// How a central accesses a dynamic value; the central waits for the response to all but a command.
package enum RequestKind: String, Hashable, CaseIterable, Sendable {
  case read
  case write
  /// A write without response.
  case command
}
