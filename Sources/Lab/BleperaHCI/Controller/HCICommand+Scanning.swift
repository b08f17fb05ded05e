import BleperaBluetooth
import BleperaHCIProtocol

/// Scanning (Core Specification, Vol 4, Part E, 7.8.10, 7.8.11, 7.8.64 and 7.8.65).
extension HCICommand {
  static let scanning: [HCICommand] = [
    HCICommand(.leSetScanParameters, (26, 2), .legacy) { controller, fields throws(HCIError) in
      let isActive = try fields.flag()
      let (interval, window) = (try fields.uint16(), try fields.uint16())
      let ownType = try fields.uint8(in: 0...3)
      let policy = try fields.uint8(in: 0...3)
      try controller.setScan(ownType, policy, try Self.window(interval, window, isActive, most: 0x4000))
      return []
    },
    HCICommand(.leSetScanEnable, (26, 3), .legacy) { controller, fields throws(HCIError) in
      let isEnabled = try fields.flag()
      let filters = try fields.flag()
      guard isEnabled else {
        controller.endScan()
        return []
      }
      (controller.scanner.isExtended, controller.scanner.filtersDuplicates) = (false, filters)
      controller.startScan()
      return []
    },
    HCICommand(.leSetExtendedScanParameters, (37, 5), .extended) { controller, fields throws(HCIError) in
      let ownType = try fields.uint8(in: 0...3)
      let policy = try fields.uint8(in: 0...3)
      let phys = try fields.uint8()
      // The air has one PHY.
      guard phys == 0b1 else { throw phys == 0 ? .invalidParameters : .unsupportedFeature }
      let isActive = try fields.flag()
      let (interval, window) = (try fields.uint16(), try fields.uint16())
      try controller.setScan(ownType, policy, try Self.window(interval, window, isActive, most: 0xFFFF))
      return []
    },
    HCICommand(.leSetExtendedScanEnable, (37, 6), .extended) { controller, fields throws(HCIError) in
      let isEnabled = try fields.flag()
      let filter = try fields.uint8(in: 0...2)
      let (duration, period) = (Int(try fields.uint16()) * 10, Int(try fields.uint16()) * 1280)
      guard isEnabled else {
        controller.endScan()
        return []
      }
      guard period == 0 || (duration > 0 && duration < period), filter < 2 || period > 0 else {
        throw .invalidParameters
      }
      controller.scanner.isExtended = true
      (controller.scanner.filtersDuplicates, controller.scanner.restartsFilter) = (filter > 0, filter == 2)
      controller.scanner.duration = duration > 0 ? .milliseconds(duration) : nil
      controller.scanner.period = period > 0 ? .milliseconds(period) : nil
      controller.startScan()
      return []
    },
  ]

  static func window(
    _ interval: UInt16, _ window: UInt16, _ isActive: Bool, most: UInt16
  ) throws(HCIError) -> ScanWindow {
    guard window <= interval, (4...most).contains(interval), window >= 4 else { throw .invalidParameters }
    return ScanWindow(
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
