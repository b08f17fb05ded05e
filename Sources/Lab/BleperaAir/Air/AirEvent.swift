package import BleperaBluetooth
package import BleperaHost
import BleperaRadio

/// An input of the air.
package enum AirEvent: Hashable, Sendable {
  /// Only time has passed.
  case tick
  /// Indirect, because an event is copied, and this one is twice as long as any other.
  indirect case added(AdapterID, AdapterDescription)
  case removed(AdapterID)
  case set(AdapterID, AdapterSetting)
  case conditions(AirConditions)
  /// Replaces the conditions between two adapters.
  case between(AdapterID, AdapterID, PairConditions)
  /// From now on no packet arrives over the connection of the two.
  case cut(AdapterID, AdapterID)
  /// Cuts this or a later connection of the two at a future PDU; nil cancels the cut.
  case cutAt(AdapterID, AdapterID, LinkCut?)

  /// `lifetime` and `events`, the number of advertising events, are nil for an advertisement that stays until withdrawn.
  case advertise(AdvertisementID, on: AdapterID, AdvertisingPackets, lifetime: Duration? = nil, events: Int? = nil)
  /// Changes what an advertisement sends from its next event on. The times of the events, the lifetime and the number of
  /// events stay as they are.
  case replacePackets(AdvertisementID, AdvertisingPackets)
  case withdraw(AdvertisementID)
  /// Nil ends the scan.
  case scan(AdapterID, ScanWindow?)

  /// Connects at the next connectable advertisement of the device, if the address is then the device's.
  case connect(AdapterID, to: DeviceAddress)
  case cancelConnect(AdapterID, to: DeviceAddress)
  /// How the adapter listens for the devices to which it connects, beside its scan; nil for always.
  case listen(AdapterID, ScanWindow?)
  /// The host above a controller connects, without a limit of time; nil ends the attempt.
  case attempt(AdapterID, ConnectionAttempt?)
  /// What the host above a controller does with a connection.
  case link(ConnectionID, by: AdapterID, LinkRequest)
  /// `by` is the side that disconnects.
  case disconnect(ConnectionID, by: AdapterID)
  case pair(ConnectionID, OperationID, by: AdapterID)
  case cancelPairing(ConnectionID)
  case respondToPairing(ConnectionID, AdapterID, PairingResponse)
  /// The adapter deletes the keys of a device, by its identity address.
  case unpair(AdapterID, DeviceAddress)

  case publish(ApplicationID, on: AdapterID, [PublishedService])
  case unpublish(ApplicationID)
  /// Removes one service, by its position in the application.
  case unpublishService(ApplicationID, Int)
  /// The adapter changes a central's Client Characteristic Configuration, by the handle of the characteristic's value.
  case configure(AdapterID, AttributeHandle, of: DeviceAddress, to: UInt16, over: ConnectionID? = nil)
  case respond(AdapterID, AttributeRequestID, Result<[UInt8], ATTError>)
  /// Sends a value to the given subscribers; nil for all.
  case updateValue(ApplicationObject, [UInt8], to: Set<DeviceAddress>?)

  /// `by`: nil for the central of the connection.
  case perform(OperationID, ConnectionID, ClientOperation, by: AdapterID? = nil)
  /// Measures the signal strength of the connection.
  case readRSSI(OperationID, ConnectionID)
  /// The central of a connection whose stack does not discover services itself asks for the MTU; it knows the services
  /// as they were over an earlier connection.
  case exchangeMTU(ConnectionID, knowing: [RemoteService])
  /// It discovers the services that are not as it knows them.
  case discover(ConnectionID)

  /// Lets centrals open L2CAP channels with that number, of which they may have several.
  case publishChannel(AdapterID, L2CAPPSM, isEncrypted: Bool)
  /// Channels that are open stay open.
  case unpublishChannel(AdapterID, L2CAPPSM)
  /// Opens a channel; completes with the two bytes of the number of the adapter's end.
  case openChannel(OperationID, by: AdapterID, ConnectionID, L2CAPPSM)
  case writeChannel(AdapterID, ChannelEnd, [UInt8])
  /// That many bytes of the channel's input have been read.
  case readChannel(AdapterID, ChannelEnd, count: Int)
  case closeChannel(AdapterID, ChannelEnd)
}

/// An output of the air.
package enum AirAction: Hashable, Sendable {
  case poweredOff(AdapterID)
  case advertising(AdvertisementID)
  /// The adapter is switched off.
  case advertisementRefused(AdvertisementID)
  /// The advertisement's lifetime has expired, or its last event is over; `events` is the number of all its events.
  case advertisementReleased(AdvertisementID, events: Int)
  case received(AdapterID, AdvertisementReport)

  /// Carries the address with which the central began to connect.
  case connected(ConnectionID, central: AdapterID, peripheral: AdapterID, as: DeviceAddress)
  /// The adapter is switched off.
  case connectFailed(AdapterID, DeviceAddress)
  /// `cause` is that of the central's host.
  case disconnected(ConnectionID, central: AdapterID, peripheral: AdapterID, cause: DisconnectionCause)
  /// What a controller reports to its host.
  case link(ConnectionID, to: AdapterID, LinkNotice)

  /// What the host of an adapter does for its user.
  case host(AdapterID, HostAction)
  /// An operation that no host has.
  case completed(OperationID, Result<ClientAnswer, ClientFailure>)
}
