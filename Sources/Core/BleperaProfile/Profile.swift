package import BleperaBluetooth
package import BleperaPropertyLists

/// An app as a property list describes it: its peripheral role, its central role, or both.
package struct Profile: Hashable, Sendable {
  /// `CFBundleIdentifier`; nil where the file has none: callers use the name of the file.
  package var bundleIdentifier: String?
  /// `CFBundleDisplayName`, or `CFBundleName`.
  package var bundleName: String?
  /// `UIBackgroundModes`.
  package var backgroundModes: [String] = []
  /// `NSAccessorySetupSupports` and `NSAccessorySetupKitSupports`.
  package var accessorySetup: [String] = []
  /// `CBPeripheralManagerOptionRestoreIdentifierKey`; nil for an app without state restoration.
  package var restoreIdentifier: String?
  /// The argument of `startAdvertising`; nil for an app that does not advertise.
  package var advertisement: AdvertisementData?
  /// In the order in which the app adds them.
  package var services: [Service] = []
  /// The arguments of `publishL2CAPChannel`, in the order of the calls; each channel echoes the data of a central.
  package var channels: [Channel] = []
  /// The values of the rule set that the app overrides.
  package var rules: RuleOverrides = RuleOverrides()
  /// Nil for an app without the central role.
  package var central: Central?

  /// The background mode that lets a peripheral-role app run in the background.
  package static let peripheralBackgroundMode = "bluetooth-peripheral"

  /// Whether the app has a peripheral manager: all but one that has the central role alone.
  package var isPeripheral: Bool {
    central == nil || !services.isEmpty || advertisement != nil || !channels.isEmpty || restoreIdentifier != nil
  }

  /// Whether the app uses AccessorySetupKit for Bluetooth accessories.
  package var usesAccessorySetup: Bool { accessorySetup.contains("Bluetooth") }

  /// Reads and checks a property list; `file` is its name in diagnostics.
  package static func check(_ bytes: [UInt8], file: String) -> ProfileCheck {
    var faults = FaultList()
    let document = PropertyList.read(bytes, faults: &faults)
    var profile: Profile?
    if let root = document.root, let kind = DocumentKind(root), kind != .profile {
      faults.error(
        at: root.offset, .root, found: "\(kind)", expected: "\(DocumentKind.profile)",
        fix: kind == .scenario
          ? "check it with 'blepera scenario check'" : "use it with '\(kind == .phone ? "--like" : "lab --accessory")'")
    } else if let root = document.root {
      var checker = ProfileChecker(faults: faults, name: name(ofFile: file))
      profile = checker.profile(root)
      faults = checker.faults
    }
    return ProfileCheck(
      profile: faults.hasErrors ? nil : profile, diagnostics: faults.diagnostics(file: file, lines: document.lines))
  }

  /// `heart-rate` for `profiles/heart-rate.plist`.
  package static func name(ofFile path: String) -> String {
    let last = path.split(separator: "/").last.map(String.init) ?? path
    return last.hasSuffix(".plist") && last != ".plist" ? String(last.dropLast(6)) : last
  }
}

extension Profile {
  /// The word in an identifier for the name of the executable, which an Info.plist does not say.
  package static let executable = "EXECUTABLE"

  /// Checks the Info.plist of an app that is written against Core Bluetooth: its profile has the identity alone. Nil
  /// for other files, such as a profile or an Info.plist that misspells the keys of a profile.
  package static func checkInfoPlist(_ bytes: [UInt8], file: String) -> ProfileCheck? {
    var faults = FaultList()
    let document = PropertyList.read(bytes, faults: &faults)
    guard let root = document.root, DocumentKind(root) == nil else { return nil }
    var checker = ProfileChecker(faults: faults, name: executable)
    guard let app = checker.infoPlist(root) else { return nil }
    return ProfileCheck(
      profile: checker.faults.hasErrors ? nil : app,
      diagnostics: checker.faults.diagnostics(file: file, lines: document.lines))
  }
}

extension Profile {
  /// Checks a profile within another property list; the result is meaningless where errors are reported.
  ///
  /// - Parameter name: The app's name where its bundle identifier has build variables.
  package static func check(
    _ node: PropertyListNode, at path: NodePath, name: String, _ faults: inout FaultList
  ) -> Profile? {
    var checker = ProfileChecker(faults: faults, name: name)
    let profile = checker.profile(node, at: path)
    faults = checker.faults
    return profile
  }
}

extension Profile {
  /// An L2CAP channel of the app.
  package struct Channel: Hashable, Sendable {
    /// Whether a central has to be paired.
    package var requiresEncryption: Bool

    package init(requiresEncryption: Bool = false) { self.requiresEncryption = requiresEncryption }
  }

  /// The characteristics that have the PSMs of the channels, in their order: the characteristics of the well-known UUID
  /// without a value and a behavior of their own.
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
  package struct Service: Hashable, Sendable {
    /// The type of the service.
    package var uuid: BluetoothUUID
    /// Whether the service is a primary one.
    package var isPrimary: Bool
    /// The UUIDs of earlier services that this one includes.
    package var includedServices: [BluetoothUUID]
    /// The states that responses require and set; initially the first.
    package var states: [String]
    /// The characteristics in the order in which centrals discover them.
    package var characteristics: [Characteristic]

    package init(
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
    package var definition: ServiceDefinition {
      ServiceDefinition(
        uuid: uuid, isPrimary: isPrimary, includedServices: includedServices,
        characteristics: characteristics.map(\.definition))
    }
  }
}

extension Profile {
  /// A characteristic of the app, with its behavior.
  package struct Characteristic: Hashable, Sendable {
    /// The characteristic as published.
    package var definition: CharacteristicDefinition
    /// Nil for a cached value, and for a dynamic one that keeps the value last written.
    package var behavior: Behavior?
    /// The value of a dynamic characteristic without a behavior before it is written or updated.
    package var initialValue: [UInt8]
    /// The time that the app takes to respond to each read and write.
    package var answerDelay: Duration

    /// The allowed seconds of `answerDelay`.
    package static let answerDelays: ClosedRange<Double> = 0...3_600

    package init(
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

package struct ProfileCheck: Hashable, Sendable {
  /// Nil where the diagnostics have an error.
  package var profile: Profile?
  /// Errors and warnings, sorted by position.
  package var diagnostics: [Diagnostic]
}
