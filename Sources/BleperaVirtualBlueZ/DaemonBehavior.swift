import BleperaBlueZProtocol

/// The emulated release of bluetoothd and its start options.
package struct DaemonBehavior: Hashable, Sendable, CustomStringConvertible {
  /// 66 for 5.66; all relevant releases have the major version 5.
  package let minor: Int
  /// `bluetoothd -E`, or `Experimental = true` in main.conf.
  package let isExperimental: Bool

  package init(minor: Int = 66, isExperimental: Bool = false) {
    self.minor = minor
    self.isExperimental = isExperimental
  }

  /// Parses `5.66`; nil for any other form.
  package init?(version: String, isExperimental: Bool = false) {
    let parts = version.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0] == "5", let minor = Int(parts[1]), (0...99).contains(minor) else { return nil }
    self.init(minor: minor, isExperimental: isExperimental)
  }

  package var description: String { minor < 10 ? "5.0\(minor)" : "5.\(minor)" }

  /// Whether MinInterval, MaxInterval and TxPower are honored.
  package var takesIntervals: Bool { isExperimental || !has(.ignoresIntervals) }
  /// Whether SupportedCapabilities and SupportedFeatures exist.
  package var hasCapabilities: Bool { takesIntervals }
  /// Whether more than 31 bytes become an extended advertisement instead of being refused.
  package var extendsAdvertisements: Bool { has(.extendsLongAdvertisements) }
  /// Whether `Discoverable` = false still adds Flags.
  package var flagsWhenNotDiscoverable: Bool { !has(.omitsFlagsWhenNotDiscoverable) }
  /// Whether DiscoverableTimeout 0 means no timeout; if false, such a registration never receives a reply.
  package var takesZeroDiscoverableTimeout: Bool { !has(.hangsOnZeroDiscoverableTimeout) }
  /// Whether the properties of the scan response are read.
  package var takesScanResponses: Bool { isExperimental && !has(.ignoresScanResponses) }
  /// The maximum length of a value in a Write Request, in bytes.
  package var longestWrite: Int { has(.refusesFullLengthWrites) ? 510 : 512 }
  /// The maximum length of a value in a long write, in bytes.
  package var longestLongWrite: Int { has(.refusesFullLengthWrites) ? 508 : 512 }
  /// Whether every characteristic needs an explicit handle.
  package var needsExplicitHandles: Bool { has(.needsExplicitHandles) }
  /// Whether an application may reply with ImproperlyConfigured.
  package var knowsImproperlyConfigured: Bool { !has(.ignoresImproperlyConfigured) }
  /// Whether AcquireNotify is called for each device; if false, for the first subscriber only.
  package var acquiresForEachDevice: Bool { !has(.acquiresForFirstSubscriber) }
  /// Whether data written to an AcquireNotify file descriptor reaches its device only.
  package var targetsAcquiredDevice: Bool { !has(.sendsAcquiredToAll) }
  /// Whether the descriptor receives a byte 0x01 for each confirmed indication.
  package var confirmsByDescriptor: Bool { !has(.confirmsWithoutDescriptor) }

  private func has(_ quirk: DaemonQuirk) -> Bool { quirk.applies(to: DaemonVersion(5, minor)) }
}
