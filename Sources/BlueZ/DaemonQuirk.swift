/// What releases of bluetoothd do differently, as far as a peripheral meets it.
package enum DaemonQuirk: CaseIterable, Sendable {
  /// MinInterval and MaxInterval are passed over without `bluetoothd -E` (7e028287a made them stable).
  case ignoresIntervals
  /// A change of a live advertisement that the kernel refuses aborts the daemon (fixed by 6b5447583).
  case abortsOnRefusedUpdate
  /// An advertisement of more than 31 bytes becomes an extended one, which legacy scanners never see (ea242fbf8).
  case extendsLongAdvertisements
  /// A Write Request of more than 510 bytes, or a long write of more than 508, is refused (fixed by 8bf3a4a26).
  case refusesFullLengthWrites
  /// A characteristic without an explicit handle cannot be registered (7604a577c, fixed by f34cc1da5).
  case needsExplicitHandles
  /// Fails to advertise on kernels that check the length of ADD_EXT_ADV_DATA (BlueZ issues 2268 and 2269).
  case sendsUncheckedAdvertisingData

  /// The first release with it, and the first without.
  package var releases: Range<DaemonVersion> {
    switch self {
    case .ignoresIntervals: DaemonVersion(0, 0)..<DaemonVersion(5, 77)
    case .abortsOnRefusedUpdate: DaemonVersion(0, 0)..<DaemonVersion(5, 74)
    case .extendsLongAdvertisements: DaemonVersion(5, 76)..<DaemonVersion(99, 0)
    case .refusesFullLengthWrites: DaemonVersion(0, 0)..<DaemonVersion(5, 69)
    case .needsExplicitHandles: DaemonVersion(5, 74)..<DaemonVersion(5, 76)
    case .sendsUncheckedAdvertisingData: DaemonVersion(0, 0)..<DaemonVersion(5, 87)
    }
  }

  package func applies(to version: DaemonVersion) -> Bool { releases.contains(version) }
}
