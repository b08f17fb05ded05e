/// Who an app is, from its Info.plist.
public struct AppIdentity: Hashable, Codable, Sendable {
  /// `CFBundleIdentifier`, unique on a system.
  public var bundleIdentifier: String
  public var name: String
  /// `UIBackgroundModes`.
  public var backgroundModes: [String]
  /// `CBPeripheralManagerOptionRestoreIdentifierKey`; nil where the app does not opt in to state restoration.
  public var restoreIdentifier: String?
  public var rules: AppRules
  /// Whether `NSAccessorySetupKitSupports` names Bluetooth: iOS 26 relaunches such an app after more than others.
  public var usesAccessorySetup: Bool

  public init(
    bundleIdentifier: String, name: String, backgroundModes: [String], restoreIdentifier: String?,
    rules: AppRules = AppRules(), usesAccessorySetup: Bool = false
  ) {
    self.bundleIdentifier = bundleIdentifier
    self.name = name
    self.backgroundModes = backgroundModes
    self.restoreIdentifier = restoreIdentifier
    self.rules = rules
    self.usesAccessorySetup = usesAccessorySetup
  }
}

extension AppIdentity {
  /// An app that overrides nothing may leave its rules out, and so on.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    bundleIdentifier = try container.decode(String.self, forKey: .bundleIdentifier)
    name = try container.decode(String.self, forKey: .name)
    backgroundModes = try container.decodeIfPresent([String].self, forKey: .backgroundModes) ?? []
    restoreIdentifier = try container.decodeIfPresent(String.self, forKey: .restoreIdentifier)
    rules = try container.decodeIfPresent(AppRules.self, forKey: .rules) ?? AppRules()
    usesAccessorySetup = try container.decodeIfPresent(Bool.self, forKey: .usesAccessorySetup) ?? false
  }
}
