package import BleperaBluetooth

/// A callback of `CBCentralManagerDelegate`.
package enum CentralCallback: Hashable, Sendable {
  case willRestoreState(RestoredCentralState)
  case didUpdateState(ManagerState)
  case didDiscover(PeripheralDescription, DiscoveredAdvertisement)
  case didConnect(PeripheralDescription)
  case didFailToConnect(PeripheralID, error: CentralError?)
  /// `timestamp`: the end of the connection, by the phone's clock. `isReconnecting`: the system connects again of its
  /// own (`CBConnectPeripheralOptionEnableAutoReconnect`).
  case didDisconnectPeripheral(PeripheralID, timestamp: Timestamp, isReconnecting: Bool, error: CentralError?)
  case connectionEventDidOccur(PeripheralDescription, isConnected: Bool)
  /// The response to `retrievePeripherals` and to `retrieveConnectedPeripherals`.
  case didRetrievePeripherals([PeripheralDescription])
  indirect case peripheral(PeripheralID, PeripheralCallback)
}

/// A callback of `CBPeripheralDelegate`. A nil `error` is success.
package enum PeripheralCallback: Hashable, Sendable {
  /// `CBPeripheral.name`, or a change of the MTU.
  case didUpdate(PeripheralDescription)
  /// The services that are no longer valid.
  case didModifyServices([AttributeHandle])
  case didReadRSSI(Int, error: CentralError?)
  /// All that have been discovered by the app and are those that it asked for.
  case didDiscoverServices([RemoteServiceDescription], error: CentralError?)
  case didDiscoverIncludedServices([RemoteServiceDescription], service: AttributeHandle, error: CentralError?)
  case didDiscoverCharacteristics(
    [RemoteCharacteristicDescription], service: AttributeHandle, error: CentralError?)
  case didDiscoverDescriptors([RemoteDescriptorDescription], characteristic: AttributeHandle, error: CentralError?)
  /// The response to a read, or a notification or indication.
  case didUpdateValue(AttributeHandle, value: [UInt8], error: CentralError?)
  case didWriteValue(AttributeHandle, error: CentralError?)
  case didUpdateNotificationState(characteristic: AttributeHandle, isNotifying: Bool, error: CentralError?)
  /// So many writes without response have left the buffer of the system, which has `WriteQueue.places` places: they
  /// were sent, or dropped because there was no place. From this the app knows `canSendWriteWithoutResponse`, and calls
  /// `peripheralIsReady(toSendWriteWithoutResponse:)`, unless it is silent. Wakes no app.
  case didSendWritesWithoutResponse(Int, isSilent: Bool = false)
  /// Without an error, a stream socket for the channel's bytes comes with the message, as a descriptor; `id` is the
  /// phone's number for the channel.
  case didOpenL2CAPChannel(id: Int, psm: L2CAPPSM, error: CentralError?)
}
