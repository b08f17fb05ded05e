import BleperaBluetooth
package import BleperaRules

/// A scan with a name: how a program, a system or a phone scans.
package struct ScannerPreset: Hashable, Sendable {
  package let name: String
  /// The part of the scan interval in which the scanner receives, in microseconds.
  package let window: Int
  /// In microseconds.
  package let scanInterval: Int
  /// Whether the scanner requests scan responses.
  package var isActive: Bool
  /// Nil for a scan without an end.
  package let pauses: DiscoverySetting.Pauses?
  package let standing: Standing
  package let source: String

  /// - Parameters:
  ///   - window: in milliseconds.
  ///   - scanInterval: in milliseconds.
  package init(
    _ name: String, _ window: Double, of scanInterval: Double, isActive: Bool = true,
    pauses: DiscoverySetting.Pauses? = nil, _ source: String, _ standing: Standing = .documented
  ) {
    self.name = name
    self.window = Int((window * 1000).rounded())
    self.scanInterval = Int((scanInterval * 1000).rounded())
    self.isActive = isActive
    self.pauses = pauses
    self.standing = standing
    self.source = source
  }

  /// A scan window and a scan interval in milliseconds, such as `30/320`; nil for other texts.
  package init?(timing text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Double($0) }
    guard parts.count == 2, let window = parts[0], let interval = parts[1],
      [window, interval].allSatisfy({ (0...1_000_000).contains($0) })
    else { return nil }
    self.init(text, window, of: interval, "the user", .ours)
  }

  /// A preset that does not exist, or not in that release.
  package struct Unusable: Error, Hashable, CustomStringConvertible {
    package let description: String
  }

  /// The names of all presets, in the order of the documents.
  package static let names = fixed.map(\.name) + androids.map(\.name) + iPhones.map(\.name)

  /// - Parameters:
  ///   - rules: the values of the presets of iPhones.
  ///   - release: the Android release, one of `androidReleases`.
  package static func find(
    _ name: String, rules: RuleSet, android release: Int = androidReleases.upperBound
  ) throws(Unusable) -> ScannerPreset {
    if let preset = fixed.first(where: { $0.name == name }) { return preset }
    if let android = androids.first(where: { $0.name == name }) { return try android.preset(in: release) }
    if let iPhone = iPhones.first(where: { $0.name == name }) { return try iPhone.preset(rules) }
    throw Unusable(description: "'\(name)' is not a preset; the presets are \(names.joined(separator: ", ")).")
  }

  private static let bluezScan = 10_240_000

  private static let fixed = [
    ScannerPreset("esphome", 320, of: 320, "ESPHome from 2026.8.0 on with Wi-Fi and no connection (PR 18356, 18609)"),
    ScannerPreset("esphome-30", 30, of: 320, "ESPHome before, without Wi-Fi or while connected (esp32_ble_tracker)"),
    ScannerPreset("bermuda", 300, of: 320, "Bermuda, discussion 739", .reported),
    ScannerPreset("bluetooth-proxies", 1100, of: 1100, "bluetooth-proxies up to January 2026 (PR 151)"),
    ScannerPreset(
      "bluez-discovery", 11.25, of: 11.25, pauses: DiscoverySetting.Pauses(scan: bluezScan, pause: 5_000_000),
      "Linux 6.12 (hci_core.h, hci_sync.c); without a filter, BlueZ (adapter.c) pauses"),
    ScannerPreset(
      "bluez-discovery-filtered", 11.25, of: 11.25, pauses: DiscoverySetting.Pauses(scan: bluezScan, pause: 0),
      "Linux 6.12 (hci_core.h, hci_sync.c); BlueZ (adapter.c) with a filter, as Bleak's"),
    ScannerPreset("bluez-monitor", 30, of: 60, isActive: false, "advertisement monitors, Linux 6.12 (hci_core.c)"),
    ScannerPreset("bluez-connect", 60, of: 60, isActive: false, "bluetoothd that connects, Linux 6.12 (hci_core.c)"),
    ScannerPreset("zephyr", 30, of: 60, "Zephyr (gap.h); nRF Connect SDK's scan module is passive"),
    ScannerPreset("nimble", 30, of: 30, "NimBLE (ble_gap.h), active or passive as the program chooses"),
    ScannerPreset("btstack", 30, of: 300, "BTstack (hci.c), active or passive as the program chooses"),
    ScannerPreset("bumble", 60, of: 60, "Bumble (device.py), active or passive as the program chooses"),
    ScannerPreset("find-my", 30, of: 300, isActive: false, "ElastiCast (INFOCOM 2023); passive is ours", .reported),
    ScannerPreset("huawei", 60, of: 600, isActive: false, "ElastiCast (INFOCOM 2023); passive is ours", .reported),
  ]
}

