import BleperaBluetooth
package import BleperaPropertyLists

/// The dictionaries of an accessory besides the services of a profile.
extension SchemaSection {
  static let accessory = Self(
    "",
    [
      .accessoryName, .accessoryAdvertisement, .appearance, .addressKind, .pairing, .passkey, .secureConnections,
      .securityRequest, .identityKey, .bondLimit, .services,
    ])
  static let accessoryAdvertisement = Self(
    "Advertisement",
    [
      .accessoryLocalName, .serviceUUIDs, .serviceData, .manufacturerData, .advertisingData, .scanResponse,
      .advertisingInterval,
    ])
  static let serviceData = Self("Advertisement.ServiceData[]", [.dataUUID, .data])
}

extension SchemaKey {
  static let accessoryName = Self("Name", .string, required: true, "the Device Name, which need not be advertised")
  static let accessoryAdvertisement = Self("Advertisement", .dictionary, required: true, "the advertised data")
  static let appearance = Self(
    "Appearance", .integer, "a number of Assigned Numbers, 0 to 65535, advertised unless 0; default: 0")
  static let addressKind = Self(
    "Address", .string,
    "public; static, a random one; resolvable or nonresolvable, a private one for 15 minutes each; default: public")
  static let pairing = Self(
    "Pairing", .string, "refuse, just-works, passkey, which it shows, or numeric-comparison; default: just-works")
  static let passkey = Self(
    "Passkey", .integer, "the passkey that it shows, 0 to 999999; default: another one in each pairing")
  static let secureConnections = Self(
    "SecureConnections", .boolean, "whether it pairs with LE Secure Connections; default: true")
  static let securityRequest = Self(
    "SecurityRequest", .boolean, "whether it asks each central that connects for security; default: false")
  static let identityKey = Self(
    "IdentityKey", .bytes,
    "the identity resolving key, 16 bytes, which several accessories may share; no bytes: it gives no identity; default: "
      + "a key of its own")
  static let bondLimit = Self(
    "BondLimit", .integer,
    "how many devices it keeps the keys of, 0 to 1000; a further pairing deletes the keys of the least recent; default: all"
  )

  static let accessoryLocalName = Self("LocalName", .string, "the advertised name")
  static let serviceData = Self("ServiceData", .dictionaries, "data of services")
  static let dataUUID = Self("UUID", .uuid, required: true, "the service's UUID")
  static let data = Self("Value", .bytes, required: true, "its data")
  static let manufacturerData = Self(
    "ManufacturerData", .bytes, "the number of the company, its low byte first, and the company's data")
  static let advertisingData = Self(
    "Data", .bytes, "the whole advertisement, in place of the other keys and Appearance; at most 31 bytes")
  static let scanResponse = Self("ScanResponse", .bytes, "the whole scan response beside Data; at most 31 bytes")
  static let advertisingInterval = Self(
    "Interval", .number, "milliseconds between advertisements, 20 to 10240; default: 152.5")
}

extension AccessoryDescription {
  /// Every dictionary and key of the format, the source of the checks and of `blepera help accessory`; the schema of
  /// profiles has the keys of services.
  package static let schema: [SchemaSection] = [.accessory, .accessoryAdvertisement, .serviceData]
}

extension ProfileChecker {
  /// An accessory of the valid values; meaningless where errors are reported.
  mutating func accessory(_ root: PropertyListNode, at path: NodePath) -> AccessoryDescription? {
    isAccessory = true
    guard let file = fields(of: root, .accessory, path) else { return nil }
    var accessory = AccessoryDescription(name: file.string(.accessoryName) ?? "")
    if let field = file[.accessoryName], accessory.name.isEmpty {
      error(field, found: "an empty string", expected: "a name")
    }
    accessory.appearance = UInt16(integer(file, .appearance, in: 0...0xFFFF) ?? 0)
    accessory.address = choice(file, .addressKind) ?? accessory.address
    let pairing: PairingName = choice(file, .pairing) ?? .justWorks
    accessory.pairing = pairing.pairing(with: integer(file, .passkey, in: 0...999_999).map { UInt32($0) })
    if let field = file[.passkey], pairing != .passkey {
      error(field, found: "a Passkey with Pairing \(pairing.rawValue)", expected: "Pairing = passkey")
    }
    accessory.bonding.limit = integer(file, .bondLimit, in: 0...1000)
    accessory.bonding.requestsSecurity = flag(file, .securityRequest) ?? false
    accessory.bonding.usesSecureConnections = flag(file, .secureConnections) ?? true
    if let field = file[.identityKey], let key = bytes(field) {
      accessory.bonding.givesIdentity = !key.isEmpty
      accessory.bonding.identityKey = IdentityResolvingKey(key)
      if !key.isEmpty, key.count != 16 { error(field, found: "\(key.count) bytes", expected: "16 bytes, or none") }
    }
    accessory.profile.services = services(file).map(\.service).map(\.dynamic)
    if accessory.address == .nonresolvable, let field = file[.services], !accessory.profile.services.isEmpty {
      faults.error(
        at: field.node.offset, field.path, found: "Services with Address nonresolvable",
        expected: "another Address: nobody can connect to this one")
    }
    if let field = file[.accessoryAdvertisement],
      let fields = fields(of: field.node, .accessoryAdvertisement, field.path)
    {
      accessory.advertisement = advertisement(fields, accessory.appearance)
    }
    return accessory
  }

