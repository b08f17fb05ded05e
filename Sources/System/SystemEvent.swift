package import BlueZ
package import DBus
package import GATT

/// What happened, for whoever watches: a line each on a terminal.
package enum SystemEvent: Sendable {
  case radio(RadioState)
  /// The adapter does not let itself be powered on; it is tried again.
  case poweringFailed(adapter: String, DBusFailure)
  case published(ServiceDefinition, ServiceHandles)
  case publishingFailed(service: BluetoothUUID, reason: String)
  case unpublished(service: BluetoothUUID)
  /// On the air. `left` are the service UUIDs for which the advertisement has no room.
  case advertising(localName: String?, serviceUUIDs: [BluetoothUUID], left: [BluetoothUUID])
  /// bluetoothd refuses; it is tried again.
  case advertisingFailed(DBusFailure)
  /// The radio has gone; it comes back by itself.
  case advertisingLost
  case advertisingStopped
  case connected(RemoteDevice)
  case disconnected(RemoteDevice)
  case paired(RemoteDevice)
  case pairingRefused(RemoteDevice)
  case passkey(RemoteDevice, UInt32)
  case agentFailed(DBusFailure)
  case subscribed(RemoteDevice, AttributeName)
  case unsubscribed(RemoteDevice, AttributeName)
  case read(RemoteDevice, AttributeName, offset: Int, Outcome, isCached: Bool)
  /// `isAcknowledged` is false where the central waits for no answer, or bluetoothd has given it already.
  case write(RemoteDevice, AttributeName, offset: Int, value: [UInt8], error: ATTError?, isAcknowledged: Bool)
  /// Handed to bluetoothd for these subscribers.
  case notified([RemoteDevice], AttributeName, value: [UInt8])
  /// Some central has confirmed an indication.
  case confirmed(AttributeName)
  case busLost

  /// What a read was answered with.
  package enum Outcome: Hashable, Sendable {
    case value([UInt8])
    case error(ATTError)
  }
}
