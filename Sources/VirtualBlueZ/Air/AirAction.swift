package import GATT

/// What the air tells those outside.
package enum AirAction: Hashable, Sendable {
  case poweredOff(AdapterID)
  case advertising(AdvertisementID)
  case advertisementRefused(AdvertisementID, AdvertisementRefusal)
  /// Its Timeout has come, or its adapter has gone.
  case advertisementReleased(AdvertisementID)
  case heard(AdapterID, AdvertisementReport)

  case connected(ConnectionID, central: AdapterID, peripheral: AdapterID)
  case connectFailed(AdapterID, DeviceAddress)
  case disconnected(ConnectionID, central: AdapterID, peripheral: AdapterID)
  /// The central has discovered all services.
  case servicesResolved(ConnectionID)
  /// The central has discovered them again after Service Changed.
  case servicesChanged(ConnectionID)

  case pairingQuestion(ConnectionID, AdapterID, PairingQuestion)
  /// What the adapter was asked is no longer of interest.
  case pairingCancelled(ConnectionID, AdapterID)
  case paired(ConnectionID)

  /// With the handle of every characteristic's value and every descriptor, and of each service by its place.
  case published(ApplicationID, services: [AttributeHandle], objects: [Int: AttributeHandle])
  case publicationRefused(ApplicationID, PublicationRefusal)
  /// To be answered.
  case read(RequestID, ApplicationObject, AttributeRequestOptions)
  /// To be answered; nil where nobody waits for the answer.
  case write(RequestID?, ApplicationObject, [UInt8], AttributeRequestOptions)
  /// `isIndication` where the central has asked for that.
  case subscribed(ApplicationObject, ConnectionID, isFirst: Bool, isIndication: Bool)
  /// The connection is nil where it has ended.
  case unsubscribed(ApplicationObject, DeviceAddress, isLast: Bool)
  case confirmed(ApplicationObject, DeviceAddress)

  case completed(OperationID, Result<[UInt8], ClientFailure>)
  /// A notification or an indication, at the central.
  case valueChanged(ConnectionID, AttributeHandle, [UInt8])
}
