import BleperaAppLink
import BleperaBluetooth
package import BleperaRules

extension StateReason {
  /// Why an app's state has changed.
  package var text: String {
    switch self {
    case .launched: "launched"
    case .relaunched: "relaunched by the system"
    case .userBroughtToFront: "moved to the foreground"
    case .userLeft: "moved to the background"
    case .otherAppOpened: "another app was opened"
    case .userSuspended: "suspended by the user"
    case .screenLocked: "the screen is off"
    case .screenUnlocked: "the screen is on"
    case .launchFinished: "its launch is over"
    case .gracePeriodExpired: "its time in the background is over"
    case .wokenForRequest(.read): "woken for a read"
    case .wokenForRequest(.write), .wokenForRequest(.command): "woken for a write"
    case .wokenForNotice(.subscribe): "woken for a subscription"
    case .wokenForNotice(.unsubscribe): "woken for the end of a subscription"
    case .wokenForNotice(.callback): "woken"
    case .wokenForNotice(.discovery): "woken for a discovery"
    case .wokenForNotice(.connection): "woken for a connection"
    case .wokenForNotice(.disconnection): "woken for a disconnection"
    case .wokenForNotice(.notification): "woken for a notification"
    case .wokenForNotice(.response): "woken for the response of a peripheral"
    case .wokenForNotice(.connectionEvent): "woken for a connection event"
    case .wokenForNotice(.change): "woken for a change of a peripheral"
    case .wokenForNotice(.power): "woken because Bluetooth is switched"
    case .finished: "it has finished its work"
    case .wakeBudgetExpired: "its time for the event is over"
    case .overran: "it exceeded its time for the event"
    case .phoneRestarted: "as before the phone's restart"
    case .terminated(let cause): "terminated: \(cause.text)"
    }
  }
}
