import BleperaBluetooth
import BleperaRadio
import BleperaRules

/// How an app's scans receive; nil for one that receives nothing.
struct AppPresence: Hashable {
  var isForeground: Bool
}

/// How the radio listens for the phone as a central, and what that depends on besides the requests of apps: the screen,
/// and which apps may scan.
struct CentralListening {
  private var presences: [AppID: AppPresence] = [:]
  private var isScreenOn = true
  /// The time until which the phone scans more often, because its screen was lit or an app was opened.
  private var litEnd: Duration?
  private var scan: ScanWindow?
  private(set) var wanted: Set<PeripheralID> = []
  /// How the radio listens for the wanted peripherals.
  private var wantedTiming: ScanTiming?

  /// When `passDeadline` is due.
  var deadline: Duration? { scan == nil ? nil : litEnd }

  mutating func passDeadline(at now: Duration) {
    if let end = litEnd, end <= now { litEnd = nil }
  }

  /// - Parameters:
  ///   - presence: nil for an app that may not scan now.
  ///   - litEnd: until when the phone scans more often if the app is opened.
  /// - Returns: false where nothing has changed.
  mutating func appChanged(_ app: AppID, _ presence: AppPresence?, litUntil litEnd: Duration?) -> Bool {
    guard presences[app] != presence else { return false }
    presences[app] = presence
    if presence?.isForeground == true { self.litEnd = litEnd }
    return true
  }

  /// - Returns: false where nothing has changed.
  mutating func screenChanged(isOn: Bool, litUntil litEnd: Duration?) -> Bool {
    guard isOn != isScreenOn else { return false }
    isScreenOn = isOn
    if isOn { self.litEnd = litEnd }
    return true
  }

  /// The conditions of an app's scans; nil for an app that may not scan.
  func conditions(of app: AppID) -> ScanConditions? {
    presences[app].map {
      ScanConditions(isForeground: $0.isForeground, isScreenOn: isScreenOn, isLit: litEnd != nil)
    }
  }

  /// Sets how the radio scans; nil where it does so already.
  mutating func listen(_ scan: ScanWindow?) -> CentralOutput? {
    guard scan != self.scan else { return nil }
    self.scan = scan
    return .scan(scan)
  }

  /// Sets which peripherals the radio connects to; nil where it does so already.
  mutating func want(_ peripherals: Set<PeripheralID>, _ rules: RuleSet) -> CentralOutput? {
    let timing = rules.connectionTiming(isScreenOn: isScreenOn)
    guard peripherals != wanted || timing != wantedTiming && !wanted.isEmpty else { return nil }
    (wanted, wantedTiming) = (peripherals, timing)
    return .connect(wanted, ScanWindow(interval: timing.interval, window: timing.window, isActive: false))
  }

  /// A connection has begun or ended; a wait that has begun before its end begins at the radio now.
  mutating func connectionChanged(of peripheral: PeripheralID) { wanted.remove(peripheral) }

  mutating func radioEnded() { (scan, wanted) = (nil, []) }
}
