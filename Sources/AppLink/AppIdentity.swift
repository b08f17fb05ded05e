/// Who an app is, from its Info.plist.
public struct AppIdentity: Hashable, Codable, Sendable {
  /// `CFBundleIdentifier`, unique on a system.
  public var bundleIdentifier: String
  public var name: String
  /// `UIBackgroundModes`.
  public var backgroundModes: [String]
  /// `CBPeripheralManagerOptionRestoreIdentifierKey`; nil where the app does not opt in to state restoration.
  public var restoreIdentifier: String?

  public init(bundleIdentifier: String, name: String, backgroundModes: [String], restoreIdentifier: String?) {
    self.bundleIdentifier = bundleIdentifier
    self.name = name
    self.backgroundModes = backgroundModes
    self.restoreIdentifier = restoreIdentifier
  }
}
