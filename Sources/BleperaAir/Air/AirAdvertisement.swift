/// What an advertisement puts on the air, byte for byte.
package struct AdvertisingPackets: Hashable, Sendable {
  package var data: [UInt8]
  package var scanResponse: [UInt8]
  package var isConnectable: Bool
  /// In extended PDUs, which scanners of legacy PDUs do not receive.
  package var isExtended: Bool
  /// The mean time between two events, before the delay of up to 10 ms that each event adds.
  package var interval: Duration

  package init(
    data: [UInt8], scanResponse: [UInt8] = [], isConnectable: Bool = true, isExtended: Bool = false,
    interval: Duration
  ) {
    self.data = data
    self.scanResponse = scanResponse
    self.isConnectable = isConnectable
    self.isExtended = isExtended
    self.interval = interval
  }
}

/// Why an adapter refuses an advertisement.
package enum AdvertisingRefusal: Error, Hashable, Sendable {
  case poweredOff
  /// The controller has no more instances.
  case tooMany
}

/// An advertisement that an adapter has accepted.
struct AirAdvertisement: Sendable {
  /// onAir -> suspended, lost; suspended -> onAir, lost. A lost advertisement stays lost: bluetoothd believes that it
  /// is on the air and does not start it again (measured).
  enum State: Hashable, Sendable {
    case onAir
    /// Until the connection that ended it ends.
    case suspended(ConnectionID)
    case lost
  }

  let adapter: AdapterID
  let packets: AdvertisingPackets
  var state: State
  /// Tells the events of one time on the air from those of another.
  var turn: Int
}

/// When a scanner listens.
package struct ScanWindow: Hashable, Sendable {
  package var interval: Duration
  /// The part of the interval, from its beginning, in which it listens.
  package var window: Duration
  /// Whether it requests the scan response.
  package var isActive: Bool

  /// The default is the kernel's for discovery: 11.25 ms of every 11.25 ms.
  package init(
    interval: Duration = .microseconds(11250), window: Duration = .microseconds(11250), isActive: Bool = true
  ) {
    self.interval = interval
    self.window = window
    self.isActive = isActive
  }

  /// Whether it listens that long after its beginning.
  package func isOpen(after elapsed: Duration) -> Bool {
    guard window < interval else { return true }
    let phase = elapsed - interval * Int(elapsed / interval)
    return phase < window
  }
}

/// One advertising event as a scanner has received it.
package struct AdvertisementReport: Hashable, Sendable {
  package let address: DeviceAddress
  package let isConnectable: Bool
  /// In dBm.
  package let rssi: Int
  package let data: [UInt8]
  /// Empty where the scanner is passive or there is none.
  package let scanResponse: [UInt8]
}
