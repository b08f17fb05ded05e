package import GATT

extension Scenario {
  /// What is expected of an app that no central can see; what is nil does not matter.
  package struct AppExpectation: Hashable, Sendable {
    package var state: AppState?
    package var launches: Int?
    package var restoredServices: [BluetoothUUID]?
    /// Names of centrals.
    package var restoredSubscribers: [String]?

    package init(state: AppState? = nil, launches: Int? = nil, restoredSubscribers: [String]? = nil) {
      self.state = state
      self.launches = launches
      self.restoredSubscribers = restoredSubscribers
    }
  }
}
