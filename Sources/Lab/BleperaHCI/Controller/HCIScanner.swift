import BleperaBluetooth
import BleperaHCIProtocol
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
    let address: DeviceAddress
    let isResolved: Bool
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
      return send(HCIScanTimeout())
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
    if report.hasResponse { send(report, report.scanResponse, isResponse: true) }
  }

  private mutating func send(_ report: AdvertisementReport, _ data: [UInt8], isResponse: Bool) {
    let (address, isResolved) = eventAddress(report.address)
    let key = HCIScanner.Reported(address: address, isResolved: isResolved, isResponse: isResponse)
    guard !scanner.filtersDuplicates || scanner.reported.insert(key).inserted else { return }
    let signal = Int8(clamping: report.rssi)
    guard scanner.isExtended else {
      var sent = HCIAdvertisingReport()
      sent.type = isResponse ? 4 : report.isConnectable ? 0 : report.isScannable ? 2 : 3
      (sent.address, sent.isResolved, sent.data, sent.rssi) = (address, isResolved, data, signal)
      return send(HCIAdvertisingReports([sent]))
    }
    var sent = HCIExtendedReport()
    if report.isConnectable { sent.kind.insert(.connectable) }
    if report.isScannable { sent.kind.insert(.scannable) }
    if isResponse { sent.kind.insert(.response) }
    if report.isExtended { (sent.secondary, sent.set) = (1, 0) } else { sent.kind.insert(.legacy) }
    (sent.address, sent.isResolved, sent.rssi) = (address, isResolved, signal)
    var rest = data[...]
    repeat {
      sent.data = Array(rest.prefix(Self.longestReport))
      rest = rest.dropFirst(Self.longestReport)
      if rest.isEmpty { sent.kind.remove(.incomplete) } else { sent.kind.insert(.incomplete) }
      send(HCIExtendedReports([sent]))
    } while !rest.isEmpty
  }

  /// The maximum length of the data in one event (7.7.65.13).
  private static let longestReport = 229
}
