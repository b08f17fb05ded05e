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
