package import BleperaAppLink
package import BleperaRadio
package import BleperaBluetooth
package import BleperaRules

/// What happened on a phone: a line each on a terminal.
package enum PhoneEvent: Sendable {
  case radio(RadioState)
  /// The adapter does not let itself be powered on; it is tried again.
  case poweringFailed(adapter: String, RadioFailure)
  case published(ServiceDefinition, ServiceHandles)
  case publishingFailed(service: BluetoothUUID, reason: String)
  case unpublished(service: BluetoothUUID)
  /// All of the plan is on the air.
  ///
  /// `intervalHonored`: whether the radio applies the plan's interval, nil where nothing is on the air.
  case advertising(AdvertisementPlan, intervalHonored: Bool?)
  /// An app has begun to advertise, and by the plan nothing is on the air.
  case silent(AdvertisementPlan)
  /// The radio cannot advertise; it is tried again.
  case advertisingFailed(RadioFailure)
  /// The radio has gone; it comes back by itself.
  case advertisingLost
  case advertisingStopped
  /// What the app has asked for is not advertised before its next foreground.
  case advertisingWithheld(app: String, RuleID)
  /// The radio ignores intervals; what it does instead, and what to do about it.
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
  case connected(RadioCentral)
  case disconnected(RadioCentral)
  case paired(RadioCentral)
  case pairingRefused(RadioCentral)
  case passkey(RadioCentral, UInt32)
  case pairingUnavailable(RadioFailure)
  case subscribed(RadioCentral, AttributeName)
  case unsubscribed(RadioCentral, AttributeName)
  /// Refused by the rule where there is one. `took` is the time from the request to the response, nil where the phone
  /// has responded at once.
  case read(
    RadioCentral, AttributeName, offset: Int, Outcome, isCached: Bool, rule: RuleID?, took: Duration? = nil)
  /// `isAcknowledged` is false where the central waits for no answer, or bluetoothd has given it already.
  case write(
    RadioCentral, AttributeName, offset: Int, value: [UInt8], error: ATTError?, isAcknowledged: Bool, rule: RuleID?,
    took: Duration? = nil)
  /// Sent to these subscribers.
  case notified([RadioCentral], AttributeName, value: [UInt8])
  /// Some central has confirmed an indication.
  case confirmed(AttributeName)
  /// The radio has ended for good; a sentence.
  case radioEnded(String)
  /// What a user asks of the phone; its effects follow.
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
