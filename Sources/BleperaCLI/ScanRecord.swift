import BlueZ
import FoundationEssentials
import GATT
import Policy

/// What `blepera scan` says, as a JSON object: a line each with `--json`. The keys are part of the interface; README
/// lists them.
struct ScanRecord: Encodable {
  var time = ""
  var event: Event
  var adapter: String?
  /// A major number.
  var ios: Int?
  /// Where the app that scans is.
  var state: Place?
  /// What is asked for.
  var services: [String]?
  /// Of the radio of an iPhone that scans so, in milliseconds; BlueZ listens all the time.
  var window: Double?
  var interval: Double?
  /// An address.
  var peripheral: String?
  /// In dBm.
  var rssi: Int?
  /// The bits of the overflow area that are set.
  var overflowBits: [Int]?
  /// Whether bluetoothd has kept what the peripheral said before.
  var remembered: Bool?
  /// Whether the name is likely to be one that bluetoothd keeps in a file, and not on the air.
  var doubtfulName: Bool?
  var seen: Seen?
  var reason: String?

  enum Event: String, CaseIterable, Encodable {
    case scanning, scanningFailed, heard, silent
  }

  enum Place: String, Encodable {
    case foreground, background, screenOff
  }

  /// By whom it is seen, and as what.
  struct Seen: Encodable, Equatable {
    let ios: IOSView
    let android: CentralView
    let bluez: CentralView

    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      try container.encode(ios)
      try container.encode(android)
      try container.encode(bluez)
    }
  }

  private enum CodingKeys: String, CodingKey {
    case time, event, adapter, ios, state, services, window, interval, peripheral, rssi, overflowBits, remembered,
      doubtfulName
    case seen = "centrals"
    case reason
  }

  init(_ event: Event) { self.event = event }

  /// - Parameters:
  ///   - outcome: what the iPhone makes of it.
  ///   - past: what else bluetoothd would know of it, if it had not been told to forget.
  init(heard device: FoundDevice, _ outcome: IOSCentral.Reception, past: FoundDevice.Advertised) {
    event = .heard
    peripheral = device.address
    rssi = device.rssi
    let packet = device.advertised.packet
    overflowBits = device.advertised.overflowArea?.bits
    if device.advertised.isNameDoubtful { doubtfulName = true }
    if !device.isForgettable { remembered = true }
    seen = Seen(
      ios: IOSView(outcome: outcome), android: CentralView(.android, [packet], asked: []),
      bluez: CentralView(.bluez, [device.advertised.added(to: past).packet], asked: []))
  }

  /// One line, keys in alphabetical order.
  var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(self) else { return "{\"event\":\"\(event.rawValue)\"}" }
    return String(decoding: data, as: UTF8.self)
  }
}
