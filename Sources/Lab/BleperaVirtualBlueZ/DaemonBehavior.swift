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

  package var description: String { minor < 10 ? "5.0\(minor)" : "5.\(minor)" }

  /// Whether MinInterval, MaxInterval and TxPower are honored.
  package var takesIntervals: Bool { DaemonVersion(5, minor).honorsIntervals(isExperimental: isExperimental) }
  /// Whether SupportedCapabilities and SupportedFeatures exist.
  package var hasCapabilities: Bool { takesIntervals }
  /// Whether changes of a scan response are read while the advertisement is registered.
  package var takesChangedScanResponses: Bool { !has(.ignoresScanResponses) && isExperimental }
  /// The maximum length of a value in a Write Request, in bytes.
  package var longestWrite: Int {
    has(.takesAnyWriteLength) ? Self.anyLength : has(.refusesFullLengthWrites) ? 510 : 512
  }
  /// The maximum length of a value in a long write, in bytes.
  package var longestLongWrite: Int {
    has(.takesAnyWriteLength) ? Self.anyLength : has(.refusesFullLengthWrites) ? 508 : 512
  }
  private static let anyLength = Int(UInt16.max)
  /// The error of Connect where the attempt to connect ends without a connection.
  var goneError: String {
    has(.failsToConnectByErrno) ? "Software caused connection abort" : "le-connection-abort-by-local"
  }
  /// The error of Connect where Disconnect ends the attempt.
  var cancelError: String { has(.failsToConnectByErrno) ? "Cancelled" : "br-connection-canceled" }
  /// Whether Adapter1 has PowerState.
  var hasPowerState: Bool { (isExperimental && !has(.lacksPowerState)) || !has(.hidesPowerState) }
  /// Whether Generic Access has Central Address Resolution.
  var hasAddressResolution: Bool {
    !has(.lacksAddressResolution) && (has(.alwaysResolvesAddresses) || has(.runsWithPrivateLinkLayer))
  }
  /// The keys of a discovery filter.
  var filterKeys: [String] {
    ["UUIDs", "RSSI", "Pathloss", "Transport", "DuplicateData", "Discoverable", "Pattern"]
      + (has(.lacksAutoConnect) ? [] : ["AutoConnect"])
  }

  /// Whether discovery with this filter is filtered discovery.
  func isFiltered(_ filter: DiscoveryFilter) -> Bool {
    has(.filtersWithoutCriterion) || !filter.uuids.isEmpty || filter.rssi != nil || filter.pattern != nil
      || filter.duplicates
  }

  /// Whether each packet is signaled by its RSSI while clients discover with these filters, nil for a client without.
  func signalsEachStrength(_ filters: [DiscoveryFilter?]) -> Bool {
    filters.contains { $0.map(isFiltered) ?? false }
      && (!has(.withholdsSmallChanges) || filters.contains { $0?.hasProximity == true })
  }

  func has(_ quirk: DaemonQuirk) -> Bool { quirk.applies(to: DaemonVersion(5, minor)) }
}
