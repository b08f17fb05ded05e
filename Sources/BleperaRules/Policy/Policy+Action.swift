package import BleperaBluetooth

extension Policy {
  /// What the shell has to do, in order.
  package enum Action: Hashable, Sendable {
    /// Let it run, or stop it. Before `notRunning` comes what becomes of its requests and of what waits for it.
    case setState(AppID, AppState, StateReason)
    /// Tell the app; the answer to a read or a write is then waited for.
    case deliver(AppID, EventID)
    /// Keep the event: `deliver`, `refuse` or `drop` follows.
    case queue(AppID, EventID)
    /// Answer the central, by the rule if it is one; what the app says later counts for nothing.
    case refuse(AppID, EventID, ATTError, RuleID?)
    /// Forget the event.
    case drop(AppID, EventID, DropReason)
    /// What the app has just asked for is not on the air before its next foreground, by the rule.
    case withholdAdvertising(AppID, RuleID)
    /// Forget what all apps have published.
    case clearDatabase
    /// Start its process anew, into the background, for the reason: `launched` or `relaunchFailed` is to follow. What is
    /// left of an earlier relaunch is to be ended first.
    case relaunch(AppID, StateReason)
    /// Tell it `willRestoreState` and `didUpdateState`; what has waited follows.
    case restore(AppID)
    /// It is not relaunched any more, as that has failed too often; the user may launch it.
    case giveUp(AppID)
    /// It has left: take back what it has published, forget what is preserved, end a relaunch that is under way.
    case forget(AppID)
    /// Put the plan's packet on the air in place of the one there; the packet or its interval differs from the last.
    case air(AdvertisementPlan)
    /// End its process, or a relaunch that is under way: `setState` to `notRunning` has come before it, and no `ended` is
    /// waited for.
    case terminate(AppID, TerminationCause)
    /// Give `deadline` at that time, in place of the time before; nil cancels it.
    case schedule(at: Duration?)
  }
}
