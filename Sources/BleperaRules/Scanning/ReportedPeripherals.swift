/// The peripherals that a scan has reported, which it does not report again.
///
/// Addresses change every few minutes, so that a scan of days sees any number of peripherals: of those that are silent
/// the latest are kept, at least `limit`, and each that still advertises.
struct ReportedPeripherals: Sendable {
  /// How many peripherals a generation has; ours, since iOS publishes no limit.
  static let limit = 4096

  private var latest: Set<PeripheralID> = []
  private var former: Set<PeripheralID> = []

  /// How many peripherals are known, at most twice `limit`.
  var count: Int { latest.union(former).count }

  /// Returns whether the peripheral is new.
  mutating func insert(_ peripheral: PeripheralID) -> Bool {
    guard !latest.contains(peripheral) else { return false }
    if latest.count == Self.limit { (former, latest) = (latest, []) }
    latest.insert(peripheral)
    return former.remove(peripheral) == nil
  }

  mutating func remove(_ peripheral: PeripheralID) {
    latest.remove(peripheral)
    former.remove(peripheral)
  }
}
