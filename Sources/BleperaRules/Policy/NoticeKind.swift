/// What an app is told and need not answer.
package enum NoticeKind: String, Hashable, CaseIterable, Sendable {
  case subscribe
  case unsubscribe
  /// Any other callback: `didUpdateState`, `isReadyToUpdateSubscribers` and the like.
  case callback
}
