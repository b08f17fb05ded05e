import BleperaBluetooth

/// R15: whether an app is relaunched, by trigger and version.
extension RuleSet {
  static func relaunch(_ version: IOSVersion) -> [RelaunchTrigger: Sourced<RelaunchOutcome>] {
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
      uniqueKeysWithValues: RelaunchTrigger.allCases.map { trigger in
        let outcome: RelaunchOutcome =
          switch trigger {
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
          switch trigger {
          case .exceededLimits:
            Sourced(
              outcome, .reported, "Leverage Background Bluetooth in an iOS App, an article; not in Apple's tables")
          case .bluetoothToggledInControlCenter where !isNew:
            Sourced(
              outcome, .ours,
              version == .ios10
                ? "not in Apple's table; up to iOS 10 the button switched Bluetooth off, as Settings do"
                : "in no table of Apple's before TN3115 (iOS 26); the button disconnects and leaves Bluetooth on")
          case .airplaneMode: Sourced(outcome, standing, "\(source); where it switches Bluetooth off")
          default: Sourced(outcome, standing, source)
          }
        return (trigger, sourced)
      })
  }
}

/// The circumstances of an app before its next Bluetooth event (R15).
package enum RelaunchTrigger: String, Hashable, CaseIterable, Sendable {
  case suspended
  case memoryPressure
  case crash
  case forceQuit
  case exceededLimits
  case bluetoothSwitchedInSettings
  case bluetoothToggledInControlCenter
  case airplaneMode
  case reboot
}

/// The system's reaction to a Bluetooth event of an app that opts in to state restoration (R15).
package enum RelaunchOutcome: String, Hashable, Sendable {
  case resumed
  case relaunched
  case relaunchedAfterFirstUnlock
  /// Relaunched only if the app uses AccessorySetupKit.
  case relaunchedWithAccessorySetup
  case notRelaunched
}
