/// When a scanner listens.
package struct ScanWindow: Hashable, Sendable {
  package var interval: Duration
  /// The part of the interval, from its beginning, in which it listens.
  package var window: Duration
  /// Whether it asks for the scan response.
  package var isActive: Bool

  /// The default is the kernel's for discovery: 11.25 ms of every 11.25 ms.
  package init(
    interval: Duration = .microseconds(11250), window: Duration = .microseconds(11250), isActive: Bool = true
  ) {
    self.interval = interval
    self.window = window
    self.isActive = isActive
  }

  /// Whether it listens that long after its beginning.
  package func isOpen(after elapsed: Duration) -> Bool {
    guard window < interval else { return true }
    let phase = elapsed - interval * Int(elapsed / interval)
    return phase < window
  }
}