  /// The accessory that has the services of an app and advertises the app's request.
  mutating func accessory(
    ofProfile root: PropertyListNode, at path: NodePath, name: String
  ) -> AccessoryDescription? {
    guard var profile = profile(root, at: path) else { return nil }
    if profile.central != nil {
      faults.error(
        at: root.offset, path, found: "BLECentral", expected: "BLEPeripheral alone: an accessory is no central")
    }
    profile.services = profile.services.map(\.dynamic)
    var accessory = AccessoryDescription(name: profile.bundleName ?? name)
    let (localName, uuids) = (profile.advertisement?.localName, profile.advertisement?.serviceUUIDs ?? [])
    if let advertisement = AccessoryDescription.Advertisement(localName: localName, serviceUUIDs: uuids) {
      accessory.advertisement = advertisement
    } else {
      faults.error(
        at: root.offset, path, found: Self.oversize, expected: Self.budget,
        fix: "a phone moves service UUIDs to the overflow area; an accessory has none")
    }
    profile.advertisement = nil
    accessory.profile = profile
    return accessory
  }

  private static let oversize = "an advertisement that is too long"
  private static let budget = "parts that fit into an advertisement and a scan response of 31 bytes each"

  private mutating func advertisement(_ fields: Fields, _ appearance: UInt16) -> AccessoryDescription.Advertisement {
    var advertisement = AccessoryDescription.Advertisement()
    let interval = quantity(fields, .advertisingInterval, of: "milliseconds", in: 20...10_240)
    let name = fields.string(.accessoryLocalName)
    let uuids = fields[.serviceUUIDs].map { elements(of: $0, .uuid) }?.compactMap { uuid($0) } ?? []
    let manufacturer = fields[.manufacturerData].flatMap { bytes($0) }
    if let field = fields[.manufacturerData], let manufacturer, manufacturer.count < 2 {
      error(
        field, found: manufacturer.isEmpty ? "no bytes" : "one byte",
        expected: "at least the two of the company's number")
    }
    let data = serviceData(fields)
    let made: [SchemaKey] = [.accessoryLocalName, .serviceUUIDs, .serviceData, .manufacturerData]
    if fields.has(.advertisingData) || fields.has(.scanResponse) {
      for key in made {
        guard let field = fields[key] else { continue }
        faults.error(
          at: field.node.offset, field.path, found: "\(key.name) as well as Data or ScanResponse",
          expected: "one of them: Data and ScanResponse are whole packets")
      }
      advertisement.data = packet(fields, .advertisingData)
      advertisement.scanResponse = packet(fields, .scanResponse)
    } else if let packed = AccessoryDescription.Advertisement(
      localName: name, serviceUUIDs: uuids, appearance: appearance, serviceData: data, manufacturerData: manufacturer)
    {
      advertisement = packed
    } else {
      faults.error(at: fields.node.offset, fields.path, found: Self.oversize, expected: Self.budget)
    }
    if let interval { advertisement.interval = .microseconds(Int((interval * 1000).rounded())) }
    return advertisement
  }

  private mutating func serviceData(_ fields: Fields) -> [(uuid: BluetoothUUID, data: [UInt8])] {
    guard let field = fields[.serviceData] else { return [] }
    return elements(of: field, .dictionary).compactMap { element in
      guard let part = self.fields(of: element.node, .serviceData, element.path), let uuid = part[.dataUUID],
        let data = part[.data], let uuid = self.uuid(uuid), let bytes = bytes(data)
      else { return nil }
      return (uuid, bytes)
    }
  }

  private mutating func packet(_ fields: Fields, _ key: SchemaKey) -> [UInt8] {
    guard let field = fields[key], let bytes = bytes(field) else { return [] }
    if bytes.count > AdvertisingBudget.legacyMaximum {
      error(field, found: "\(bytes.count) bytes", expected: "at most \(AdvertisingBudget.legacyMaximum)")
    } else if let fault = Self.fault(of: bytes) {
      faults.warn(at: field.node.contentOffset, field.path, found: "\(fault)", expected: "whole AD structures")
    }
    return bytes
  }

  private static func fault(of bytes: [UInt8]) -> AdvertisingDataError? {
    do throws(AdvertisingDataError) {
      _ = try AdvertisingData(decoding: bytes)
      return nil
    } catch { return error }
  }
}

/// The values of `Pairing`.
private enum PairingName: String, CaseIterable {
  case refuse
  case justWorks = "just-works"
  case passkey
  case numericComparison = "numeric-comparison"

  func pairing(with passkey: UInt32?) -> AccessoryPairing {
    switch self {
    case .refuse: .refuse
    case .justWorks: .justWorks
    case .passkey: .passkey(passkey)
    case .numericComparison: .numericComparison
    }
  }
}

extension Profile.Service {
  /// The service whose cached values are the first ones of dynamic characteristics, since no system answers for the
  /// device.
  package var dynamic: Self {
    var copy = self
    for index in characteristics.indices {
      guard let value = characteristics[index].definition.value else { continue }
      copy.characteristics[index].definition.value = nil
      copy.characteristics[index].initialValue = value
    }
    return copy
  }
}
