package import Policy

/// The policy's reasons in words.
extension StateReason {
  package var text: String {
    switch self {
    case .launched: "launched"
    case .relaunched: "relaunched by the system"
    case .userBroughtToFront: "brought to the front"
    case .userLeft: "left"
    case .userSuspended: "suspended by the user"
    case .screenLocked: "the screen is off"
    case .screenUnlocked: "the screen is on"
    case .launchOver: "its launch is over"
    case .graceOver: "its time in the background is over"
    case .wokenForRequest(.read): "woken for a read"
    case .wokenForRequest(.write), .wokenForRequest(.command): "woken for a write"
    case .wokenForNotice(.subscribe): "woken for a subscription"
    case .wokenForNotice(.unsubscribe): "woken for the end of a subscription"
    case .wokenForNotice(.callback): "woken"
    case .budgetOver: "its budget is over"
    case .overstayed: "cut off: it has overstayed its budget"
    case .ended(let cause): "ended: \(cause.text)"
    }
  }
}

extension TerminationCause {
  package var text: String {
    switch self {
    case .memoryPressure: "memory pressure"
    case .crash: "a crash or a kill"
    case .forceQuit: "the user's force quit"
    case .exceededLimits: "it has exceeded its limits"
    case .reboot: "a reboot"
    }
  }
}
