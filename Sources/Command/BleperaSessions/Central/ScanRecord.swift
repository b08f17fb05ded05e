import BleperaAppLink
package import BleperaBlueZ
package import BleperaBluetooth
package import BleperaRules

/// An event of `blepera scan`, as a JSON object: a line of `--json`. docs/schema/scan.json describes the keys.
package struct ScanRecord: Encodable, Sendable {
  package var time = ""
  package var event: Kind
  /// The version of the format; only in the event `started`.
  package var version: Int?
  package var adapter: String?
  /// The major version of iOS.
  package var ios: Int?
  /// The state of the app that scans.
  package var state: Place?
  /// True if the app has a Live Activity.
  package var liveActivity: Bool?
  /// The services that the app scans for.
  package var services: [String]?
  /// The scan window and interval of an iPhone, in milliseconds; BlueZ scans continuously.
  package var window: Double?
  package var interval: Double?
  /// The peripheral's address.
  package var peripheral: String?
  /// The received signal strength in dBm.
  package var rssi: Int?
  /// The bits of the overflow area that are set.
  package var overflowBits: [Int]?
  /// Whether bluetoothd merges the advertisement with earlier data of the peripheral.
  package var merged: Bool?
  /// Whether the name may be from bluetoothd's cache rather than from the air.
  package var nameMayBeCached: Bool?
  package var views: Views?
  package var reason: String?

  package enum Kind: String, CaseIterable, Encodable, Sendable {
    case started, scanning, scanningFailed, discovered, lost
  }

  package enum Place: String, Encodable, Sendable {
    case foreground, background, screenOff
  }

  /// The advertisement as each kind of central reports it.
  package struct Views: Encodable, Equatable, Sendable {
    package let ios: IOSView
    package let android: CentralView
    /// Nil over bluetoothd, which leaves out what Android 16 joins.
    package var android16: CentralView?
    /// Nil over a controller.
    package var bluez: CentralView?

    package func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      try container.encode(ios)
      try container.encode(android)
      for view in [android16, bluez].compactMap(\.self) { try container.encode(view) }
    }
  }

  private enum CodingKeys: String, CodingKey {
    case time, event, version, adapter, ios, state, liveActivity, services, window, interval, peripheral, rssi,
      overflowBits, merged,
      nameMayBeCached
    case views = "centrals"
    case reason
  }

  package init(_ event: Kind) { self.event = event }

  /// - Parameters:
  ///   - outcome: the reaction of an iPhone to the advertisement.
  ///   - past: the data that bluetoothd would have merged if the device had not been removed.
  package init(discovered device: FoundDevice, _ outcome: ScanReception, past: AdvertisedContent) {
    event = .discovered
    peripheral = device.address
    rssi = device.rssi
    let packet = device.advertised.packet
    overflowBits = device.advertised.overflowArea?.bits
    if device.advertised.isNameDoubtful { nameMayBeCached = true }
    if !device.isForgettable { merged = true }
    views = Views(
      ios: IOSView(outcome: outcome), android: CentralView(.android, [packet], requested: []),
      bluez: CentralView(.bluez, [device.advertised.added(to: past).packet], requested: []))
  }

  /// - Parameter received: an advertisement and its scan response as a controller has received them.
  package init(discovered peripheral: PeripheralID, _ received: ReceivedAdvertisement, _ outcome: ScanReception) {
    event = .discovered
    self.peripheral = peripheral.rawValue
    rssi = received.rssi
    let packets = received.packets
    overflowBits = OverflowArea(in: packets.flatMap(\.structures))?.bits
    views = Views(
      ios: IOSView(outcome: outcome), android: CentralView(.android, packets, requested: []),
      android16: CentralView(.android16, packets, requested: []))
  }

  /// The first record of a scan.
  package static var started: ScanRecord {
    var record = ScanRecord(.started)
    record.version = EventRecord.currentVersion
    return record
  }

  /// The record as one line of JSON, with keys in alphabetical order.
  package var json: String { JSONLine.text(self) }
}
