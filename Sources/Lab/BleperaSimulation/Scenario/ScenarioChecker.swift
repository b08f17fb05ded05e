import BleperaBluetooth
import BleperaPhone
import BleperaProfile
import BleperaPropertyLists
import BleperaRadio
import BleperaRules

/// Turns a property list into a scenario, and reports all errors.
struct ScenarioChecker: PropertyListChecker {
  typealias Field = Fields.Field

  var faults: FaultList
  let lines: LineTable
  /// The folder of the scenario's file, with a slash at its end; empty for the working directory.
  let folder: String
  /// The diagnostics of the scenario's profiles.
  var profileDiagnostics: [Diagnostic] = []
  var phones = NameTable()
  var apps = NameTable()
  var accessories = NameTable()
  var centrals = NameTable()
  /// The phones and accessories.
  var devices: NameTable {
    NameTable(names: phones.names + accessories.names, isComplete: phones.isComplete && accessories.isComplete)
  }
  /// The phone of each app.
  var home: [String: String] = [:]
  /// The kind of each central, if known.
  var kinds: [String: Scenario.Central.Kind] = [:]
  /// The characteristics of all profiles and of the phones' own services; nil if a profile is unknown.
  var characteristics: Set<BluetoothUUID>? = []

  /// The names that steps can refer to.
  struct NameTable {
    var names: [String] = []
    /// False if a name could not be read.
    var isComplete = true
  }

  /// The scenario; incomplete if there are errors.
  mutating func scenario(_ root: PropertyListNode, _ load: Scenario.Loader) -> Scenario? {
    guard let file = fields(of: root, .scenario, .root) else { return nil }
    var scenario = Scenario()
    scenario.title = file.string(.title) ?? ""
    if let field = file[.title], scenario.title.isEmpty {
      error(field, found: "an empty string", expected: "a title of one line")
    }
    scenario.seed = seed(file)
    scenario.phones = phones(file, load)
    scenario.accessories = accessories(file, load)
    if file.lacks(.phones), file.lacks(.accessories), case .dictionary(let root) = file.node.value, root.isComplete {
      faults.error(
        at: file.node.offset, .root, found: "no key Phones", expected: "Phones or Accessories, arrays of dictionaries")
    }
    scenario.centrals = centrals(file)
    if let field = file[.steps] {
      for element in dictionaries(field) {
        if let step = step(element) { scenario.steps.append(step) }
      }
    }
    return scenario
  }

  private mutating func seed(_ file: Fields) -> UInt64 { UInt64(integer(file, .seed, in: 0...Int.max) ?? 0) }

  private mutating func phones(_ file: Fields, _ load: Scenario.Loader) -> [Scenario.Phone] {
    guard let field = file[.phones] else {
      guard file.lacks(.accessories) || !file.lacks(.phones) else { return [] }
      (phones.isComplete, apps.isComplete, characteristics) = (false, false, nil)
      return []
    }
    return dictionaries(field).compactMap { element in
      guard let fields = fields(of: element.node, .phone, element.path) else {
        (phones.isComplete, apps.isComplete, characteristics) = (false, false, nil)
        return nil
      }
      let name = name(fields, among: phones.names + centrals.names, "phone or central")
      if let name { phones.names.append(name) } else { phones.isComplete = false }
      var phone = Scenario.Phone(name: name ?? "")
      let ios = ios(fields)
      let kind: PhoneKind? = choice(fields, .phoneKind)
      if let field = fields[.phoneKind], let kind, !kind.runs(ios) {
        error(field, found: "\(ios)", expected: kind.versions)
      }
      phone.settings = PhoneSettings(ios: ios, kind: kind ?? .earlier, splitView: flag(fields, .splitView) ?? false)
      phone.settings.chosenName = deviceName(fields, .deviceName)
      if flag(fields, .phoneServices) == true {
        phone.settings.phoneServices = true
        characteristics?.formUnion(PhoneServices.characteristics)
      }
      let rates = 0...MemoryPressure.maximumRate
      phone.settings.memoryPressure = quantity(fields, .memoryPressure, of: "terminations an hour", in: rates) ?? 0
      phone.settings.usesPublicAddress = flag(fields, .publicAddress) ?? false
      if let mode: PairingMode = choice(fields, .pairing) { phone.settings.pairing = mode }
      if let field = fields[.apps] {
        phone.apps = dictionaries(field).compactMap { app($0, on: phone.name, load) }
      } else {
        (apps.isComplete, characteristics) = (false, nil)
      }
      return phone
    }
  }

  private mutating func app(_ field: Field, on phone: String, _ load: Scenario.Loader) -> Scenario.App? {
    guard let fields = fields(of: field.node, .app, field.path) else {
      (apps.isComplete, characteristics) = (false, nil)
      return nil
    }
    let name = name(fields, among: apps.names, "app")
    if let name {
      apps.names.append(name)
      if !phone.isEmpty { home[name] = phone }
    } else {
      apps.isComplete = false
    }
    guard let field = fields[.profile], let (profile, fallback) = profile(field, name, load) else {
      characteristics = nil
      return nil
    }
    characteristics?.formUnion(profile.services.flatMap(\.characteristics).map(\.definition.uuid))
    return name.map { Scenario.App(name: $0, profile: profile, fallbackName: fallback ?? $0) }
  }

