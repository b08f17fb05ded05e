package import BleperaBlueZProtocol

/// A fault of a release of bluetoothd toward links and programs, which does not depend on the advertisement.
package struct DaemonFault: Sendable {
  /// The activity during which the fault ends bluetoothd.
  enum Cause { case connection, discovery, registration }

  let quirk: DaemonQuirk
  /// Follows `bluetoothd 5.66`.
  package let what: String
  package let advice: String
  /// Nil for a fault that does not end bluetoothd.
  var cause: Cause?

  static let all = [
    DaemonFault(
      quirk: .pagesPrivateAddresses,
      what: "on a dual-mode adapter pages the private address of a connected iPhone, and the page's timeout ends the "
        + "link after about 5 s", advice: "set ControllerMode = le under [General] in main.conf"),
    DaemonFault(
      quirk: .crashesOnServiceFilter, what: "crashes where a program discovers with a filter of services",
      advice: "let no program do so, such as Bleak with service_uuids", cause: .discovery),
    DaemonFault(
      quirk: .crashesOnRemovedConnection, what: "crashes when a connected device is removed",
      advice: "disconnect a device before you remove it", cause: .connection),
    DaemonFault(
      quirk: .crashesOnLeavingClient, what: "can crash when a program ends that has acquired notifications",
      advice: "let programs use StartNotify in place of AcquireNotify", cause: .connection),
    DaemonFault(
      quirk: .crashesAfterRemovedAdapter, what: "can crash after an adapter has been removed",
      advice: "restart bluetoothd when an adapter has been removed"),
    DaemonFault(
      quirk: .crashesInVolumeControl, what: "with -E can crash when a link to a device with Volume Control ends",
      advice: "run it with -P vcp too", cause: .connection),
    DaemonFault(
      quirk: .crashesOnRemovedDevice, what: "can crash when a connected device that has subscribed is removed",
      advice: "disconnect a device before you remove it", cause: .connection),
    DaemonFault(
      quirk: .crashesOnRemovedIncludes, what: "crashes when an application whose services include others ends",
      advice: "serve no profile with IncludedServices", cause: .registration),
    DaemonFault(
      quirk: .abortsOnRefusedUpdate, what: "aborts where the kernel refuses a change of a live advertisement",
      advice: "let no other program change one; blepera registers its advertisement again", cause: .registration),
    DaemonFault(
      quirk: .withholdsSmallChanges,
      what: "signals no change of RSSI below 8 dB to programs whose filter has neither RSSI nor Pathloss",
      advice: "let a program that takes silence for absence set RSSI = -127 in its filter"),
    DaemonFault(
      quirk: .keepsOldHash, what: "stores an old Database Hash if a peripheral adds services during a connection",
      advice: "remove the device if its services are not found at the next connection"),
    DaemonFault(
      quirk: .retriesWithoutKeys, what: "connects without end to a device that has lost its keys",
      advice: "remove the device with bluetoothctl remove ADDRESS"),
  ]

  /// The faults of a release with these settings.
  package static func faults(of version: DaemonVersion, isExperimental: Bool, isDualMode: Bool = true) -> [DaemonFault]
  {
    let unmet = [isExperimental ? nil : .crashesInVolumeControl, isDualMode ? nil : DaemonQuirk.pagesPrivateAddresses]
    return all.filter { $0.quirk.applies(to: version) && !unmet.contains($0.quirk) }
  }

  /// The known crashes that may have ended bluetoothd, as a clause; nil if there are none, or if bluetoothd has powered
  /// its adapters off, as it does where it is stopped.
  static func possibleCrashes(_ inventory: Inventory) -> String? {
    let adapters = inventory.adapters.values
    guard let adapter = adapters.first(where: \.isPowered), let version = adapter.version else { return nil }
    let crashes = faults(of: version, isExperimental: adapter.isExperimental).filter { fault in
      switch fault.cause {
      case nil: false
      case .connection: inventory.hasConnection
      case .discovery: adapters.contains(where: \.isDiscovering)
      case .registration: adapters.contains { $0.advertising.map { $0.activeInstances > 0 } ?? false }
      }
    }
    guard !crashes.isEmpty else { return nil }
    return "a known crash is possible: bluetoothd \(version) "
      + crashes.map { $0.what + ($0.quirk.commits.last.map { " (BlueZ \($0))" } ?? "") }.joined(separator: "; ")
  }
}
