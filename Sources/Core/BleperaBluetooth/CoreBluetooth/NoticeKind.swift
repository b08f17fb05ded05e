/// The kind of an event that an app need not respond to.
package enum NoticeKind: String, Hashable, Codable, CaseIterable, Sendable {
  case subscribe
  case unsubscribe
  /// Any other callback: `didUpdateState`, `isReadyToUpdateSubscribers` and the like.
  case callback

  // Events of a central manager

  case discovery
  case connection
  case disconnection
  /// A notification or an indication of a peripheral.
  case notification
  /// The response of a peripheral to a call of the app.
  case response
  /// A change of a peripheral that its manager has to learn: its services or its name have changed, or the system
  /// restores a connection that has ended with the power of the radio.
  case change
  /// `connectionEventDidOccur`
  case connectionEvent
  /// Bluetooth is switched.
  case power
}
