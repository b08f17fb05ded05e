import AppLink

extension TerminationReason {
  var text: String {
    switch self {
    case .forceQuit: "quit by the user"
    case .memoryPressure: "memory pressure"
    case .exceededLimits: "it has exceeded its limits"
    case .reboot: "the phone is rebooted"
    case .shutDown: "the phone is shut down"
    }
  }
}
