import BleperaBluetooth

/// R15: whether an app is relaunched, by occasion and version.
extension RuleSet {
  static func relaunch(_ version: IOSVersion) -> [RelaunchOccasion: Sourced<RelaunchOutcome>] {
    let isNew = version >= .ios26
    // Apple's tables are of iOS 10, 11 and 26.
    let standing: Standing = version <= .ios11 || isNew ? .documented : .ours
    let source =
      switch version {
      case ...(.ios11): "Apple QA1962"
      case ..<(.ios26): "Apple QA1962 (iOS 11); no other table before TN3115 (iOS 26)"
      default: "Apple TN3115"
      }
    return Dictionary(
      uniqueKeysWithValues: RelaunchOccasion.allCases.map { occasion in
        let outcome: RelaunchOutcome =
          switch occasion {
          case .suspended: .resumed
          case .memoryPressure, .crash: .relaunched
          case .forceQuit: isNew ? .relaunchedWithAccessorySetup : .notRelaunched
          case .exceededLimits: .notRelaunched
          case .bluetoothSwitchedInSettings, .airplaneMode: .notRelaunched
          case .bluetoothToggledInControlCenter:
            isNew ? .relaunchedWithAccessorySetup : version == .ios10 ? .notRelaunched : .relaunched
          case .reboot: version == .ios10 ? .notRelaunched : .relaunchedAfterFirstUnlock
          }
        let sourced =
          switch occasion {
          case .exceededLimits: Sourced(outcome, .ours, "not in Apple's tables")
          case .bluetoothToggledInControlCenter where !isNew:
            Sourced(
              outcome, .ours,
              version == .ios10
                ? "not in Apple's table; up to iOS 10 the button switched Bluetooth off, as Settings do"
                : "in no table of Apple's before TN3115 (iOS 26); the button disconnects and leaves Bluetooth on")
          case .airplaneMode: Sourced(outcome, standing, "\(source); where it switches Bluetooth off")
          default: Sourced(outcome, standing, source)
          }
        return (occasion, sourced)
      })
  }
}
