import BleperaBluetooth
import BleperaRules

/// The scan that a vendor command orders from an iPhone's chip; times in units of 0.625 ms.
struct ScanOrder: Hashable, Sendable {
  struct Core: Hashable, Sendable {
    var interval: Int
    var window: Int

    /// `30/300`: window and interval in milliseconds.
    var text: String { [window, interval].map { RuleContent.text(Double($0) * 0.625) }.joined(separator: "/") }
  }

  var main: Core
  /// The timing of the second core, which scans beside the main core; nil if only the main core scans.
  var second: Core?
  var isActive: Bool

  /// `30/300 + 50/300 passive`
  var text: String {
    main.text + (second.map { " + \($0.text)" } ?? "") + (isActive ? " active" : " passive")
  }
}

/// Follows the vendor commands for scans of Apple's N1 and of Broadcom's chips.
struct ScanCommands: Sendable {
  private var main: ScanOrder.Core?
  private var second: ScanOrder.Core?
  private var isActive = false
  private var isOn = false

  /// The scan that the chip performs; nil if it does not scan.
  var order: ScanOrder? {
    guard isOn, let main else { return nil }
    return ScanOrder(main: main, second: second, isActive: isActive)
  }

  /// - Returns: whether the command changes the scan.
  mutating func handle(_ opcode: HCIOpcode, _ parameters: ArraySlice<UInt8>) -> Bool {
    switch opcode {
    case .appleScan:
      guard let core = parameters[at: 4], let type = parameters[at: 5], let timing = Self.core(parameters, at: 6) else {
        return false
      }
      if core == 0x08 {
        second = timing
      } else {
        // A command for the second core follows if that core scans too.
        (main, second, isActive) = (timing, nil, type == 1)
      }
    case .appleScanEnable: isOn = parameters[at: 0].map { $0 != 0 } ?? false
    case .broadcomScan:
      guard let type = parameters[at: 18], let timing = Self.core(parameters, at: 19) else { return false }
      (main, isActive, isOn) = (timing, type == 1, timing.interval > 0)
      second = Self.core(parameters, at: 34).flatMap { $0.interval > 0 && $0.window > 0 ? $0 : nil }
    default: return false
    }
    return true
  }

  private static func core(_ parameters: ArraySlice<UInt8>, at offset: Int) -> ScanOrder.Core? {
    guard let interval = parameters.number(at: offset), let window = parameters.number(at: offset + 2) else {
      return nil
    }
    return ScanOrder.Core(interval: interval, window: window)
  }
}
