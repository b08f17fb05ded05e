/// Why an app hears nothing of an advertisement that is on the air.
package enum PassedOver: String, Hashable, Sendable, CaseIterable {
  case notScanning
  /// It does not listen all the time.
  case betweenWindows
  /// In the background a scan has to ask for services.
  case needsServices
  /// None of the services that were asked for is there.
  case noSuchService
  /// One would be by its bit, and nobody looks at it while the screen is off.
  case overflowUnread
  /// One is in the scan response, and in the background nobody asks for that.
  case inScanResponse
  /// It has been reported.
  case reported
}
