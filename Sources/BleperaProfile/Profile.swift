public import BleperaBluetooth
public import BleperaPropertyLists

/// A peripheral-role app as a property list describes it.
public struct Profile: Hashable, Sendable {
  /// `CFBundleIdentifier`; nil where the file has none: callers use the name of the file.
  public var bundleIdentifier: String?
  /// `CFBundleDisplayName`, or `CFBundleName`.
  public var bundleName: String?
  /// `UIBackgroundModes`.
  public var backgroundModes: [String]
  /// `NSAccessorySetupSupports` and `NSAccessorySetupKitSupports`.
  public var accessorySetup: [String] = []
  /// `CBPeripheralManagerOptionRestoreIdentifierKey`; nil for an app without state restoration.
  public var restoreIdentifier: String?
  /// The argument of `startAdvertising`; nil for an app that does not advertise.
  public var advertisement: AdvertisementData?
  /// In the order in which the app adds them.
  public var services: [Service]
  /// The arguments of `publishL2CAPChannel`, in the order of the calls; what a central sends is sent back.
  public var channels: [Channel] = []
  /// The values of the rule set that the app overrides.
  public var rules: RuleOverrides

  /// The background mode that lets a peripheral-role app run in the background.
  public static let peripheralBackgroundMode = "bluetooth-peripheral"

  /// Whether `UIBackgroundModes` has `bluetooth-peripheral`.
  public var hasPeripheralBackgroundMode: Bool { backgroundModes.contains(Self.peripheralBackgroundMode) }

  /// Whether the app uses AccessorySetupKit for Bluetooth accessories.
  public var usesAccessorySetup: Bool { accessorySetup.contains("Bluetooth") }

  /// Creates a profile in code, which is not checked.
  public init(
    bundleIdentifier: String? = nil, bundleName: String? = nil, backgroundModes: [String] = [],
    restoreIdentifier: String? = nil, advertisement: AdvertisementData? = nil, services: [Service] = [],
    rules: RuleOverrides = RuleOverrides()
  ) {
    self.bundleIdentifier = bundleIdentifier
    self.bundleName = bundleName
    self.backgroundModes = backgroundModes
    self.restoreIdentifier = restoreIdentifier
    self.advertisement = advertisement
    self.services = services
    self.rules = rules
  }

  /// Reads and checks a property list; `file` is its name in diagnostics.
  public static func check(_ bytes: [UInt8], file: String) -> ProfileCheck {
    var faults = FaultList()
    let document = PropertyList.read(bytes, faults: &faults)
    var profile: Profile?
    if let root = document.root, DocumentKind(root) == .scenario {
      faults.error(
        at: root.offset, .root, found: "a scenario", expected: "a profile",
        fix: "check it with 'blepera scenario check'")
    } else if let root = document.root {
      var checker = ProfileChecker(faults: faults)
      profile = checker.profile(root)
      faults = checker.faults
    }
    return ProfileCheck(
      profile: faults.hasErrors ? nil : profile, diagnostics: faults.diagnostics(file: file, lines: document.lines))
  }
}

extension Profile {
  /// Checks a profile within another property list; the result is meaningless where errors are reported.
  package static func check(_ node: PropertyListNode, at path: NodePath, _ faults: inout FaultList) -> Profile? {
    var checker = ProfileChecker(faults: faults)
    let profile = checker.profile(node, at: path)
    faults = checker.faults
    return profile
  }
}

extension Profile {
  /// An L2CAP channel of the app.
  public struct Channel: Hashable, Sendable {
    /// Whether a central has to be paired.
    public var requiresEncryption: Bool

    /// Creates a channel.
    public init(requiresEncryption: Bool = false) { self.requiresEncryption = requiresEncryption }
  }

  /// The characteristics that have the PSMs of the channels, in their order: those of the well-known UUID without a
  /// value and a behavior of their own.
  package var psmCharacteristics: [CharacteristicID] {
    services.enumerated().flatMap { place, service in
      service.characteristics.enumerated().filter { $0.element.hasPSM }.map { index, _ in
        CharacteristicID(service: ServiceID(rawValue: place), index: index)
      }
    }
  }
}

extension Profile.Characteristic {
  fileprivate var hasPSM: Bool {
    definition.uuid == .l2capPSM && definition.value == nil && behavior == nil && initialValue.isEmpty
  }
}

extension Profile {
  /// A service of the app, with the behavior of its characteristics.
  public struct Service: Hashable, Sendable {
    /// The type of the service.
    public var uuid: BluetoothUUID
    /// Whether the service is a primary one.
    public var isPrimary: Bool
    /// The UUIDs of earlier services that this one includes.
    public var includedServices: [BluetoothUUID]
    /// The states that responses require and set; initially the first.
    public var states: [String]
    /// The characteristics in the order in which centrals discover them.
    public var characteristics: [Characteristic]

    /// Creates a service.
    public init(
      uuid: BluetoothUUID, isPrimary: Bool = true, includedServices: [BluetoothUUID] = [],
      states: [String] = [], characteristics: [Characteristic] = []
    ) {
      self.uuid = uuid
      self.isPrimary = isPrimary
      self.includedServices = includedServices
      self.states = states
      self.characteristics = characteristics
    }

    /// The service as published, without behaviors.
    public var definition: ServiceDefinition {
      ServiceDefinition(
        uuid: uuid, isPrimary: isPrimary, includedServices: includedServices,
        characteristics: characteristics.map(\.definition))
    }
  }
}

extension Profile {
  /// A characteristic of the app, with its behavior.
  public struct Characteristic: Hashable, Sendable {
    /// The characteristic as published.
    public var definition: CharacteristicDefinition
    /// Nil for a cached value, and for a dynamic one that keeps the value last written.
    public var behavior: Behavior?
    /// The value of a dynamic characteristic without a behavior before it is written or updated.
    public var initialValue: [UInt8]
    /// The time that the app takes to respond to each read and write.
    public var answerDelay: Duration

    /// The allowed seconds of `answerDelay`.
    public static let answerDelays: ClosedRange<Double> = 0...3_600

    /// Creates a characteristic.
    public init(
      definition: CharacteristicDefinition, behavior: Behavior? = nil, initialValue: [UInt8] = [],
      answerDelay: Duration = .zero
    ) {
      self.definition = definition
      self.behavior = behavior
      self.initialValue = initialValue
      self.answerDelay = answerDelay
    }
  }
}

/// The result of checking a profile.
public struct ProfileCheck: Hashable, Sendable {
  /// Nil where the diagnostics have an error.
  public var profile: Profile?
  /// Errors and warnings, sorted by position.
  public var diagnostics: [Diagnostic]

  /// Creates a result.
  public init(profile: Profile?, diagnostics: [Diagnostic]) {
    self.profile = profile
    self.diagnostics = diagnostics
  }
}
