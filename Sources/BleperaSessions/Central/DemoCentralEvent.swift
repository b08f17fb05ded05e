import BleperaAppLink
import BleperaBlueZ
import BleperaBluetooth
import Glibc

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
  /// In dBm.
  package var rssi: Int?
  /// In milliseconds.
  package var interval: Double?
  /// The time since this process started, or until the next connection.
  package var seconds: Double?
  package var service: String?
  package var characteristic: String?
  /// As `CBCharacteristicProperties` names them.
  package var properties: [String]?
  /// Hexadecimal digits.
  package var value: String?
  package var reason: String?

  package enum Kind: String, CaseIterable, Encodable, Sendable {
    case scanning, scanningFailed, discovered, intervalMeasured, lost, waiting, connecting, found, read, subscribing,
      received, written
    case unsubscribing, disconnecting, failed
  }

  package init(_ event: Kind) { self.event = event }

  init(_ event: Kind, _ device: FoundDevice) {
    self.event = event
    peripheral = device.address
  }

  init(_ event: Kind, _ service: FoundService, _ characteristic: FoundCharacteristic? = nil, value: [UInt8]? = nil) {
    self.event = event
    self.service = "\(service.uuid)"
    self.characteristic = characteristic.map { "\($0.uuid)" }
    self.value = value.map { Hex.string($0) }
  }

  /// - Parameter known: the services that the central has discovered before.
  init(discovered device: FoundDevice, known: [BluetoothUUID]) {
    self.init(.discovered, device)
    let advertised = device.advertised
    localName = advertised.name
    serviceUUIDs = advertised.serviceUUIDs.map { "\($0)" }
    rssi = device.rssi
    let data = CentralView.ManufacturerData.list(advertised.manufacturerData)
    if !data.isEmpty { manufacturerData = data }
    if let area = advertised.overflowArea {
      overflowBits = area.bits
      let matches = known.filter { area.contains($0) && !advertised.serviceUUIDs.contains($0) }
      if !matches.isEmpty { overflowServiceUUIDs = matches.map { "\($0)" } }
    }
  }

  /// One line, keys in alphabetical order.
  package var json: String { JSONLine.text(self) }
}

/// The age of a process.
package enum ProcessAge {
  /// That of this process in seconds, to the hundredth, as the kernel counts; nil if /proc is not available.
  static var seconds: Double? {
    stat(of: "self").flatMap { seconds(stat: $0, uptime: uptime, ticks: Double(sysconf(CInt(_SC_CLK_TCK)))) }
  }

  /// When the process was started, in ticks since boot; nil if it has ended.
  static func start(of process: pid_t) -> String? { stat(of: "\(process)").flatMap { start(stat: $0) } }

  package static func seconds(stat: String, uptime: Double, ticks: Double) -> Double? {
    start(stat: stat).flatMap { Double($0) }.map { max(0, uptime - $0 / ticks) }
  }

  /// The start time is field 22, in ticks since boot; names between parentheses may contain anything (proc(5)).
  private static func start(stat: String) -> String? {
    guard let end = stat.lastIndex(of: ")") else { return nil }
    let fields = stat[stat.index(after: end)...].split(separator: " ")
    return fields.count > 19 ? String(fields[19]) : nil
  }

  private static func stat(of process: String) -> String? {
    guard let file = unsafe fopen("/proc/\(process)/stat", "r") else { return nil }
    defer { unsafe fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes[..<count], as: UTF8.self)
  }

  private static var uptime: Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_BOOTTIME, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
