package import GATT
package import Scenario

/// What no central sees of an app.
package struct AppView: Hashable, Sendable {
  package var state: Scenario.AppState
  package var launches: Int
  package var restoredServices: [BluetoothUUID]
  /// Names of centrals.
  package var restoredSubscribers: [String]

  package init(
    state: Scenario.AppState, launches: Int, restoredServices: [BluetoothUUID], restoredSubscribers: [String]
  ) {
    self.state = state
    self.launches = launches
    self.restoredServices = restoredServices
    self.restoredSubscribers = restoredSubscribers
  }
}
