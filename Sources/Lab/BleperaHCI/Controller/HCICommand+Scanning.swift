import BleperaBluetooth
import BleperaHCIProtocol

/// Scanning (Core Specification, Vol 4, Part E, 7.8.10, 7.8.11, 7.8.64 and 7.8.65).
extension HCICommand {
  static let scanning: [HCICommand] = [
    HCICommand(HCI.leSetScanParameters, .legacy) { controller, scan throws(HCIError) in
      let window = try ScanWindow(scan.interval, scan.window, isActive: scan.isActive, most: 0x4000)
      try controller.setScan(scan.ownType, scan.policy, window)
    },
    HCICommand(HCI.leSetScanEnable, .legacy) { controller, scan in
      guard scan.isOn else { return controller.endScan() }
      (controller.scanner.isExtended, controller.scanner.filtersDuplicates) = (false, scan.filtersDuplicates)
      controller.startScan()
    },
    HCICommand(HCI.leSetExtendedScanParameters, .extended) { controller, scan throws(HCIError) in
      let window = try ScanWindow(scan.interval, scan.window, isActive: scan.isActive, most: 0xFFFF)
      try controller.setScan(scan.ownType, scan.policy, window)
    },
    HCICommand(HCI.leSetExtendedScanEnable, .extended) { controller, scan throws(HCIError) in
      let (duration, period) = (Int(scan.duration) * 10, Int(scan.period) * 1280)
      guard scan.isOn else { return controller.endScan() }
      guard period == 0 || (duration > 0 && duration < period), scan.duplicates < 2 || period > 0 else {
        throw .invalidParameters
      }
      controller.scanner.isExtended = true
      controller.scanner.filtersDuplicates = scan.duplicates > 0
      controller.scanner.restartsFilter = scan.duplicates == 2
      controller.scanner.duration = duration > 0 ? .milliseconds(duration) : nil
      controller.scanner.period = period > 0 ? .milliseconds(period) : nil
      controller.startScan()
    },
  ]
}

extension ScanWindow {
  /// - Parameters: interval and window in units of 0.625 ms, and the longest interval.
  init(_ interval: UInt16, _ window: UInt16, isActive: Bool, most: UInt16) throws(HCIError) {
    guard window <= interval, (4...most).contains(interval), window >= 4 else { throw .invalidParameters }
    self.init(
      interval: .microseconds(Int(interval) * 625), window: .microseconds(Int(window) * 625), isActive: isActive)
  }
}

extension HCIController {
  fileprivate mutating func setScan(_ ownType: UInt8, _ policy: UInt8, _ window: ScanWindow) throws(HCIError) {
    guard !scanner.isEnabled else { throw .commandDisallowed }
    // The policies for directed advertising are not named as a feature.
    guard policy <= 1 else { throw .unsupportedFeature }
    guard ownType & 1 == 0 || randomAddress != nil else { throw .invalidParameters }
    (scanner.usesAcceptList, scanner.window) = (policy == 1, window)
  }
}
