import BleperaBlueZProtocol

/// The release of bluetoothd to be, and how it was started.
package struct DaemonBehavior: Hashable, Sendable, CustomStringConvertible {
  /// 66 for 5.66; every release that matters has the major version 5.
  package let minor: Int
  /// `bluetoothd -E`, or `Experimental = true` in main.conf.
  package let isExperimental: Bool

  package init(minor: Int = 66, isExperimental: Bool = false) {
    self.minor = minor
    self.isExperimental = isExperimental
  }

  /// Reads `5.66`; nil for anything else.
  package init?(version: String, isExperimental: Bool = false) {
    let parts = version.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0] == "5", let minor = Int(parts[1]), (0...99).contains(minor) else { return nil }
    self.init(minor: minor, isExperimental: isExperimental)
  }

  package var description: String { minor < 10 ? "5.0\(minor)" : "5.\(minor)" }

  /// MinInterval, MaxInterval and TxPower are honored.
  package var takesIntervals: Bool { isExperimental || !has(.ignoresIntervals) }
  /// SupportedCapabilities and SupportedFeatures are there.
  package var hasCapabilities: Bool { takesIntervals }
  /// More than 31 bytes make an extended advertisement instead of a refusal.
  package var extendsAdvertisements: Bool { has(.extendsLongAdvertisements) }
  /// `Discoverable` that is false gives Flags all the same.
  package var flagsWhenNotDiscoverable: Bool { !has(.omitsFlagsWhenNotDiscoverable) }
  /// DiscoverableTimeout 0 is no timeout; before, a registration with it is never answered.
  package var takesZeroDiscoverableTimeout: Bool { !has(.hangsOnZeroDiscoverableTimeout) }
  /// The properties of the scan response are read.
  package var takesScanResponses: Bool { isExperimental && !has(.ignoresScanResponses) }
  /// The longest value of a Write Request, in bytes.
  package var longestWrite: Int { has(.refusesFullLengthWrites) ? 510 : 512 }
  /// The longest value of a long write, in bytes.
  package var longestLongWrite: Int { has(.refusesFullLengthWrites) ? 508 : 512 }
  /// Every characteristic needs an explicit handle.
  package var needsExplicitHandles: Bool { has(.needsExplicitHandles) }
  /// An application may answer ImproperlyConfigured.
  package var knowsImproperlyConfigured: Bool { !has(.ignoresImproperlyConfigured) }
  /// AcquireNotify is called for each device; before, for the first subscriber only.
  package var acquiresForEachDevice: Bool { !has(.acquiresForFirstSubscriber) }
  /// What is written into a descriptor of AcquireNotify reaches its device alone.
  package var targetsAcquiredDevice: Bool { !has(.sendsAcquiredToAll) }
  /// A byte 0x01 comes back on that descriptor for every indication that was confirmed.
  package var confirmsByDescriptor: Bool { !has(.confirmsWithoutDescriptor) }

  private func has(_ quirk: DaemonQuirk) -> Bool { quirk.applies(to: DaemonVersion(5, minor)) }
}
