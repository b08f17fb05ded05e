/// The timing of a scanner.
package struct ScanWindow: Hashable, Sendable {
  package var interval: Duration
  /// The part of the interval, from its start, in which the scanner receives.
  package var window: Duration
  /// Whether the scanner requests the scan response.
  package var isActive: Bool

  /// The default is the kernel's for discovery: a window of 11.25 ms in an interval of 11.25 ms.
  package init(
    interval: Duration = .microseconds(11250), window: Duration = .microseconds(11250), isActive: Bool = true
  ) {
    self.interval = interval
    self.window = window
    self.isActive = isActive
  }
}
