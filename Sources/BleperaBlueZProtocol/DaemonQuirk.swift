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
  /// A registration with a DiscoverableTimeout of 0 never receives a reply.
  case hangsOnZeroDiscoverableTimeout
  /// ScanResponseServiceUUIDs and similar properties are ignored; later releases read them with `bluetoothd -E`.
  case ignoresScanResponses
  /// A Write Request of more than 510 bytes, or a long write of more than 508, is refused.
  case refusesFullLengthWrites
  /// A characteristic without an explicit handle cannot be registered.
  case needsExplicitHandles
  /// An application's ImproperlyConfigured becomes 0x0E.
  case ignoresImproperlyConfigured
  /// AcquireNotify is called for the first subscriber only.
  case acquiresForFirstSubscriber
  /// Data written to one device's AcquireNotify file descriptor reaches all subscribers.
  case sendsAcquiredToAll
  /// A confirmed indication writes nothing to the AcquireNotify file descriptor.
  case confirmsWithoutDescriptor
  /// Fails to advertise on kernels that check the length of ADD_EXT_ADV_DATA (BlueZ issues 2268 and 2269).
  case sendsUncheckedAdvertisingData

  /// The affected releases, and the BlueZ commits that introduced and fixed the quirk.
  private var row: (first: DaemonVersion?, fixedIn: DaemonVersion?, commits: [String]) {
    switch self {
    case .ignoresIntervals: (nil, DaemonVersion(5, 77), ["7e028287a"])
    case .abortsOnRefusedUpdate: (nil, DaemonVersion(5, 74), ["6b5447583"])
    case .extendsLongAdvertisements: (DaemonVersion(5, 76), nil, ["ea242fbf8"])
    case .omitsFlagsWhenNotDiscoverable: (nil, DaemonVersion(5, 69), ["828bc564e"])
    case .hangsOnZeroDiscoverableTimeout: (nil, DaemonVersion(5, 73), ["c58a4d9f7"])
    case .ignoresScanResponses: (nil, DaemonVersion(5, 80), [])
    case .refusesFullLengthWrites: (nil, DaemonVersion(5, 69), ["8bf3a4a26"])
    case .needsExplicitHandles: (DaemonVersion(5, 74), DaemonVersion(5, 76), ["7604a577c", "f34cc1da5"])
    case .ignoresImproperlyConfigured: (nil, DaemonVersion(5, 76), [])
    case .acquiresForFirstSubscriber: (nil, DaemonVersion(5, 69), ["8eb1dee87"])
    case .sendsAcquiredToAll: (nil, DaemonVersion(5, 76), ["a08ec1a4e"])
    case .confirmsWithoutDescriptor: (nil, DaemonVersion(5, 80), [])
    case .sendsUncheckedAdvertisingData: (nil, DaemonVersion(5, 87), [])
    }
  }

  /// The first release without the quirk; nil if not fixed.
  package var fixedIn: DaemonVersion? { row.fixedIn }

  /// Abbreviated BlueZ commits: the cause, the fix, or both.
  package var commits: [String] { row.commits }

  package func applies(to version: DaemonVersion) -> Bool {
    (row.first.map { version >= $0 } ?? true) && (row.fixedIn.map { version < $0 } ?? true)
  }
}
