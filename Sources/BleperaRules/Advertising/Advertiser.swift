package import BleperaBluetooth
/// An app that has started advertising, as the planner sees it.
package struct Advertiser: Hashable, Sendable {
  package let app: AppID
  package let state: AppState
  /// Whether `UIBackgroundModes` has `bluetooth-peripheral`.
  package let hasBackgroundMode: Bool
  /// What the app asked for last; nil where it has stopped.
  package let asked: AdvertisementData?
  /// What counts: other than `asked` while R12 withholds a change.
  package let granted: AdvertisementData?
  package let overrides: RuleOverrides

  package init(
    app: AppID, state: AppState, hasBackgroundMode: Bool, asked: AdvertisementData?, granted: AdvertisementData?,
    overrides: RuleOverrides = RuleOverrides()
  ) {
    self.app = app
    self.state = state
    self.hasBackgroundMode = hasBackgroundMode
    self.asked = asked
    self.granted = granted
    self.overrides = overrides
  }

  /// One from which nothing is withheld.
  package init(
    app: AppID, state: AppState, hasBackgroundMode: Bool, fields: AdvertisementData,
    overrides: RuleOverrides = RuleOverrides()
  ) {
    self.init(
      app: app, state: state, hasBackgroundMode: hasBackgroundMode, asked: fields, granted: fields,
      overrides: overrides)
  }

  /// One that does not run is one whose advertisement is preserved (R7): as if in the background.
  var isInBackground: Bool { state == .background || state == .suspended || state == .notRunning }
}
