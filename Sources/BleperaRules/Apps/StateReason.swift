package import BleperaBluetooth
/// Why an app's state has changed.
package enum StateReason: Hashable, Sendable {
  case launched
  /// By the system (R8).
  case relaunched
  case userBroughtToFront
  case userLeft
  case userSuspended
  case screenLocked
  case screenUnlocked
  /// It has advertised, or its launch budget is over.
  case launchOver
  /// The time after entering the background is over (R4, R5).
  case graceOver
  case wokenForRequest(RequestKind)
  case wokenForNotice(NoticeKind)
  /// The time of a wake is over (R5).
  case budgetOver
  /// Cut off with a request unanswered (R6).
  case overstayed
  case ended(TerminationCause)
}
