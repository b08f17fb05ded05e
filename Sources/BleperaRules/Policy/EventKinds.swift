/// How a central accesses a dynamic value; the central waits for the response to all but a command.
package enum RequestKind: String, Hashable, CaseIterable, Sendable {
  case read
  case write
  /// A write without response.
  case command
}

/// The kind of an event that an app need not respond to.
package enum NoticeKind: String, Hashable, CaseIterable, Sendable {
  case subscribe
  case unsubscribe
  /// Any other callback: `didUpdateState`, `isReadyToUpdateSubscribers` and the like.
  case callback
}
