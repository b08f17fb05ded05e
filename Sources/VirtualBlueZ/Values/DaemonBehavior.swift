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

  /// MinInterval, MaxInterval and TxPower are heeded (7e028287a made them stable).
  package var takesIntervals: Bool { isExperimental || minor >= 77 }
  /// SupportedCapabilities and SupportedFeatures are there.
  package var hasCapabilities: Bool { takesIntervals }
  /// More than 31 bytes make an extended advertisement instead of a refusal (ea242fbf8).
  package var extendsAdvertisements: Bool { minor >= 76 }
  /// `Discoverable` that is false gives Flags all the same (828bc564e).
  package var flagsWhenNotDiscoverable: Bool { minor >= 69 }
  /// DiscoverableTimeout 0 is no time-out; before, a registration with it is never answered (c58a4d9f7).
  package var takesZeroDiscoverableTimeout: Bool { minor >= 73 }
  /// The properties of the scan response are read.
  package var takesScanResponses: Bool { isExperimental && minor >= 80 }
  /// The longest value of a Write Request, in bytes (8bf3a4a26).
  package var longestWrite: Int { minor >= 69 ? 512 : 510 }
  /// The longest value of a long write, in bytes.
  package var longestLongWrite: Int { minor >= 69 ? 512 : 508 }
  /// Every characteristic needs an explicit handle (7604a577c to f34cc1da5).
  package var needsExplicitHandles: Bool { minor == 74 || minor == 75 }
  /// An application may answer ImproperlyConfigured.
  package var knowsImproperlyConfigured: Bool { minor >= 76 }
  /// AcquireNotify is called for each device; before, for the first subscriber only (8eb1dee87).
  package var acquiresForEachDevice: Bool { minor >= 69 }
  /// What is written into a descriptor of AcquireNotify reaches its device alone (a08ec1a4e).
  package var targetsAcquiredDevice: Bool { minor >= 76 }
  /// A byte 0x01 comes back on that descriptor for every indication that was confirmed.
  package var confirmsByDescriptor: Bool { minor >= 80 }
}
