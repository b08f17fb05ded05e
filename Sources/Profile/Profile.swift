/// What a property list says about a peripheral-role app, checked.
public struct Profile: Hashable, Sendable {
  /// `CFBundleIdentifier`; nil where the file has none, and callers then use the name of the file.
  public var bundleIdentifier: String?
  /// `CFBundleDisplayName`, or else `CFBundleName`.
  public var bundleName: String?
  /// `UIBackgroundModes`.
  public var backgroundModes: [String]
  /// `NSAccessorySetupKitSupports`.
  public var accessorySetup: [String] = []
  /// `CBPeripheralManagerOptionRestoreIdentifierKey`; nil for an app that does not opt in to restoration.
  public var restoreIdentifier: String?
  /// What the app passes to `startAdvertising`; nil for one that does not advertise.
  public var advertisement: Advertisement?
  /// In the order in which they are added.
  public var services: [Service]
  public var rules: Rules

  /// The background mode that lets a peripheral-role app run on.
  public static let peripheralBackgroundMode = "bluetooth-peripheral"

  public var hasPeripheralBackgroundMode: Bool { backgroundModes.contains(Self.peripheralBackgroundMode) }

  /// Whether the app sets Bluetooth accessories up with AccessorySetupKit.
  public var usesAccessorySetup: Bool { accessorySetup.contains("Bluetooth") }

  public init(
    bundleIdentifier: String? = nil, bundleName: String? = nil, backgroundModes: [String] = [],
    restoreIdentifier: String? = nil, advertisement: Advertisement? = nil, services: [Service] = [],
    rules: Rules = Rules()
  ) {
    self.bundleIdentifier = bundleIdentifier
    self.bundleName = bundleName
    self.backgroundModes = backgroundModes
    self.restoreIdentifier = restoreIdentifier
    self.advertisement = advertisement
    self.services = services
    self.rules = rules
  }

  /// Reads and checks a property list of either form; `file` is what diagnostics call it.
  public static func check(_ bytes: [UInt8], file: String) -> ProfileCheck {
    var faults = FaultList()
    let document = PropertyList.read(bytes, faults: &faults)
    var profile: Profile?
    if let root = document.root {
      var checker = ProfileChecker(faults: faults)
      profile = checker.profile(root)
      faults = checker.faults
    }
    return ProfileCheck(
      profile: faults.hasErrors ? nil : profile, diagnostics: faults.diagnostics(file: file, lines: document.lines))
  }
}

extension Profile {
  /// Checks a profile that stands in another property list; it means nothing when there are errors.
  package static func check(_ node: PropertyListNode, at path: NodePath, _ faults: inout FaultList) -> Profile? {
    var checker = ProfileChecker(faults: faults)
    let profile = checker.profile(node, at: path)
    faults = checker.faults
    return profile
  }
}
