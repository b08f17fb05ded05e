import BleperaBluetooth
import BleperaPropertyLists
import BleperaRules

/// Converts a property list to a profile and reports every fault in it.
struct ProfileChecker: PropertyListChecker {
  typealias Field = Fields.Field

  var faults: FaultList
  /// The app's name where a bundle identifier has build variables.
  let name: String
  /// The references in the responses of the service that is being checked.
  var references: [ResponseReference] = []
  /// Whether the services are an accessory's, to which the rules of Core Bluetooth do not apply.
  var isAccessory = false

  init(faults: FaultList, name: String) { (self.faults, self.name) = (faults, name) }

  /// A profile of the valid values; meaningless where errors are reported.
  mutating func profile(_ root: PropertyListNode, at path: NodePath = .root) -> Profile? {
    guard let file = fields(of: root, hasCentral(root) ? .file : .peripheralFile, path) else { return nil }
    var profile = app(file)
    if let field = file[.central] { profile.central = central(field, profile) }
    guard let field = file[.peripheral], let peripheral = fields(of: field.node, .peripheral, field.path) else {
      return profile
    }
    profile.restoreIdentifier = identifier(of: .peripheral, in: peripheral, at: .restoreIdentifier, profile)
    if peripheral.lacks(.services), peripheral.lacks(.advertisement) {
      faults.error(
        at: peripheral.node.offset, peripheral.path, found: "neither Services nor Advertisement",
        expected: "something to publish or to advertise")
    }
    let services = services(peripheral)
    profile.services = services.map(\.service)
    profile.advertisement = advertisement(peripheral, services)
    profile.rules = rules(peripheral)
    profile.channels = channels(peripheral, profile)
    return profile
  }

  /// The app of an Info.plist; nil for a file that has, or misspells, the keys of a profile, and for other files.
  mutating func infoPlist(_ root: PropertyListNode) -> Profile? {
    guard let file = fields(of: root, .file, .root), file.lacks(.peripheral), file.lacks(.central),
      SchemaSection.file.keys.contains(where: file.has)
    else { return nil }
    return app(file)
  }

  private mutating func app(_ file: Fields) -> Profile {
    var profile = Profile()
    profile.bundleIdentifier = bundleIdentifier(file)
    profile.bundleName = [file.string(.bundleDisplayName), file.string(.bundleName)].compactMap(\.self)
      .first { !BuildVariables.areIn($0) }
    profile.backgroundModes = backgroundModes(file)
    for field in [file[.accessorySetup], file[.accessorySetupKit]].compactMap(\.self) {
      profile.accessorySetup += elements(of: field, .string).compactMap { element in
        guard case .string(let text) = element.node.value else { return nil }
        return text
      }
    }
    return profile
  }

  private func hasCentral(_ root: PropertyListNode) -> Bool {
    if case .dictionary(let dictionary) = root.value { dictionary[SchemaKey.central.name] != nil } else { false }
  }

  /// The restoration identifier of a manager.
  mutating func identifier(
    of role: ManagerID.Role, in fields: Fields, at key: SchemaKey, _ profile: Profile
  ) -> String? {
    let identifier = nonempty(fields, key, "a restoration identifier")
    if let field = fields[key], identifier?.isEmpty == false, !profile.backgroundModes.contains(role.backgroundMode) {
      error(
        field, found: "UIBackgroundModes without \(role.backgroundMode)",
        expected: "the mode, or no RestoreIdentifier: iOS ends the app")
    }
    return identifier
  }

  mutating func nonempty(_ fields: Fields, _ key: SchemaKey, _ expected: String) -> String? {
    guard let text = fields.string(key) else { return nil }
    if text.isEmpty, let field = fields[key] { error(field, found: "an empty string", expected: expected) }
    return text
  }

