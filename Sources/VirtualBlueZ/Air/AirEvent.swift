package import GATT

/// What happens to the air from outside.
package enum AirEvent: Hashable, Sendable {
  /// Nothing but that time has passed.
  case tick
  case added(AdapterID, AdapterDescription)
  case removed(AdapterID)
  case set(AdapterID, AdapterSetting)
  case conditions(AirConditions)
  /// What the two measure of each other, in dBm; nil for what the conditions say.
  case rssi(AdapterID, AdapterID, Int?)
  /// In the place of what held between the two.
  case between(AdapterID, AdapterID, PairConditions)
  /// From now on nothing gets through over the connection of the two.
  case cut(AdapterID, AdapterID)
  /// The same, from a PDU on that is still to come, of this connection or a later one; nil for not at all.
  case cutAt(AdapterID, AdapterID, LinkCut?)

  case advertise(AdvertisementID, on: AdapterID, AdvertisementContent)
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
  case answerPairing(ConnectionID, AdapterID, PairingAnswer)
  /// The adapter forgets the key of a device.
  case unpair(AdapterID, DeviceAddress)

  case publish(ApplicationID, on: AdapterID, [PublishedService])
  case unpublish(ApplicationID)
  /// One service, by its place in the application.
  case unpublishService(ApplicationID, Int)
  case answer(RequestID, Result<[UInt8], ATTError>)
  /// To every subscriber, or to the device alone.
  case updateValue(ApplicationObject, [UInt8], only: DeviceAddress?)

  case perform(OperationID, ConnectionID, ClientOperation)
}
