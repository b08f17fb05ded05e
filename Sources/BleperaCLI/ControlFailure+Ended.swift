import Control

extension ControlFailure {
  /// Whether there is no system, or one that was just ending.
  var isOfEndedSystem: Bool {
    switch self {
    case .notRunning, .noAnswer: true
    case .badName, .unsafeFolder, .pathTooLong, .runsAlready, .system: false
    }
  }
}
