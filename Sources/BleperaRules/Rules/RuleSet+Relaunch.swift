import BleperaBluetooth
/// R15: whether an app is relaunched, by what became of it and by version.
extension RuleSet {
  static func relaunch(_ version: IOSVersion) -> [RelaunchOccasion: Sourced<RelaunchOutcome>] {
    let isNew = version >= .ios26
    let source =
      switch version {
      case .ios11: "Apple QA1962"
      case .ios13, .ios14, .ios18: "Apple QA1962 (iOS 11); no other table before TN3115 (iOS 26)"
      case .ios26: "Apple TN3115"
      }
    return Dictionary(
      uniqueKeysWithValues: RelaunchOccasion.allCases.map { occasion in
        let outcome: RelaunchOutcome =
          switch occasion {
          case .suspended: .resumed
          case .memoryPressure, .crash: .relaunched
          case .forceQuit: isNew ? .relaunchedWithAccessorySetup : .notRelaunched
          case .exceededLimits: .notRelaunched
          case .bluetoothSwitchedInSettings: .notRelaunched
          case .bluetoothToggledInControlCenter, .airplaneMode: isNew ? .relaunchedWithAccessorySetup : .relaunched
          case .reboot: .relaunchedAfterFirstUnlock
          }
        return (
          occasion, Sourced(outcome, occasion == .exceededLimits ? "not in Apple's tables; ours" : source)
        )
      })
  }
}
