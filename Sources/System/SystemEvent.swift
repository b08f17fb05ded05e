package import BlueZ
package import Control
package import DBus
package import GATT
package import Policy

/// What happened, for whoever watches: a line each on a terminal.
package enum SystemEvent: Sendable {
  case radio(RadioState)
  /// The adapter does not let itself be powered on; it is tried again.
  case poweringFailed(adapter: String, DBusFailure)
  case published(ServiceDefinition, ServiceHandles)
  case publishingFailed(service: BluetoothUUID, reason: String)
  case unpublished(service: BluetoothUUID)
  /// All of the plan is on the air.
  ///
  /// `heedsInterval` says whether bluetoothd heeds the plan's interval, nil where it cannot be told.
  case advertising(AdvertisementPlan, heedsInterval: Bool?)
  /// An app has begun to advertise, and by the plan nothing is on the air.
  case silent(AdvertisementPlan)
  /// bluetoothd refuses; it is tried again.
  case advertisingFailed(DBusFailure)
  /// The radio has gone; it comes back by itself.
  case advertisingLost
  case advertisingStopped
  /// What the app has asked for is not advertised before its next foreground.
  case advertisingWithheld(app: String, RuleID)
  /// bluetoothd does not heed intervals; a sentence with what to do.
  case intervalsIgnored(String)
  /// An app's execution state.
  case state(app: String, AppState, StateReason)
  /// An event waits for a suspended app.
  case queued(app: String, Notice)
  /// An event that waited was dropped: too many did.
  case dropped(app: String, Notice)
  case terminated(app: String, TerminationCause)
  /// The app no longer runs, and what it has published and advertises stays (R7).
  case preserved(app: String, TerminationCause)
  /// What was kept of the app when the system ended is published again.
  case restored(app: String, services: [BluetoothUUID], subscribers: Int)
  /// The app's process is started again (R8).
  case relaunching(app: String, StateReason)
  case relaunchFailed(app: String, reason: String)
  /// Relaunching has failed too often; only the user launches it now.
  case relaunchGivenUp(app: String)
  /// The app is gone, and what it published with it.
  case ended(app: String)
  /// Kept for these centrals until they subscribe again.
  case kept([String], AttributeName, value: [UInt8])
  /// The preserved state was damaged and is set aside; a sentence.
  case stateDamaged(String)
  /// The preserved state cannot be saved; a sentence.
  case notSaved(String)
  case connected(RemoteDevice)
  case disconnected(RemoteDevice)
  case paired(RemoteDevice)
  case pairingRefused(RemoteDevice)
  case passkey(RemoteDevice, UInt32)
  case agentFailed(DBusFailure)
  case subscribed(RemoteDevice, AttributeName)
  case unsubscribed(RemoteDevice, AttributeName)
  /// Refused by the rule where there is one. `took` is the time from the request to the answer, nil where the system
  /// has answered at once.
  case read(
    RemoteDevice, AttributeName, offset: Int, Outcome, isCached: Bool, rule: RuleID?, took: Duration? = nil)
  /// `isAcknowledged` is false where the central waits for no answer, or bluetoothd has given it already.
  case write(
    RemoteDevice, AttributeName, offset: Int, value: [UInt8], error: ATTError?, isAcknowledged: Bool, rule: RuleID?,
    took: Duration? = nil)
  /// Handed to bluetoothd for these subscribers.
  case notified([RemoteDevice], AttributeName, value: [UInt8])
  /// Some central has confirmed an indication.
  case confirmed(AttributeName)
  case busLost
  /// What a user asks of the phone; what comes of it follows.
  case asked(ControlRequest)

  /// What waits for an app, and of which central.
  package enum Notice: Hashable, Sendable {
    case subscribed(String)
    case unsubscribed(String)
  }

  /// What a read was answered with.
  package enum Outcome: Hashable, Sendable {
    case value([UInt8])
    case error(ATTError)
  }
}