  private mutating func accessories(_ file: Fields, _ load: Scenario.Loader) -> [Scenario.Accessory] {
    guard let field = file[.accessories] else {
      if !file.lacks(.accessories) { (accessories.isComplete, characteristics) = (false, nil) }
      return []
    }
    return dictionaries(field).compactMap { element in
      guard let fields = fields(of: element.node, .accessory, element.path) else {
        (accessories.isComplete, characteristics) = (false, nil)
        return nil
      }
      let name = name(fields, among: devices.names, "phone or accessory")
      if let name { accessories.names.append(name) } else { accessories.isComplete = false }
      guard let field = fields[.accessoryProfile], let accessory = accessory(field, load) else {
        characteristics = nil
        return nil
      }
      characteristics?.formUnion(accessory.profile.services.flatMap(\.characteristics).map(\.definition.uuid))
      return name.map { Scenario.Accessory(name: $0, description: accessory) }
    }
  }

  private mutating func accessory(_ field: Field, _ load: Scenario.Loader) -> AccessoryDescription? {
    guard case .string = field.node.value else {
      return AccessoryDescription.check(field.node, at: field.path, name: "accessory", &faults)
    }
    guard let (place, bytes) = file(field, load, "an accessory or a profile") else { return nil }
    let check = AccessoryDescription.check(bytes, file: place)
    keep(check.diagnostics)
    return check.accessory
  }

  private mutating func keep(_ diagnostics: [Diagnostic]) {
    for diagnostic in diagnostics where !profileDiagnostics.contains(diagnostic) {
      profileDiagnostics.append(diagnostic)
    }
  }

  /// The profile and the name of its file, if any.
  private mutating func profile(_ field: Field, _ app: String?, _ load: Scenario.Loader) -> (Profile, String?)? {
    guard case .string(let path) = field.node.value else {
      return Profile.check(field.node, at: field.path, name: app ?? "app", &faults).map { ($0, nil) }
    }
    guard let (place, bytes) = file(field, load, "a profile") else { return nil }
    let check = Profile.check(bytes, file: place)
    keep(check.diagnostics)
    return check.profile.map { ($0, Profile.name(ofFile: path)) }
  }

  /// The path and the bytes of a file.
  private mutating func file(
    _ field: Field, _ load: Scenario.Loader, _ noun: String
  ) -> (path: String, bytes: [UInt8])? {
    guard case .string(let path) = field.node.value else { return nil }
    let place = path.hasPrefix("/") ? path : folder + path
    switch load(place) {
    case .failure(let failure):
      error(
        field, found: "\(Quote.text(path)), \(failure.reason)",
        expected: "the path of \(noun), relative to this file's folder")
      return nil
    case .success(let bytes): return (place, bytes)
    }
  }

  private mutating func centrals(_ file: Fields) -> [Scenario.Central] {
    guard let field = file[.centrals] else {
      if !file.lacks(.centrals) { centrals.isComplete = false }
      return []
    }
    return dictionaries(field).compactMap { element in
      guard let fields = fields(of: element.node, .central, element.path) else {
        centrals.isComplete = false
        return nil
      }
      let name = name(fields, among: devices.names + centrals.names, "phone or central")
      var central = Scenario.Central(name: name ?? "")
      if let kind: Scenario.Central.Kind = choice(fields, .centralKind) { central.kind = kind }
      central.ios = ios(fields)
      if let place: Scenario.Central.Place = choice(fields, .place) { central.place = place }
      central.mtu = integer(fields, .mtu, of: "bytes", in: ATTMTU.range)
      if central.kind == .plain, !fields.has(.centralKind) || fields.string(.centralKind) == "plain" {
        for key in [SchemaKey.ios, .place] {
          guard let field = fields[key] else { continue }
          faults.error(
            at: field.node.offset, field.path, found: "\(key.name) of a plain central",
            expected: "it only for a central of the kind iOS")
        }
      }
      guard let name else {
        centrals.isComplete = false
        return nil
      }
      centrals.names.append(name)
      if !fields.has(.centralKind) || fields[.centralKind] != nil { kinds[name] = central.kind }
      return central
    }
  }

  // MARK: Parts

  /// The elements of an array, which must not be empty.
  private mutating func dictionaries(_ field: Field) -> [Field] {
    if case .array(let nodes) = field.node.value, nodes.isEmpty {
      faults.error(at: field.node.offset, field.path, found: "an empty array", expected: "at least one dictionary")
    }
    // Elements that are not dictionaries are reported where their keys are read.
    guard case .array(let nodes) = field.node.value else { return [] }
    return nodes.enumerated().map { Field(node: $1, path: field.path.index($0)) }
  }

  private mutating func name(_ fields: Fields, among taken: [String], _ noun: String) -> String? {
    guard let field = fields[.itsName], case .string(let name) = field.node.value else { return nil }
    guard !name.isEmpty else {
      error(field, found: "an empty string", expected: "a name")
      return nil
    }
    if taken.contains(name) {
      error(field, found: "\(Quote.text(name)) a second time", expected: "a name that no other \(noun) has")
    }
    return name
  }

  private mutating func ios(_ fields: Fields) -> IOSVersion {
    guard let field = fields[.ios], case .integer(let value) = field.node.value else { return .newest }
    guard let number = Int(exactly: value), let version = IOSVersion(rawValue: number) else {
      error(field, found: "\(value)", expected: "\(IOSVersion.list)")
      return .newest
    }
    return version
  }
}
