import BleperaBluetooth
import BleperaHost

/// The scan of a host.
struct HCIScanner: Sendable {
  /// The window that the host has requested; before the first request the default of the Core Specification (Vol 4,
  /// Part E, 7.8.10).
  var window = ScanWindow(interval: .milliseconds(10), window: .milliseconds(10), isActive: false)
  var usesAcceptList = false
  /// Whether reports of legacy packets have the form of the extended event, and extended packets are reported.
  var isExtended = false
  /// Whether the host scans, which may pause now.
  var isEnabled = false
  /// Whether the radio listens.
  var isOn = false
  /// Whether a device is reported once; with a period, once in each.
  var filtersDuplicates = false
  var restartsFilter = false
  var duration: Duration?
  var period: Duration?
  /// When the scan pauses or ends, or continues.
  var deadline: Duration?
  var reported: Set<Reported> = []

  /// The properties of a report; reports with equal properties are duplicates, whatever their data is.
  struct Reported: Hashable, Sendable {
    /// The address as the event has it.
    let address: [UInt8]
    let isResponse: Bool
  }
}

extension HCIController {
  /// Starts the scan from its beginning.
  mutating func startScan() {
    scanner.reported = []
    scanner.isEnabled = true
    scanner.isOn = true
    scanner.deadline = scanner.duration.map { now + $0 }
    act(.scan(scanner.window))
  }

  mutating func endScan() {
    if scanner.isOn { act(.scan(nil)) }
    (scanner.isEnabled, scanner.isOn, scanner.deadline) = (false, false, nil)
  }

  /// The end of the duration or of the period.
  mutating func scanTick() {
    guard let deadline = scanner.deadline, now >= deadline else { return }
    guard let period = scanner.period, let duration = scanner.duration else {
      endScan()
      return send(subevent: 0x11, [])
    }
    scanner.isOn.toggle()
    scanner.deadline = deadline + (scanner.isOn ? duration : period - duration)
    if scanner.isOn, scanner.restartsFilter { scanner.reported = [] }
    act(.scan(scanner.isOn ? scanner.window : nil))
  }

  mutating func report(_ report: AdvertisementReport) {
    guard scanner.isOn, scanner.isExtended || !report.isExtended else { return }
    guard !resolver.ignores(report.address) else { return }
    let identity = resolver.identity(of: report.address) ?? report.address
    guard !scanner.usesAcceptList || acceptList.contains(identity) else { return }
    // A response without data is one, too.
    send(report, report.data, isResponse: false)
    if scanner.window.isActive, report.isScannable { send(report, report.scanResponse, isResponse: true) }
  }

  private mutating func send(_ report: AdvertisementReport, _ data: [UInt8], isResponse: Bool) {
    let address = eventAddress(report.address)
    let key = HCIScanner.Reported(address: address, isResponse: isResponse)
    guard !scanner.filtersDuplicates || scanner.reported.insert(key).inserted else { return }
    let signal = UInt8(bitPattern: Int8(clamping: report.rssi))
    guard scanner.isExtended else {
      let type: UInt8 = isResponse ? 4 : report.isConnectable ? 0 : report.isScannable ? 2 : 3
      return send(subevent: 0x02, [1, type] + address + [UInt8(clamping: data.count)] + data + [signal])
    }
    var type: UInt16 = report.isConnectable ? 0b1 : 0
    if report.isScannable { type |= 0b10 }
    if isResponse { type |= 0b1000 }
    if !report.isExtended { type |= 0b1_0000 }
    let secondary: UInt8 = report.isExtended ? 1 : 0
    let set: UInt8 = report.isExtended ? 0 : 0xFF
    var rest = data[...]
    repeat {
      let part = rest.prefix(Self.longestReport)
      rest = rest.dropFirst(Self.longestReport)
      // More data of this advertisement follows.
      let status: UInt16 = rest.isEmpty ? 0 : 0b10_0000
      send(
        subevent: 0x0D,
        [1] + LittleEndian.bytes(type | status) + address + [1, secondary, set, 0x7F, signal, 0, 0, 0]
          + [UInt8](repeating: 0, count: 6) + [UInt8(part.count)] + part)
    } while !rest.isEmpty
  }

  /// The maximum length of the data in one event (7.7.65.13).
  private static let longestReport = 229
}
