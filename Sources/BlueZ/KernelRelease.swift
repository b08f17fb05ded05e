/// A run of kernel releases, as `uname -r` names them.
package struct KernelRelease: Hashable, Sendable {
  /// `6.12`.
  package let series: String
  /// The first patch level of the series that belongs to the run.
  package let firstPatch: Int

  /// Kernels that check the length of ADD_EXT_ADV_DATA (d3f7d17960ed) without the later correction (149324fc762c): the
  /// first ones that were reported (BlueZ issues 2268 and 2269).
  package static let checkingAdvertisingData = [
    KernelRelease(series: "6.12", firstPatch: 93),
    KernelRelease(series: "6.18", firstPatch: 34),
  ]

  package func contains(_ release: String) -> Bool {
    let parts = release.split(separator: ".", maxSplits: 2)
    guard parts.count == 3, "\(parts[0]).\(parts[1])" == series else { return false }
    guard let patch = Int(parts[2].prefix { $0.isNumber }) else { return false }
    return patch >= firstPatch
  }
}
