import BleperaBluetooth

/// A service of the Bluetooth SIG or of common use, with its usual characteristics and plausible values.
struct StandardService: Sendable {
  /// The name on the command line: `heart-rate`.
  let name: String
  let uuid: String
  /// A name for a device with the service, which fits into an advertisement.
  let device: String
  let characteristics: [Characteristic]

  struct Characteristic: Sendable {
    let uuid: String
    /// The meaning of the characteristic and the format of its value.
    let comment: String
    let properties: [String]
    var permissions = ["readable"]
    let source: Source
  }

  /// The source of a characteristic's values.
  enum Source: Sendable {
    /// The value that was last written.
    case written
    case constant([UInt8])
    case wave(String, ClosedRange<Double>, period: Int, interval: Int = 1, prefix: [UInt8] = [])
    case sequence([[UInt8]], interval: Int)
    case echo(of: String)
  }

  static func named(_ name: String) -> StandardService? { all.first { $0.name == name } }

  /// The Bluetooth SIG's name of the service.
  var title: String { BluetoothUUID(uuid)?.assignedName ?? "Nordic UART" }

  /// Whether Core Bluetooth refuses the service to apps, because iOS publishes its own.
  var isRefused: Bool { BluetoothUUID(uuid).flatMap(ServiceDefinition.refusedName) != nil }
}

/// The services of `init`. Formats and units are taken from the Bluetooth SIG's GATT Specification Supplement.
extension StandardService {
  static let all: [StandardService] = [
    Self(
      name: "battery", uuid: "180F", device: "Battery",
      characteristics: [
        Characteristic(uuid: "2A19", comment: "percent", properties: ["read", "notify"], source: .written)
      ]),
    Self(
      name: "blood-pressure", uuid: "1810", device: "Cuff",
      characteristics: [
        Characteristic(
          uuid: "2A35", comment: "flags (mmHg), then systolic, diastolic and mean pressure, medfloat16 each",
          properties: ["indicate"],
          source: .sequence([[0, 120, 0, 80, 0, 93, 0], [0, 124, 0, 82, 0, 96, 0]], interval: 30)),
        Characteristic(uuid: "2A49", comment: "no special features", properties: ["read"], source: .constant([0, 0])),
      ]),
    Self(
      name: "current-time", uuid: "1805", device: "Clock",
      characteristics: [
        Characteristic(
          uuid: "2A2B", comment: "year, month, day, hours, minutes, seconds, day of the week, 1/256 s, reason",
          properties: ["read", "notify"], source: .written)
      ]),
    Self(
      name: "cycling-power", uuid: "1818", device: "Power",
      characteristics: [
        Characteristic(
          uuid: "2A63", comment: "two bytes of flags, then watts", properties: ["notify"],
          source: .wave("sint16", 120...260, period: 40, prefix: [0, 0])),
        Characteristic(
          uuid: "2A65", comment: "no special features", properties: ["read"], source: .constant([0, 0, 0, 0])),
        Characteristic(uuid: "2A5D", comment: "rear hub", properties: ["read"], source: .constant([13])),
      ]),
    Self(
      name: "device-information", uuid: "180A", device: "Device",
      characteristics: [
        Characteristic(uuid: "2A29", comment: "text", properties: ["read"], source: .written),
        Characteristic(uuid: "2A24", comment: "text", properties: ["read"], source: .written),
      ]),
    Self(
      name: "environmental-sensing", uuid: "181A", device: "Sensor",
      characteristics: [
        Characteristic(
          uuid: "2A6E", comment: "hundredths of a degree Celsius", properties: ["read", "notify"],
          source: .wave("sint16", 1_800...2_400, period: 60)),
        Characteristic(
          uuid: "2A6F", comment: "hundredths of a percent", properties: ["read", "notify"],
          source: .wave("uint16", 4_000...6_000, period: 90)),
        Characteristic(
          uuid: "2A6D", comment: "tenths of a pascal", properties: ["read", "notify"],
          source: .wave("uint32", 1_008_000...1_018_000, period: 600)),
      ]),
    Self(
      name: "health-thermometer", uuid: "1809", device: "Fever",
      characteristics: [
        Characteristic(
          uuid: "2A1C", comment: "flags (Celsius), then the temperature", properties: ["indicate"],
          source: .wave("medfloat32", 36.5...38.5, period: 120, interval: 5, prefix: [0])),
        Characteristic(uuid: "2A1D", comment: "body", properties: ["read"], source: .constant([2])),
      ]),
    Self(
      name: "heart-rate", uuid: "180D", device: "Heart",
      characteristics: [
        Characteristic(
          uuid: "2A37", comment: "flags (one byte, skin contact), then beats a minute", properties: ["notify"],
          source: .wave("uint8", 60...100, period: 30, prefix: [6])),
        Characteristic(uuid: "2A38", comment: "chest", properties: ["read"], source: .constant([1])),
      ]),
    Self(
      name: "immediate-alert", uuid: "1802", device: "Finder",
      characteristics: [
        Characteristic(
          uuid: "2A06", comment: "0 no alert, 1 mild, 2 high", properties: ["writeWithoutResponse"],
          permissions: ["writeable"], source: .written)
      ]),
    Self(
      name: "nordic-uart", uuid: "6E400001-B5A3-F393-E0A9-E50E24DCCA9E", device: "UART",
      characteristics: [
        Characteristic(
          uuid: "6E400002-B5A3-F393-E0A9-E50E24DCCA9E", comment: "RX: from the central",
          properties: ["write", "writeWithoutResponse"], permissions: ["writeable"], source: .written),
        Characteristic(
          uuid: "6E400003-B5A3-F393-E0A9-E50E24DCCA9E", comment: "TX: to the central, what RX received",
          properties: ["notify"], source: .echo(of: "6E400002-B5A3-F393-E0A9-E50E24DCCA9E")),
      ]),
    Self(
      name: "running-speed", uuid: "1814", device: "Runner",
      characteristics: [
        Characteristic(
          uuid: "2A53", comment: "flags, speed in 1/256 m/s, steps a minute", properties: ["notify"],
          source: .sequence([[0, 0x00, 0x03, 168], [0, 0x40, 0x03, 172], [0, 0x80, 0x03, 176]], interval: 1)),
        Characteristic(uuid: "2A54", comment: "no special features", properties: ["read"], source: .constant([0, 0])),
      ]),
    Self(
      name: "weight-scale", uuid: "181D", device: "Scale",
      characteristics: [
        Characteristic(
          uuid: "2A9D", comment: "flags (kilograms), then units of 5 g", properties: ["indicate"],
          source: .wave("uint16", 13_900...14_100, period: 60, interval: 10, prefix: [0])),
        Characteristic(
          uuid: "2A9E", comment: "no special features", properties: ["read"], source: .constant([0, 0, 0, 0])),
      ]),
  ]
}
