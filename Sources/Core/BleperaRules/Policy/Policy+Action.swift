package import BleperaBluetooth

extension Policy {
  /// An action for the shell; actions are performed in order.
  package enum Action: Hashable, Sendable {
    /// Run or stop the app. Before `notRunning`, other actions refuse its requests and drop queued events.
    case setState(AppID, AppState, StateReason)
    /// Send the event to the app, which must then respond to a read or a write.
    case deliver(AppID, EventID)
    /// Queue the event: `deliver`, `refuse` or `drop` follows.
    case queue(AppID, EventID)
    /// Respond to the central with the error, which the rule causes if there is one. Ignore a later response of the
    /// app.
    case refuse(AppID, EventID, ATTError, RuleID?)
    /// Discard the event.
    case drop(AppID, EventID, DropReason)
    /// The rule keeps the advertisement that the app has just requested off the air until its next foreground.
    case withholdAdvertising(AppID, RuleID)
    /// Remove the services of all apps.
    case clearDatabase
    /// Launch the app's process into the background for the reason, then send `launched` or `relaunchFailed`. Terminate
    /// a process that is left of an earlier relaunch first.
    case relaunch(AppID, StateReason)
    /// Send `willRestoreState` and `didUpdateState`; the queued events follow.
    case restore(AppID)
    /// Too many relaunches failed: the app is not relaunched anymore, but the user may launch it.
    case giveUp(AppID)
    /// Remove the app, its services, its preserved state and a relaunch in progress.
    case forget(AppID)
    /// Remove a manager of the app, and its services.
    case forgetManager(AppID, ManagerID)
    /// Replace the advertisement on the air with the plan's; the packet or the interval has changed.
    case air(AdvertisementPlan)
    /// Terminate the app's process or a relaunch in progress; `setState` to `notRunning` precedes this action, and no
    /// `terminated` event is expected.
    case terminate(AppID, TerminationCause)
    /// Send `deadline` at this time, which replaces the previous time; nil cancels the deadline.
    case schedule(at: Duration?)
  }
}

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
  case terminated(TerminationCause)
}

/// Why an event is never delivered to its app.
package enum DropReason: Hashable, Sendable {
  /// The queue was full, and this was the oldest event that may be dropped.
  case queueFull
  /// The app was terminated, and by the rule no later process receives the event.
  case appEnded(RuleID)
  /// The app has not created the event's manager in time.
  case noManager
  /// There is no such app.
  case noApp

  /// The rule by which the event is dropped.
  package var rule: RuleID? {
    switch self {
    case .queueFull: .r4
    case .appEnded(let rule): rule
    case .noManager: .r9
    case .noApp: nil
    }
  }
}
