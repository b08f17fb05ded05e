package import BleperaBluetooth

/// Why an app's state has changed.
package enum StateReason: Hashable, Sendable {
  case launched
  /// The system launched the app (R8).
  case relaunched
  case userBroughtToFront
  case userLeft
  /// The user opened another app (R11).
  case otherAppOpened
  case userSuspended
  case screenLocked
  case screenUnlocked
  /// The app started advertising, or its launch budget expired.
  case launchFinished
  /// The grace period after the move to the background expired (R4, R5).
  case gracePeriodExpired
  case wokenForRequest(RequestKind)
  case wokenForNotice(NoticeKind)
  /// The app has finished its work (R5).
  case finished
  /// The wake budget expired (R5).
  case wakeBudgetExpired
  /// The app exceeded its time with a pending request (R6).
  case overran
  /// The phone's process was replaced, and the app is as before.
  case phoneRestarted
  case ended(TerminationCause)
}
