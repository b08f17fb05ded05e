/// Why an app does not receive an advertisement that is on the air.
package enum IgnoreReason: String, Hashable, Sendable, CaseIterable {
  case notScanning
  /// The advertisement was sent between two scan windows.
  case betweenWindows
  /// A scan in the background must specify services.
  case needsServices
  /// None of the requested services is advertised.
  case noSuchService
  /// A requested service has its bit set, but the overflow area is ignored while the screen is off.
  case overflowUnread
  /// A requested service is in the scan response, which a passive scan does not request.
  case inScanResponse
  /// The peripheral has already been reported.
  case reported
}
