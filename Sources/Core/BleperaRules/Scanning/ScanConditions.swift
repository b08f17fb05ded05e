package import BleperaBluetooth

extension RuleSet {
  /// Until when the phone scans more often after its screen was lit or an app was opened; nil where it does not.
  package func litEnd(from now: Duration) -> Duration? {
    let time = litScan.value.time
    return time > .zero ? now + time : nil
  }
}

/// The conditions on which an app's reception of advertisements depends (R16).
package struct ScanConditions: Hashable, Sendable {
  /// Whether the user sees the app.
  package var isForeground: Bool
  package var isScreenOn: Bool
  /// Whether the app started a Live Activity before it moved to the background.
  package var hasLiveActivity: Bool
  /// Whether the screen was lit, the phone unlocked or an app opened less than 10 s ago.
  package var isLit: Bool

  package init(isForeground: Bool, isScreenOn: Bool, hasLiveActivity: Bool = false, isLit: Bool = false) {
    self.isForeground = isForeground
    self.isScreenOn = isScreenOn
    self.hasLiveActivity = hasLiveActivity
    self.isLit = isLit
  }

  /// Whether the app may scan without services and receive duplicates.
  package func scansFreely(_ rules: RuleSet) -> Bool {
    isForeground || hasLiveActivity && rules.liveActivityScans.value
  }

  /// Whether the scan receives anything: one in the background must specify services.
  package func isEffective(_ request: ScanRequest, _ rules: RuleSet) -> Bool {
    scansFreely(rules) || !request.services.isEmpty || !request.solicitedServices.isEmpty
  }

  /// Whether the scan requests scan responses.
  package func isActive(_ rules: RuleSet) -> Bool {
    switch rules.backgroundScanResponses.value {
    case .never: isForeground
    case .screenOn: isScreenOn
    }
  }

  /// Whether the scan reads overflow areas.
  package func readsOverflow(_ rules: RuleSet) -> Bool {
    !rules.defects.contains(.backgroundLost) && (isScreenOn || !rules.overflowNeedsScreen.value)
  }

  /// How an app's scan listens.
  ///
  /// - Parameter isWaiting: whether the app waits for a connection, for which a sleeping phone may listen more (R17).
  package func timing(_ rules: RuleSet, isWaiting: Bool = false) -> ScanTiming {
    if isForeground { return rules.foregroundScan.value }
    if isScreenOn { return isLit ? rules.litScan.value.timing : rules.backgroundScan.value }
    let (scan, connections) = (rules.sleepScan.value, rules.connectionTiming(isScreenOn: false))
    return isWaiting && connections.share > scan.share ? connections : scan
  }
}
