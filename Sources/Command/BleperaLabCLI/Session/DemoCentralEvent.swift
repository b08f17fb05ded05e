import BleperaAir
import BleperaAppLink
import BleperaBluetooth
import BleperaHost
package import BleperaSessions

/// An event of the central of `serve --virtual`, as a JSON object: a line of `--json`. docs/schema/central-event.json
/// describes the keys.
package struct DemoCentralEvent: Encodable, Equatable, Sendable {
  package var time = ""
  let side = "central"
  package var event: Kind
  /// The peripheral's address.
  package var peripheral: String?
  package var localName: String?
  package var serviceUUIDs: [String]?
  package var manufacturerData: [CentralView.ManufacturerData]?
  /// The bits of the overflow area that are set.
  package var overflowBits: [Int]?
  /// The services that the central knows and whose bits are set.
  package var overflowServiceUUIDs: [String]?
  /// The received signal strength in dBm.
  package var rssi: Int?
  /// The advertising interval in milliseconds.
  package var interval: Double?
  /// The time since this process started, or until the next connection.
  package var seconds: Double?
  package var service: String?
  package var characteristic: String?
  /// The properties by their names in `CBCharacteristicProperties`.
  package var properties: [String]?
  /// The value as hexadecimal digits.
  package var value: String?
  package var reason: String?

  package enum Kind: String, CaseIterable, Encodable, Sendable {
    case scanning, discovered, intervalMeasured, lost, waiting, connecting, found, read, subscribing,
      received, written
    case unsubscribing, disconnecting, failed
  }

  package init(_ event: Kind) { self.event = event }

  init(_ event: Kind, _ address: DeviceAddress) {
    self.event = event
    peripheral = "\(address)"
  }

  init(_ event: Kind, _ service: RemoteService, _ characteristic: RemoteCharacteristic? = nil, value: [UInt8]? = nil) {
    self.event = event
    self.service = "\(service.uuid)"
    self.characteristic = characteristic.map { "\($0.uuid)" }
    self.value = value.map { Hex.string($0) }
  }

  /// - Parameter known: the services that the central has discovered before.
  init(discovered report: AdvertisementReport, _ content: AdvertisedContent, known: [BluetoothUUID]) {
    self.init(.discovered, report.address)
    localName = content.name
    serviceUUIDs = content.serviceUUIDs.map { "\($0)" }
    rssi = report.rssi
    let data = CentralView.ManufacturerData.list(content.manufacturerData)
    if !data.isEmpty { manufacturerData = data }
    if let area = OverflowArea(in: report.structures) {
      overflowBits = area.bits
      let matches = known.filter { area.contains($0) && !content.serviceUUIDs.contains($0) }
      if !matches.isEmpty { overflowServiceUUIDs = matches.map { "\($0)" } }
    }
  }

  /// The event as one line of JSON, with keys in alphabetical order.
  package var json: String { JSONLine.text(self) }
}
