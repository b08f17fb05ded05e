import BleperaHost

/// The advertisement that the kernel keeps until the advertisement's scan response arrives (`process_adv_report` in
/// net/bluetooth/hci_event.c of Linux 6.1 and 6.12).
///
/// An adapter has one. So bluetoothd receives an advertisement without its scan response only where another device's
/// report follows, or where the scan ends: the next advertisement of the same device replaces the one that is kept.
struct PendingReport: Sendable {
  private var kept: AdvertisementReport?

  /// Returns the reports that bluetoothd receives now.
  mutating func add(_ report: AdvertisementReport, isActive: Bool) -> [AdvertisementReport] {
    let former = kept.take().map { $0.address == report.address ? [] : [$0] } ?? []
    guard isActive, report.isScannable, !report.isExtended, !report.hasResponse else { return former + [report] }
    kept = report
    return former
  }

  /// Returns the report that bluetoothd receives when the scan ends.
  mutating func flush() -> AdvertisementReport? { kept.take() }
}
