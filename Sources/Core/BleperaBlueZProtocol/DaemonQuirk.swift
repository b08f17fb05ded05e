/// Differences between releases of bluetoothd, for clients and for the virtual bluetoothd.
package enum DaemonQuirk: CaseIterable, Sendable {
  /// MinInterval, MaxInterval and TxPower are ignored, and SupportedCapabilities is missing, without `bluetoothd -E`.
  case ignoresIntervals
  /// The daemon aborts when the kernel refuses a change of a live advertisement.
  case abortsOnRefusedUpdate
  /// An advertisement of more than 31 bytes becomes an extended one, which legacy scanners do not receive.
  case extendsLongAdvertisements
  /// `Discoverable` = false adds no Flags.
  case omitsFlagsWhenNotDiscoverable
  /// `Discoverable` = false never adds BR/EDR Not Supported.
  case omitsClassicWhenNotDiscoverable
  /// A registration with a DiscoverableTimeout of 0 never receives a reply.
  case hangsOnZeroDiscoverableTimeout
  /// ScanResponseServiceUUIDs and similar properties are ignored; later releases read them at the registration, and
  /// changes of them with `bluetoothd -E`.
  case ignoresScanResponses
  /// A Write Request of more than 510 bytes, or a long write of more than 508, is refused.
  case refusesFullLengthWrites
  /// The length of a write is not checked, only the length of a packet (517 bytes).
  case takesAnyWriteLength
  /// A characteristic without an explicit handle cannot be registered, so that every program chooses its handles
  /// itself: nothing keeps the handles of two programs apart.
  case needsExplicitHandles
  /// An application's ImproperlyConfigured becomes 0x0E.
  case ignoresImproperlyConfigured
  /// AcquireNotify is called for the first subscriber only.
  case acquiresForFirstSubscriber
  /// Data written to one device's AcquireNotify file descriptor reaches all subscribers.
  case sendsAcquiredToAll
  /// A confirmed indication writes nothing to the AcquireNotify file descriptor.
  case confirmsWithoutDescriptor
  /// AcquireNotify is refused for a remote characteristic that only indicates.
  case acquiresNotificationsAlone
  /// Fails to advertise on kernels that check the length of ADD_EXT_ADV_DATA (BlueZ issues 2268 and 2269).
  case sendsUncheckedAdvertisingData
  /// The objects of remote services, characteristics and descriptors have no property Handle.
  case lacksHandles
  /// Adapter1 has no properties Manufacturer and Version.
  case lacksControllerVersion
  /// PowerState of Adapter1 is there with `bluetoothd -E` only.
  case hidesPowerState
  /// A device that is not discoverable, or that a filter's Pattern refuses, gets an object too if it can be connected
  /// to, but without the data that it advertises.
  case keepsUnwantedDevices
  /// Pair with a device that is bonded over LE tries BR/EDR and fails, in place of AlreadyExists.
  case pairsBondedOverClassic
  /// Pair uses the capability of the caller's agent also where the device is connected; later releases use the default
  /// agent's.
  case pairsWithCallersCapability
  /// Connect fails with Failed, not InProgress, while another is under way.
  case failsSecondConnect
  /// Disconnect, and RemoveDevice of a connected device, are answered before Connected changes, not after it.
  case repliesBeforeDisconnected
  /// Adapter1 has no property Connectable.
  case lacksConnectable
  /// A discovery filter that names nothing but the transport counts as one, so that devices need not be discoverable.
  case filtersWithoutCriterion
  /// Generic Access has Central Address Resolution without LL Privacy too.
  case alwaysResolvesAddresses
  /// The kernel of the release's suite has LL Privacy (7.2, measured), with which Generic Access has Central Address
  /// Resolution; the kernel of 5.82's suite has not.
  case runsWithPrivateLinkLayer
  /// main.conf has no Client under [GATT].
  case lacksClientSetting
  /// More than one ATT channel is the default, so that Generic Attribute has Server Supported Features.
  case opensManyChannels
  /// The remote services that a plugin of bluetoothd uses, such as Generic Access, are no objects.
  case hidesClaimedServices
  /// The daemon crashes when a device is received while a client discovers with a filter of services.
  case crashesOnServiceFilter
  /// With `bluetoothd -E` the plugin vcp crashes the daemon when a link ends; seen on 5.66, not on 5.82.
  case crashesInVolumeControl
  /// Device1 has no property CablePairing.
  case lacksCablePairing
  /// SetDiscoveryFilter does not know AutoConnect.
  case lacksAutoConnect
  /// Device1 has no signal Disconnected, which has the reason.
  case lacksDisconnectionReason
  /// An advertisement is added in one step: a too long advertisement counts as not parsed, no TxPower is set, and
  /// intervals and capabilities are missing with `-E` too.
  case addsAdvertisementsAtOnce
  /// An application's Failed becomes 0x80, whatever code its message has.
  case ignoresErrorCodes
  /// The result of ReadValue with an offset begins with that many zero bytes.
  case fillsReadOffset
  /// Device1 has no property Bonded.
  case lacksBonded
  /// GattCharacteristic1 of remote services has no property MTU.
  case lacksMTU
  /// Adapter1 has no property PowerState, with `bluetoothd -E` either.
  case lacksPowerState
  /// Generic Access has no Central Address Resolution.
  case lacksAddressResolution
  /// encrypt-notify and similar flags are unknown, so that an application with one is refused.
  case lacksNotifyPermissions
  /// A client subscribes to notifications and indications where a characteristic has both, which the server refuses.
  case subscribesToBoth
  /// Connect fails with the text of an errno.
  case failsToConnectByErrno
  /// The daemon can crash when a device that has subscribed is removed while it is connected.
  case crashesOnRemovedDevice
  /// The daemon crashes when an application whose services include others is removed, or refused.
  case crashesOnRemovedIncludes
  /// A client misreads the second and later values of a packet with several notifications.
  case misreadsSeveralNotifications
  /// A connected device whose Flags do not deny BR/EDR is paged at its private address, and the link ends with the
  /// page.
  case pagesPrivateAddresses
  /// The daemon crashes when a device is removed while it is connected (BlueZ issue 2221).
  case crashesOnRemovedConnection
  /// The daemon can crash when a program leaves the bus that has acquired notifications (BlueZ issue 1781).
  case crashesOnLeavingClient
  /// The daemon can crash after an adapter has been removed.
  case crashesAfterRemovedAdapter
  /// A discovery filter without RSSI and Pathloss does not make the daemon signal changes of RSSI below 8 dB.
  case withholdsSmallChanges
  /// Signed Write Commands are ignored.
  case ignoresSignedWrites
  /// The stored Database Hash of a peripheral stays where services are added during a connection.
  case keepsOldHash
  /// Connects to a device that has lost its keys again and again, without a limit.
  case retriesWithoutKeys

  /// The affected releases, and the BlueZ commits that introduced and fixed the quirk.
  private var row: (first: DaemonVersion?, fixedIn: DaemonVersion?, commits: [String]) {
    switch self {
    case .ignoresIntervals: (nil, DaemonVersion(5, 77), ["7e028287a"])
    case .abortsOnRefusedUpdate: (nil, DaemonVersion(5, 74), ["6b5447583"])
    case .extendsLongAdvertisements: (DaemonVersion(5, 76), nil, ["ea242fbf8"])
    case .omitsFlagsWhenNotDiscoverable: (nil, DaemonVersion(5, 69), ["828bc564e"])
    case .omitsClassicWhenNotDiscoverable: (nil, DaemonVersion(5, 77), [])
    case .hangsOnZeroDiscoverableTimeout: (nil, DaemonVersion(5, 73), ["c58a4d9f7"])
    case .ignoresScanResponses: (nil, DaemonVersion(5, 80), [])
    case .refusesFullLengthWrites: (DaemonVersion(5, 63), DaemonVersion(5, 69), ["591c546c5", "8bf3a4a26"])
    case .takesAnyWriteLength: (nil, DaemonVersion(5, 63), ["591c546c5"])
    case .needsExplicitHandles: (DaemonVersion(5, 74), DaemonVersion(5, 76), ["7604a577c", "f34cc1da5"])
    case .ignoresImproperlyConfigured: (nil, DaemonVersion(5, 76), [])
    case .acquiresForFirstSubscriber: (nil, DaemonVersion(5, 69), ["8eb1dee87"])
    case .sendsAcquiredToAll: (nil, DaemonVersion(5, 76), ["a08ec1a4e"])
    case .confirmsWithoutDescriptor: (nil, DaemonVersion(5, 80), [])
    case .acquiresNotificationsAlone: (nil, DaemonVersion(5, 80), ["f863d0116"])
    case .sendsUncheckedAdvertisingData: (nil, DaemonVersion(5, 87), [])
    case .lacksHandles: (nil, DaemonVersion(5, 69), ["cda5549f2"])
    case .lacksControllerVersion: (nil, DaemonVersion(5, 71), ["f2677c015"])
    case .hidesPowerState: (nil, DaemonVersion(5, 77), [])
    case .keepsUnwantedDevices: (DaemonVersion(5, 78), DaemonVersion(5, 83), ["939133293", "af7d5dc61"])
    case .pairsBondedOverClassic: (nil, DaemonVersion(5, 79), ["6d55c7d7f"])
    case .pairsWithCallersCapability: (nil, DaemonVersion(5, 81), ["8e2cece67"])
    case .failsSecondConnect: (nil, DaemonVersion(5, 81), ["1c2ec2990"])
    case .repliesBeforeDisconnected: (nil, DaemonVersion(5, 79), ["38734e020"])
    case .lacksConnectable: (nil, DaemonVersion(5, 79), ["17f485f20"])
    case .filtersWithoutCriterion: (nil, DaemonVersion(5, 67), ["de8e7cfce"])
    case .alwaysResolvesAddresses: (nil, DaemonVersion(5, 81), ["a0d6d3c78"])
    case .runsWithPrivateLinkLayer: (DaemonVersion(5, 87), nil, [])
    case .lacksClientSetting: (nil, DaemonVersion(5, 74), [])
    case .opensManyChannels: (nil, DaemonVersion(5, 67), ["ab3ff0d2c"])
    case .hidesClaimedServices: (nil, DaemonVersion(5, 80), ["dbd6591bd"])
    case .crashesOnServiceFilter: (DaemonVersion(5, 87), .next, ["91c340d35", "82af2beaf"])
    case .crashesInVolumeControl: (DaemonVersion(5, 66), DaemonVersion(5, 82), [])
    case .lacksCablePairing: (nil, DaemonVersion(5, 83), ["20ea34e72"])
    case .lacksAutoConnect: (nil, DaemonVersion(5, 83), ["af7d5dc61"])
    case .lacksDisconnectionReason: (nil, DaemonVersion(5, 83), [])
    case .addsAdvertisementsAtOnce: (nil, DaemonVersion(5, 56), ["cf7795a6a", "d94551190", "3e6157966"])
    case .ignoresErrorCodes: (nil, DaemonVersion(5, 66), ["6b8f9fbd5"])
    case .fillsReadOffset: (nil, DaemonVersion(5, 60), ["10d1acb1f"])
    case .lacksBonded: (nil, DaemonVersion(5, 65), ["0e2e52d0c"])
    case .lacksMTU: (nil, DaemonVersion(5, 62), ["aaa0c4996"])
    case .lacksPowerState: (nil, DaemonVersion(5, 66), ["58021a665"])
    case .lacksAddressResolution: (nil, DaemonVersion(5, 61), ["ba8a23d4a"])
    case .lacksNotifyPermissions: (nil, DaemonVersion(5, 62), ["61576a8e7"])
    case .subscribesToBoth: (nil, DaemonVersion(5, 59), ["7c3ca2a6b"])
    case .failsToConnectByErrno: (nil, DaemonVersion(5, 62), ["8f73362e8"])
    case .crashesOnRemovedDevice: (nil, DaemonVersion(5, 56), ["f1839c569"])
    case .crashesOnRemovedIncludes: (nil, DaemonVersion(5, 56), ["e892dd0cd"])
    case .misreadsSeveralNotifications: (nil, DaemonVersion(5, 57), ["75fc53637"])
    case .pagesPrivateAddresses: (nil, .next, ["9965f36c6"])
    case .crashesOnRemovedConnection: (DaemonVersion(5, 87), .next, ["5d836f1c6", "5bc6aa79e"])
    case .crashesOnLeavingClient: (nil, DaemonVersion(5, 86), ["1dba18681", "a94f99420"])
    case .crashesAfterRemovedAdapter: (DaemonVersion(5, 85), DaemonVersion(5, 87), ["bde3c34fd", "1ab128f6d"])
    case .withholdsSmallChanges: (.next, nil, ["e004414a1"])
    case .ignoresSignedWrites: (nil, DaemonVersion(5, 73), ["71f0a1e88"])
    case .keepsOldHash: (nil, DaemonVersion(5, 87), ["ccdfe1e1a", "0fd01e98c"])
    case .retriesWithoutKeys: (nil, DaemonVersion(5, 86), ["17a227b77"])
    }
  }

  /// The first release without the quirk; nil if not fixed.
  package var fixedIn: DaemonVersion? { row.fixedIn }

  /// The first affected release; nil if no earlier release is known to be without the quirk.
  package var first: DaemonVersion? { row.first }
  /// The last affected release; nil if not fixed.
  package var last: DaemonVersion? { row.fixedIn.map { DaemonVersion($0.major, $0.minor - 1) } }

  /// Abbreviated BlueZ commits: the cause, the fix, or both.
  package var commits: [String] { row.commits }

  package func applies(to version: DaemonVersion) -> Bool {
    (row.first.map { version >= $0 } ?? true) && (row.fixedIn.map { version < $0 } ?? true)
  }
}
