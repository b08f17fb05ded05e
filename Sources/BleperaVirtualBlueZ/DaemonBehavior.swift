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
  package var takesIntervals: Bool { DaemonVersion(5, minor).honorsIntervals(isExperimental: isExperimental) }
  /// Whether SupportedCapabilities and SupportedFeatures exist.
  package var hasCapabilities: Bool { takesIntervals }
  /// Whether more than 31 bytes become an extended advertisement instead of being refused.
  package var extendsAdvertisements: Bool { has(.extendsLongAdvertisements) }
  /// Whether an advertisement is added in one step, without parameters of its own.
  package var addsAdvertisementsAtOnce: Bool { has(.addsAdvertisementsAtOnce) }
  /// Whether `Discoverable` = false still adds Flags.
  package var flagsWhenNotDiscoverable: Bool { !has(.omitsFlagsWhenNotDiscoverable) }
  /// Whether these can be BR/EDR Not Supported.
  var excludesClassicWhenNotDiscoverable: Bool { !has(.omitsClassicWhenNotDiscoverable) }
  /// Whether DiscoverableTimeout 0 means no timeout; if false, such a registration never receives a reply.
  package var takesZeroDiscoverableTimeout: Bool { !has(.hangsOnZeroDiscoverableTimeout) }
  /// Whether the properties of the scan response are read at the registration.
  package var takesScanResponses: Bool { !has(.ignoresScanResponses) }
  /// Whether changes of them are read while the advertisement is registered.
  package var takesChangedScanResponses: Bool { takesScanResponses && isExperimental }
  /// The maximum length of a value in a Write Request, in bytes.
  package var longestWrite: Int {
    has(.takesAnyWriteLength) ? Self.anyLength : has(.refusesFullLengthWrites) ? 510 : 512
  }
  /// The maximum length of a value in a long write, in bytes.
  package var longestLongWrite: Int {
    has(.takesAnyWriteLength) ? Self.anyLength : has(.refusesFullLengthWrites) ? 508 : 512
  }
  private static let anyLength = Int(UInt16.max)
  /// Whether every characteristic needs an explicit handle.
  package var needsExplicitHandles: Bool { has(.needsExplicitHandles) }
  /// Whether an application may reply with ImproperlyConfigured.
  package var knowsImproperlyConfigured: Bool { !has(.ignoresImproperlyConfigured) }
  /// Whether the message of an application's Failed can be an ATT error code.
  package var readsErrorCodes: Bool { !has(.ignoresErrorCodes) }
  /// Whether the result of ReadValue with an offset begins with that many zero bytes.
  var fillsReadOffset: Bool { has(.fillsReadOffset) }
  /// Whether Device1 has Bonded.
  var hasBonded: Bool { !has(.lacksBonded) }
  /// Whether remote characteristics have MTU.
  var hasMTU: Bool { !has(.lacksMTU) }
  /// Whether encrypt-notify and similar flags are known.
  package var knowsNotifyPermissions: Bool { !has(.lacksNotifyPermissions) }
  /// Whether a client subscribes to notifications and indications where there are both.
  var subscribesToBoth: Bool { has(.subscribesToBoth) }
  /// What Connect fails with where the device has gone.
  var goneError: String {
    has(.failsToConnectByErrno) ? "Software caused connection abort" : "le-connection-abort-by-local"
  }
  /// What Connect fails with where Disconnect ends it.
  var cancelError: String { has(.failsToConnectByErrno) ? "Cancelled" : "br-connection-canceled" }
  /// Whether AcquireNotify is called for each device; if false, for the first subscriber only.
  package var acquiresForEachDevice: Bool { !has(.acquiresForFirstSubscriber) }
  /// Whether data written to an AcquireNotify file descriptor reaches its device only.
  package var targetsAcquiredDevice: Bool { !has(.sendsAcquiredToAll) }
  /// Whether the descriptor receives a byte 0x01 for each confirmed indication.
  package var confirmsByDescriptor: Bool { !has(.confirmsWithoutDescriptor) }
  /// Whether objects of remote attributes have the property Handle.
  var hasHandles: Bool { !has(.lacksHandles) }
  /// Whether Adapter1 has Manufacturer and Version.
  var hasControllerVersion: Bool { !has(.lacksControllerVersion) }
  /// Whether Adapter1 has PowerState.
  var hasPowerState: Bool { (isExperimental && !has(.lacksPowerState)) || !has(.hidesPowerState) }
  /// Whether a device that can be connected to has an object though no client wants it.
  var keepsUnwantedDevices: Bool { has(.keepsUnwantedDevices) }
  /// Whether Pair with a bonded device is AlreadyExists.
  var knowsBonds: Bool { !has(.pairsBondedOverClassic) }
  /// Whether Pair uses the capability of the caller's agent where the device is connected.
  var takesCallersCapability: Bool { has(.pairsWithCallersCapability) }
  /// Whether a second Connect is InProgress.
  var knowsConnecting: Bool { !has(.failsSecondConnect) }
  /// Whether Adapter1 has Connectable.
  var hasConnectable: Bool { !has(.lacksConnectable) }
  /// Whether Generic Access has Central Address Resolution.
  var hasAddressResolution: Bool {
    !has(.lacksAddressResolution) && (has(.alwaysResolvesAddresses) || has(.runsWithPrivateLinkLayer))
  }
  /// Whether Generic Attribute has Server Supported Features, for more than one ATT channel.
  var hasServerFeatures: Bool { has(.opensManyChannels) }
  /// Whether services that a plugin uses, such as Generic Access, are objects.
  var exportsClaimedServices: Bool { !has(.hidesClaimedServices) }
  /// Whether Device1 has CablePairing.
  var hasCablePairing: Bool { !has(.lacksCablePairing) }
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

  private func has(_ quirk: DaemonQuirk) -> Bool { quirk.applies(to: DaemonVersion(5, minor)) }
}
