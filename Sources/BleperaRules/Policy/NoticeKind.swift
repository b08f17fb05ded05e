/// The kind of an event that an app need not respond to.
package enum NoticeKind: String, Hashable, CaseIterable, Sendable {
  case subscribe
  case unsubscribe
  /// Any other callback: `didUpdateState`, `isReadyToUpdateSubscribers` and the like.
  case callback
}
