package import BleperaAppLink
package import BleperaBluetooth
package import BleperaRadio
package import BleperaRules
package import FoundationEssentials

/// An event of a phone, which is one line on a terminal.
package enum PhoneEvent: Sendable {
  case radio(RadioState)
  /// The adapter cannot be powered on; the radio retries.
  case poweringFailed(adapter: String, RadioFailure)
  case published(ServiceDefinition, ServiceHandles)
  case publishingFailed(service: BluetoothUUID, reason: String)
  case unpublished(service: BluetoothUUID)
  /// The service has these handles from now on, because others on the adapter may have its own.
  case moved(BluetoothUUID, ServiceHandles)
  /// The whole plan is on the air.
  ///
  /// `intervalHonored`: whether the radio applies the plan's interval, nil where nothing is on the air.
  case advertising(AdvertisementPlan, intervalHonored: Bool?)
  /// An app has started advertising, but the plan puts nothing on the air.
  case silent(AdvertisementPlan)
  /// The radio cannot advertise; it retries.
  case advertisingFailed(RadioFailure)
  /// The advertisement is off the air; the radio restores it automatically.
  case advertisingLost
  case advertisingStopped
  /// The requested advertisement is not on the air until the app's next foreground.
  case advertisingWithheld(app: String, RuleID)
  /// The radio ignores intervals: what it does instead, and what the user can do.
  case intervalsIgnored(String)
  /// The radio was to send exact packets and cannot, for this reason, two sentences.
  case packetsNotExact(String)
  /// An app's execution state has changed.
  case state(app: String, AppState, StateReason)
  /// An event is queued for a suspended app.
  case queued(app: String, Notice)
  /// An event will not reach its app, by the rule.
  case dropped(app: String, Notice, RuleID)
  case terminated(app: String, TerminationCause)
  /// The app was terminated; its services and its advertisement are preserved (R7).
  case preserved(app: String, TerminationCause)
  /// The app's services are published again, as preserved when the phone ended, and the phone waits for its
  /// peripherals; or, with `since` nil, an app that was launched again on the phone has received them (R9).
  ///
  /// `peripherals`: their addresses. `subscriptions`: the app's own, to characteristics of peripherals. `isSuspended`:
  /// whether the app's process stays suspended if it runs on. `since`: when the app's state was first kept.
  case restored(
    app: String, services: [BluetoothUUID], subscribers: Int, peripherals: [PeripheralID] = [],
    subscriptions: Int = 0, isSuspended: Bool, since: Date?)
  /// The screen is off, as it was when the phone ended.
  case screenRestored
  /// The app's process is started again (R8).
  case relaunching(app: String, StateReason)
  case relaunchFailed(app: String, reason: String)
  /// Too many relaunches failed: only the user launches the app.
  case relaunchGivenUp(app: String)
  /// The app was removed with its services.
  case ended(app: String)
  /// A call of an app that Core Bluetooth ignores, because Bluetooth is not on.
  case apiMisuse(call: String, ManagerState)
  /// An update is kept for these centrals until they subscribe again.
  case kept([String], AttributeName, value: [UInt8])
  /// The preserved state was corrupt and is quarantined; a sentence.
  case stateDamaged(String)
  /// The preserved state cannot be saved; a sentence.
  case notSaved(String)
  case connected(RadioCentral)
  case disconnected(RadioCentral)
  case paired(RadioCentral)
  /// The user has forgotten a device, whose keys the phone has deleted.
  case bondForgotten(address: String, isCentral: Bool)
  /// One side of a bond lacks something; the reason says which side, and the cure.
  case bondLost(address: String, isCentral: Bool, reason: String)
  /// The phone's user has to take part in a pairing.
  case pairingQuestion(PairingQuestion)
  case pairingRefused(RadioCentral, PairingRefusal)
  case passkey(RadioCentral, UInt32)
  case pairingUnavailable(RadioFailure)
  /// Centrals can open an L2CAP channel.
  case l2capPublished(L2CAPPSM, isEncrypted: Bool)
  /// An L2CAP channel of an app cannot be published.
  case l2capFailed(RadioFailure)
  case l2capUnpublished(L2CAPPSM)
  case l2capOpened(ChannelPeer, L2CAPPSM)
  /// The bytes that the app has received over the channel and sent.
  case l2capClosed(ChannelPeer, L2CAPPSM, received: Int, sent: Int)
  case subscribed(RadioCentral, AttributeName)
  case unsubscribed(RadioCentral, AttributeName)
  /// `rule` is the rule that caused a refusal. `took` is the time from the request to the response; nil where the phone
  /// responded at once.
  case read(
    RadioCentral, AttributeName, offset: Int, Outcome, isCached: Bool, rule: RuleID?, took: Duration? = nil)
  /// `isAcknowledged` is false where the central expects no response, or bluetoothd has already sent it. `piece` is nil
  /// for a write that is a request of its own.
  case write(
    RadioCentral, AttributeName, offset: Int, value: [UInt8], error: ATTError?, isAcknowledged: Bool, rule: RuleID?,
    took: Duration? = nil, piece: Piece? = nil)
  /// An update was sent to these subscribers, to each as much as its ATT_MTU leaves.
  case notified([RadioCentral], AttributeName, value: [UInt8])
  /// An update was not sent: the radio cannot send it to the centrals named alone; a clause.
  case updateRefused(AttributeName, value: [UInt8], reason: String)
  /// A central has confirmed an indication.
  case confirmed(AttributeName)
  /// An app has discovered a peripheral.
  case discovered(PeripheralID, Discovery)
  case peripheralConnected(PeripheralID, name: String?)
  /// The reason is a clause.
  case peripheralDisconnected(PeripheralID, reason: String)
  /// A value that an app has read from a peripheral, or was notified of.
  case received(PeripheralID, AttributeName, value: [UInt8])
  /// A write without response is not sent; the reason is a clause. The name is nil for a handle that is not known.
  case writeDropped(PeripheralID, AttributeName?, value: [UInt8], reason: String)
  /// The user is shown an alert of a suspended app that has asked for it, and may open the app; the reason is a clause.
  case alert(app: String, PeripheralID, reason: String)
  /// The radio has stopped permanently; the reason is a sentence.
  case radioEnded(String)
  /// A part of the machine that the radio needs has ended, and the radio waits for it.
  case radioInterrupted(String)
  /// A user's request to the phone; events of its effects follow.
  case asked(ControlRequest)

  /// Whether the event is a read, a write, an update or a confirmation, of which there may be thousands a second.
  package var isValue: Bool {
    switch self {
    case .read, .write, .notified, .confirmed: true
    default: false
    }
  }

  /// A queued event of an app, with its central.
  package enum Notice: Hashable, Sendable {
    case subscribed(String)
    case unsubscribed(String)
    /// A callback of a central manager's delegate.
    case callback(String, PeripheralID?)
  }

  /// The place of a write among those of a request that succeed or fail together.
  package struct Piece: Hashable, Sendable {
    /// From 1.
    package let number: Int
    package let count: Int
  }

  /// The result of a read.
  package enum Outcome: Hashable, Sendable {
    case value([UInt8])
    case error(ATTError)
  }
}