extension DiscoverySetting {
  package init(interval: Int, scanner: ScannerPreset) {
    self.init(interval: interval, scanInterval: scanner.scanInterval, window: scanner.window)
    (isActive, pauses) = (scanner.isActive, scanner.pauses)
  }
}

// MARK: Android

extension ScannerPreset {
  /// The releases whose values are known.
  package static let androidReleases = 5...16

  private struct AndroidScan {
    let name: String
    /// The windows and scan intervals in milliseconds, and the first release that has them, the newest first.
    let timings: [(release: Int, window: Double, interval: Double)]

    func preset(in release: Int) throws(Unusable) -> ScannerPreset {
      guard let timing = timings.first(where: { $0.release <= release }) else {
        throw Unusable(
          description: "'\(name)' exists from Android \(timings.last?.release ?? release) on, not in \(release).")
      }
      return ScannerPreset(
        name, timing.window, of: timing.interval,
        "Android \(release) (ScanManager.java); that the scan is active is reported")
    }
  }

  private static let androids = [
    AndroidScan(name: "android-low-power", timings: [(13, 140, 1400), (9, 512, 5120), (5, 500, 5000)]),
    AndroidScan(name: "android-balanced", timings: [(13, 183, 730), (9, 1024, 4096), (5, 2000, 5000)]),
    AndroidScan(name: "android-low-latency", timings: [(13, 100, 100), (9, 4096, 4096), (5, 5000, 5000)]),
    AndroidScan(name: "android-screen-off", timings: [(13, 512, 10_240)]),
  ]
}

// MARK: iPhones

extension ScannerPreset {
  /// An app's scan under the conditions of R16.
  private struct PhoneScan {
    let name: String
    let conditions: ScanConditions
    /// The value whose standing the timing has.
    let basis: @Sendable (RuleSet) -> (standing: Standing, source: String)

    func preset(_ rules: RuleSet) throws(Unusable) -> ScannerPreset {
      guard !conditions.isLit || rules.litScan.value.time > .zero else {
        throw Unusable(description: "'\(name)' is 'iphone-awake' in iOS \(rules.version.rawValue) (R16); use that.")
      }
      let (timing, basis) = (conditions.timing(rules), basis(rules))
      // Apps in the background alone depend on the value for scan responses.
      let responses = conditions.isForeground ? "" : "; scan responses: \(rules.backgroundScanResponses.standing)"
      return ScannerPreset(
        name, timing.window / .milliseconds(1), of: timing.interval / .milliseconds(1),
        isActive: conditions.isActive(rules), basis.source + responses, basis.standing)
    }
  }

  private static let iPhones = [
    PhoneScan(name: "iphone-foreground", conditions: ScanConditions(isForeground: true, isScreenOn: true)) {
      ($0.foregroundScan.standing, $0.foregroundScan.source)
    },
    PhoneScan(name: "iphone-lit", conditions: ScanConditions(isForeground: false, isScreenOn: true, isLit: true)) {
      ($0.litScan.standing, $0.litScan.source)
    },
    PhoneScan(name: "iphone-awake", conditions: ScanConditions(isForeground: false, isScreenOn: true)) {
      ($0.backgroundScan.standing, $0.backgroundScan.source)
    },
    PhoneScan(name: "iphone-asleep", conditions: ScanConditions(isForeground: false, isScreenOn: false)) {
      ($0.sleepScan.standing, $0.sleepScan.source)
    },
  ]
}
