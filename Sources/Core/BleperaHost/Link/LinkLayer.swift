package import BleperaBluetooth

/// A request to a link layer.
package enum LinkLayerRequest: Hashable, Sendable {
  case power(Bool)
  /// The payload of data PDUs where a connection begins, in bytes.
  case dataLength(Int)
  /// Changes the private address before its time.
  case changeAddress
  /// The link layer has exactly these defects.
  case defects(Set<PhoneDefect>)

  /// `lifetime` and `events`, the number of advertising events, are nil for an advertisement that stays until
  /// withdrawn. Indirect, because requests are copied, and the packets are longer than the others.
  indirect case advertise(AdvertisementID, AdvertisingPackets, lifetime: Duration? = nil, events: Int? = nil)
  /// Changes what an advertisement sends from its next event on. The times of the events, the lifetime and the number
  /// of events stay as they are.
  indirect case replacePackets(AdvertisementID, AdvertisingPackets)
  case withdraw(AdvertisementID)
  /// Nil ends the scan.
  case scan(ScanWindow?)

  /// Connects at the next connectable advertisement of the device, if the address is then the device's.
  case connect(DeviceAddress)
  case cancelConnect(DeviceAddress)
  /// The window in which the link layer listens for the devices to which it connects, beside its scan; nil for always.
  case listen(ScanWindow?)
  /// Connects as a host above a controller does, without a limit of time; nil ends the attempt.
  indirect case attempt(ConnectionAttempt?)
  case link(ConnectionID, LinkRequest)
  /// Measures the signal strength of the connection.
  case readRSSI(OperationID, ConnectionID)
}

/// An event of a link layer.
package enum LinkLayerEvent: Hashable, Sendable {
  /// Advertisements, connections and scans have ended.
  case poweredOff
  /// The link layer has vanished, and its advertisements, connections, scans and attempts to connect have ended; a
  /// sentence says why.
  case removed(String)
  /// A link layer that had vanished, or was not there at the start, is there.
  case added

  case advertising(AdvertisementID)
  /// The link layer is switched off.
  case advertisementRefused(AdvertisementID)
  /// The advertisement's lifetime has expired, or its last event is over; `events` is the number of all its events.
  case advertisementReleased(AdvertisementID, events: Int)
  case received(AdvertisementReport)

  case connected(ConnectionID, LinkOpening)
  /// The link layer is switched off.
  case connectFailed(DeviceAddress)
  /// To a link layer without a host: a host takes the notices of its links.
  case link(ConnectionID, LinkNotice)
  /// In dBm; nil without the connection.
  case rssi(OperationID, Int?)
}