  private mutating func bundleIdentifier(_ file: Fields) -> String? {
    guard let field = file[.bundleIdentifier], case .string(let text) = field.node.value else { return nil }
    let identifier = BuildVariables.identifier(text, name: name) ?? text
    if identifier.isEmpty || !identifier.utf8.allSatisfy(BuildVariables.isAllowed) {
      error(field, found: Quote.text(text), expected: "letters, digits, hyphens and periods, as in org.example.lock")
    } else if identifier != text {
      faults.warn(
        at: field.node.contentOffset, field.path, found: "\(Quote.text(text)), which has a build variable",
        expected: "an identifier such as org.example.lock", fix: "'\(identifier)' is used")
    }
    return identifier
  }

  private mutating func backgroundModes(_ file: Fields) -> [String] {
    guard let field = file[.backgroundModes] else { return [] }
    var modes: [String] = []
    for element in elements(of: field, .string) {
      guard case .string(let mode) = element.node.value else { continue }
      modes.append(mode)
      // Other modes are ignored, but a misspelled one would change the app's behavior.
      let names = [Profile.peripheralBackgroundMode, AppIdentity.centralBackgroundMode]
      if !names.contains(mode), let name = faults.nearest(to: mode, in: names, edits: 3) {
        faults.warn(
          at: element.node.contentOffset, element.path, found: Quote.text(mode),
          expected: "\(name) for an app that runs on in the background", fix: "did you mean '\(name)'?")
      }
    }
    return modes
  }

  private mutating func advertisement(_ peripheral: Fields, _ services: [CheckedService]) -> AdvertisementData? {
    guard let field = peripheral[.advertisement], let fields = fields(of: field.node, .advertisement, field.path) else {
      return nil
    }
    var advertisement = AdvertisementData()
    if let name = fields[.localName], case .string(let text) = name.node.value {
      if text.utf8.count > LocalName.maximumLength {
        error(name, found: "a name of \(text.utf8.count) bytes", expected: "at most \(LocalName.maximumLength)")
      }
      advertisement.localName = text
    }
    if let uuids = fields[.serviceUUIDs] { advertisement.serviceUUIDs = advertised(uuids, peripheral, services) }
    if let name = fields[.localName] { checkLength(of: name, in: advertisement) }
    return advertisement
  }

  private mutating func advertised(
    _ uuids: Field, _ peripheral: Fields, _ services: [CheckedService]
  ) -> [BluetoothUUID] {
    var advertised: [BluetoothUUID] = []
    // An app without services may advertise those of another app.
    let isComplete = services.allSatisfy { $0.uuid != nil }
    let published = peripheral[.services] == nil || !isComplete ? nil : Set(services.compactMap(\.uuid))
    var seen: Set<BluetoothUUID> = []
    for element in elements(of: uuids, .uuid) {
      guard let uuid = uuid(element) else { continue }
      advertised.append(uuid)
      if !seen.insert(uuid).inserted {
        faults.warn(
          at: element.node.contentOffset, element.path, found: "\(uuid) a second time", expected: "each UUID once")
      } else if let published, !published.contains(uuid) {
        faults.warn(
          at: element.node.contentOffset, element.path, found: "\(uuid), which Services does not have",
          expected: "the UUID of one of the services")
      }
    }
    return advertised
  }

  /// Warns of a name that an iPhone shortens.
  private mutating func checkLength(of name: Field, in advertisement: AdvertisementData) {
    let app = Advertiser(app: AppID(rawValue: 0), state: .foreground, hasBackgroundMode: true, fields: advertisement)
    let plan = AdvertisementPlanner.plan([app], rules: .newest)
    guard let localName = advertisement.localName, localName.utf8.count <= LocalName.maximumLength else { return }
    for reason in plan.reasons {
      guard case .shortened(let shown) = reason.outcome else { continue }
      faults.warn(
        at: name.node.contentOffset, name.path, found: "a name of \(localName.utf8.count) bytes",
        expected: "at most \(shown.utf8.count), which fit beside the UUIDs: an iPhone advertises \(Quote.text(shown))")
    }
  }
}
