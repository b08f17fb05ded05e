import GATT

/// What the air has to do later.
enum AirTimer: Hashable, Sendable {
  case advertisingEvent(AdvertisementID, turn: Int)
  case advertisementEnds(AdvertisementID, turn: Int)
  case connectTimesOut(AdapterID, DeviceAddress, attempt: Int)
  case discovered(ConnectionID)
  case rediscovered(ConnectionID)
  case requestTimesOut(RequestID)
  case arrives(ConnectionID, LinkPacket)
  /// What could not get through may now.
  case released(ConnectionID)
  case supervisionEnds(ConnectionID, turn: Int)
}
