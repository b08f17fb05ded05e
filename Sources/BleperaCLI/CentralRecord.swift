import BlueZ
import FoundationEssentials
import GATT

/// What the central of `serve --virtual` sees, as a JSON object: a line each with `--json`. The keys are part of the
/// interface; README lists them.
struct CentralRecord: Encodable, Equatable {
  var time = ""
  let side = Speaker.central.side
  var event: Event
  /// An address.
  var peripheral: String?
  var localName: String?
  var serviceUUIDs: [String]?
  var manufacturerData: [CentralView.ManufacturerData]?
  /// The bits of the overflow area that are set.
  var overflowBits: [Int]?
  /// Which of the services that the central knows of have their bit among these.
  var overflow: [String]?
  /// In dBm.
  var rssi: Int?
  /// In milliseconds.
  var interval: Double?
  /// Since this process began.
  var seconds: Double?
  var service: String?
  var characteristic: String?
  /// As `CBCharacteristicProperties` names them.
  var properties: [String]?
  /// Hexadecimal digits.
  var value: String?
  var reason: String?

  enum Event: String, CaseIterable, Encodable {
    case scanning, scanningFailed, heard, paced, silent, waiting, connecting, found, read, subscribing, received
    case unsubscribing, disconnecting, failed
  }

  init(_ event: Event) { self.event = event }

  init(_ event: Event, _ device: FoundDevice) {
    self.event = event
    peripheral = device.address
  }

  init(_ event: Event, _ service: FoundService, _ characteristic: FoundCharacteristic? = nil, value: [UInt8]? = nil) {
    self.event = event
    self.service = "\(service.uuid)"
    self.characteristic = characteristic.map { "\($0.uuid)" }
    self.value = value.map { Hex.string($0) }
  }

  /// What a scan shows of an advertisement.
  ///
  /// - Parameter known: the services that the central has seen before.
  init(heard device: FoundDevice, known: [BluetoothUUID]) {
    self.init(.heard, device)
    let said = device.advertised
    localName = said.name
    serviceUUIDs = said.serviceUUIDs.map { "\($0)" }
    rssi = device.rssi
    let data = said.manufacturerData.sorted { $0.key < $1.key }
    if !data.isEmpty {
      manufacturerData = data.map { company, bytes in
        let digits = Hex.string([UInt8(company >> 8), UInt8(company & 0xFF)])
        return CentralView.ManufacturerData(company: digits, data: Hex.string(bytes))
      }
    }
    for (company, bytes) in data {
      let structure = ADStructure.manufacturerData(companyIdentifier: company, data: bytes)
      guard let area = try? OverflowArea(decoding: structure.bytes) else { continue }
      overflowBits = area.bits
      let heard = known.filter { area.contains($0) && !said.serviceUUIDs.contains($0) }
      if !heard.isEmpty { overflow = heard.map { "\($0)" } }
    }
  }

  /// One line, keys in alphabetical order.
  var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(self) else { return "{\"event\":\"\(event.rawValue)\"}" }
    return String(decoding: data, as: UTF8.self)
  }
}
