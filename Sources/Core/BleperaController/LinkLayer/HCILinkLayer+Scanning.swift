import BleperaBluetooth
import BleperaHCIProtocol
import BleperaHost

enum ScanStep: Hashable, Sendable {
  case parameters(ScanWindow)
  case enable
  case disable
}

/// The scan that was asked for, and the controller's.
struct Scanner: Sendable {
  var wanted: ScanWindow?
  /// The parameters that the controller has.
  var applied: ScanWindow?
  var isOn = false
  /// Whether the controller has refused the scan that is wanted.
  var isRefused = false
  /// When a scan is ended again that the controller did not end.
  var retry: Duration?
}

extension HCILinkLayer {
  mutating func scan(_ window: ScanWindow?) {
    if window != scanner.wanted { (scanner.wanted, scanner.isRefused) = (window, false) }
  }

  mutating func nextScanCommand() -> ControllerCommand? {
    guard scanner.retry == nil else { return nil }
    let wanted = scanner.isRefused || attempt.needsSilence ? nil : scanner.wanted
    if scanner.isOn { return scanner.applied == wanted ? nil : scanCommand(isOn: false) }
    guard let wanted else { return nil }
    guard dueAddress == nil, !address.isRandom || appliedAddress != nil else { return nil }
    if scanner.applied == wanted { return scanCommand(isOn: true) }
    let (interval, window) = Self.scanUnits(wanted, most: controller.isExtended ? 0xFFFF : 0x4000)
    let ownType: UInt8 = address.isRandom ? 1 : 0
    guard controller.isExtended else {
      var parameters = HCIScanParameters()
      (parameters.isActive, parameters.ownType) = (wanted.isActive, ownType)
      (parameters.interval, parameters.window) = (interval, window)
      return ControllerCommand(HCI.leSetScanParameters, parameters, for: .scan(.parameters(wanted)))
    }
    var parameters = HCIExtendedScanParameters()
    (parameters.isActive, parameters.ownType) = (wanted.isActive, ownType)
    (parameters.interval, parameters.window) = (interval, window)
    return ControllerCommand(HCI.leSetExtendedScanParameters, parameters, for: .scan(.parameters(wanted)))
  }

  func scanCommand(isOn: Bool) -> ControllerCommand {
    let step = isOn ? ScanStep.enable : .disable
    return controller.isExtended
      ? ControllerCommand(HCI.leSetExtendedScanEnable, HCIExtendedScanEnable(isOn), for: .scan(step))
      : ControllerCommand(HCI.leSetScanEnable, HCIScanEnable(isOn), for: .scan(step))
  }

  /// In units of 0.625 ms, of which there are at least 4 (7.8.10, 7.8.64).
  static func scanUnits(_ window: ScanWindow, most: Int) -> (interval: UInt16, window: UInt16) {
    let interval = min(max(advertisingUnits(window.interval), 4), most)
    return (UInt16(interval), UInt16(min(max(advertisingUnits(window.window), 4), interval)))
  }

  mutating func completed(_ step: ScanStep, status: UInt8?) {
    switch step {
    case .parameters(let window):
      if status == 0 { scanner.applied = window } else { scanRefused() }
    case .enable:
      // Without an answer the scan may be on.
      scanner.isOn = status == nil || status == 0
      if !scanner.isOn { scanRefused() }
    case .disable:
      scanner.isOn = status != 0
      scanner.retry = status == 0 ? nil : now + Self.retryTime
      for report in reports.flush() { outputs.append(.event(.received(report))) }
    }
  }

  /// Some controllers do not scan beside a link.
  private mutating func scanRefused() {
    scanner.isRefused = true
    resumption = resumption ?? now + Self.resumptionTime
  }

  mutating func received(_ packet: ReceivedPacket) {
    // Reports that the controller had before the end of the scan.
    guard scanner.isOn, scanner.wanted != nil else { return }
    let isActive = scanner.applied?.isActive == true
    for report in reports.add(packet, isActive: isActive, at: now) { outputs.append(.event(.received(report))) }
  }
}
