package import BleperaBluetooth

/// The planner's view of a manager that has started advertising.
package struct Advertiser: Hashable, Sendable {
  package let app: AppID
  package let manager: ManagerID
  package let state: AppState
  /// Whether `UIBackgroundModes` has `bluetooth-peripheral`.
  package let hasBackgroundMode: Bool
  /// Its last request; nil after it stopped advertising.
  package let requested: AdvertisementData?
  /// The advertisement in effect; differs from `requested` while R12 withholds the request.
  package let effective: AdvertisementData?
  package let overrides: RuleOverrides

  package init(
    app: AppID, manager: ManagerID = .number(0), state: AppState, hasBackgroundMode: Bool,
    requested: AdvertisementData?, effective: AdvertisementData?, overrides: RuleOverrides = RuleOverrides()
  ) {
    self.app = app
    self.manager = manager
    self.state = state
    self.hasBackgroundMode = hasBackgroundMode
    self.requested = requested
    self.effective = effective
    self.overrides = overrides
  }

  /// Creates an advertiser whose request is in effect.
  package init(
    app: AppID, state: AppState, hasBackgroundMode: Bool, fields: AdvertisementData,
    overrides: RuleOverrides = RuleOverrides()
  ) {
    self.init(
      app: app, state: state, hasBackgroundMode: hasBackgroundMode, requested: fields, effective: fields,
      overrides: overrides)
  }

  /// Also true for an app that does not run: its preserved advertisement counts as one in the background (R7).
  var isInBackground: Bool { state == .background || state == .suspended || state == .notRunning }
}
