/// The options of `connect(_:options:)`.
package struct ConnectOptions: Hashable, Codable, Sendable {
  package var notifiesOnConnection = false
  package var notifiesOnDisconnection = false
  package var notifiesOnNotification = false
  package var autoReconnects = false
  package var requiresANCS = false
  /// In seconds.
  package var startDelay = 0.0

  package init() {}
}

/// The queue of an app's writes without response to a peripheral, which the system has and the app counts.
package enum WriteQueue {
  /// The free places before the first write is sent; the source is given at `writeQueue` of the rules.
  package static let places = 20
}
