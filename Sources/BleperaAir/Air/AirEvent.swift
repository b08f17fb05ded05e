package import BleperaBluetooth

/// What happens to the air from outside.
package enum AirEvent: Hashable, Sendable {
  /// Nothing but that time has passed.
  case tick
  case added(AdapterID, AdapterDescription)
  case removed(AdapterID)
  case set(AdapterID, AdapterSetting)
  case conditions(AirConditions)
  /// The signal strength between the two, in dBm; nil for the value of the conditions.
  case rssi(AdapterID, AdapterID, Int?)
  /// In the place of what held between the two.
  case between(AdapterID, AdapterID, PairConditions)
  /// From now on nothing gets through over the connection of the two.
  case cut(AdapterID, AdapterID)
  /// The same, from a PDU on that is still to come, of this connection or a later one; nil for not at all.
  case cutAt(AdapterID, AdapterID, LinkCut?)

  /// `lifetime` is nil where it stays until it is withdrawn.
  case advertise(AdvertisementID, on: AdapterID, AdvertisingPackets, lifetime: Duration? = nil)
  case withdraw(AdvertisementID)
  /// Nil ends it.
  case scan(AdapterID, ScanWindow?)

  case connect(AdapterID, to: DeviceAddress)
  /// As `connect`, without waiting for the next advertisement of a device that can be connected to now.
  case connectAtOnce(AdapterID, to: DeviceAddress)
  case cancelConnect(AdapterID, to: DeviceAddress)
  case disconnect(ConnectionID)
  case pair(ConnectionID, OperationID, by: AdapterID)
  case cancelPairing(ConnectionID)
  case respondToPairing(ConnectionID, AdapterID, PairingResponse)
  /// The adapter forgets the key of a device.
  case unpair(AdapterID, DeviceAddress)

  case publish(ApplicationID, on: AdapterID, [PublishedService])
  case unpublish(ApplicationID)
  /// One service, by its place in the application.
  case unpublishService(ApplicationID, Int)
  case respond(RequestID, Result<[UInt8], ATTError>)
  /// To these subscribers; nil for all.
  case updateValue(ApplicationObject, [UInt8], to: Set<DeviceAddress>?)
  /// Reports `hasRoom` once, as soon as fewer bytes than that are on their way from the adapter to its centrals.
  case awaitRoom(AdapterID, below: Int)

  case perform(OperationID, ConnectionID, ClientOperation)
}

/// What the air reports.
package enum AirAction: Hashable, Sendable {
  case poweredOff(AdapterID)
  case advertising(AdvertisementID)
  case advertisementRefused(AdvertisementID, AdvertisingRefusal)
  /// Its lifetime is over, or its adapter was removed.
  case advertisementReleased(AdvertisementID)
  case received(AdapterID, AdvertisementReport)

  case connected(ConnectionID, central: AdapterID, peripheral: AdapterID)
  case connectFailed(AdapterID, DeviceAddress)
  case disconnected(ConnectionID, central: AdapterID, peripheral: AdapterID)
  /// The central has discovered all services.
  case servicesResolved(ConnectionID)
  /// The central has discovered them again after Service Changed.
  case servicesChanged(ConnectionID)

  case pairingRequest(ConnectionID, AdapterID, PairingRequest)
  /// The question to the adapter needs no answer any more.
  case pairingCancelled(ConnectionID, AdapterID)
  case paired(ConnectionID)

  /// With the handle of every characteristic's value and every descriptor, and of each service by its place.
  case published(ApplicationID, services: [AttributeHandle], objects: [Int: AttributeHandle])
  case publicationRefused(ApplicationID, PublicationRefusal)
  /// To be answered with `answer`.
  case read(RequestID, ApplicationObject, AttributeRequestOptions)
  /// To be answered with `answer`, except where there is no number.
  case write(RequestID?, ApplicationObject, [UInt8], AttributeRequestOptions)
  /// `isIndication` where the central has requested indications.
  case subscribed(ApplicationObject, ConnectionID, isFirst: Bool, isIndication: Bool)
  /// The connection is nil where it has ended.
  case unsubscribed(ApplicationObject, DeviceAddress, isLast: Bool)
  case confirmed(ApplicationObject, DeviceAddress)
  case hasRoom(AdapterID)

  case completed(OperationID, Result<[UInt8], ClientFailure>)
  /// A notification or an indication, at the central.
  case valueChanged(ConnectionID, AttributeHandle, [UInt8])
}

/// The circumstances of a read or a write.
package struct AttributeRequestOptions: Hashable, Sendable {
  package let connection: ConnectionID
  /// The central.
  package let device: DeviceAddress
  /// The ATT_MTU of the link, in bytes.
  package let mtu: Int
  package var offset = 0
  /// The application only decides whether the device may write.
  package var isPrepareAuthorize = false

  package init(
    connection: ConnectionID, device: DeviceAddress, mtu: Int, offset: Int = 0, isPrepareAuthorize: Bool = false
  ) {
    self.connection = connection
    self.device = device
    self.mtu = mtu
    self.offset = offset
    self.isPrepareAuthorize = isPrepareAuthorize
  }
}
