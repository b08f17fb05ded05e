import BleperaBlueZ
import BleperaBluetooth
import BleperaProfile
import BleperaPropertyLists
import BleperaSessions

/// A profile that imitates a device as far as a central can observe it.
struct ClonedProfile {
  let device: ClonedDevice

  /// An XML property list.
  var text: String {
    PropertyListWriter.dictionary([
      .value("CFBundleIdentifier", .string("clone.\(device.address.replacing(":", with: "-"))")),
      .value("CFBundleName", .string(name ?? device.address)),
      .value("UIBackgroundModes", .strings([Profile.peripheralBackgroundMode])),
      .value("BLEPeripheral", .dictionary([.value("Advertisement", advertisement)] + services)),
    ])
    .xml(
      head: [
        "A clone of \(device.address)\(device.advertised.name.map { ", \(Quote.text($0))" } ?? ""), by blepera clone.",
        "It contains what a central can observe. Add how values change and what writes do.",
      ] + (hasUnseenPermissions ? ["Whether writing and subscribing require an encrypted link is unknown."] : []))
  }

  private var hasUnseenPermissions: Bool {
    device.ownServices.flatMap(\.characteristics).contains {
      !$0.properties.isDisjoint(with: .writable.union(.subscribable))
    }
  }

  /// The name, if a property list can represent it, shortened to the length that a profile allows.
  private var name: String? {
    guard let name = device.advertised.name, PropertyListWriter.canRepresent(name), !name.isEmpty else { return nil }
    return LocalName.shortened(name, to: LocalName.maximumLength)
  }

  // MARK: Advertisement

  private var advertisement: PropertyListWriter {
    let advertised = device.advertised
    let area = advertised.overflowArea ?? OverflowArea()
    let hidden = device.ownServices.map(\.uuid).filter { area.contains($0) && !advertised.serviceUUIDs.contains($0) }
    var entries: [PropertyListWriter.Entry] = []
    if let name {
      if advertised.isNameDoubtful {
        entries.append(.comment("The name may be an old one from bluetoothd's cache."))
      }
      if name != advertised.name {
        entries.append(.comment("The name is longer; a profile takes \(LocalName.maximumLength) bytes."))
      }
      entries.append(.value("LocalName", .string(name)))
    } else {
      let what =
        advertised.name.map { "A property list cannot represent the name \(Quote.text($0))" }
        ?? "No name was advertised"
      let isInBackground = advertised.name == nil && advertised.serviceUUIDs.isEmpty && !area.isEmpty
      entries.append(
        .comment(what + (isInBackground ? ": an app in the background does not advertise its name." : ".")))
    }
    if !area.isEmpty {
      let bits = area.bits.map { "\($0)" }.joined(separator: ", ")
      let known = hidden.isEmpty ? "which matches none of the services" : "which matches \(Self.list(hidden))"
      entries.append(.comment("Overflow area: \(area.bits.count == 1 ? "bit" : "bits") \(bits), \(known)."))
    }
    entries += leftOut(of: advertised.packet).map { .comment("\($0): an app cannot advertise this.") }
    if device.wasCached {
      entries.append(
        .comment("All services: bluetoothd knew the device and does not report which of them are advertised."))
    }
    let listed = device.wasCached ? device.ownServices.map(\.uuid) : advertised.serviceUUIDs
    let uuids = listed + hidden.filter { !listed.contains($0) }
    if !uuids.isEmpty { entries.append(.value("ServiceUUIDs", .strings(uuids.map { "\($0)" }))) }
    return .dictionary(entries)
  }

  private func leftOut(of packet: AdvertisingData) -> [String] {
    packet.structures.compactMap { structure in
      switch structure {
      case .manufacturerData(let company, let data):
        OverflowArea(structure) == nil
          ? "Manufacturer data \(Hex.string([UInt8(company >> 8), UInt8(company & 0xFF)])) \(Hex.string(data))" : nil
      case .serviceData(let uuid, let data): "Service data \(uuid) \(Hex.string(data))"
      case .appearance(let value): "Appearance \(value)"
      case .flags, .serviceUUIDs, .shortenedLocalName, .completeLocalName, .txPowerLevel, .serviceSolicitation, .other:
        nil
      }
    }
  }

  // MARK: Services

  private var services: [PropertyListWriter.Entry] {
    let systems = device.services.filter { ServiceDefinition.ownedBySystem.contains($0.uuid) }.map(\.uuid)
    let comment =
      systems.isEmpty
      ? [] : [PropertyListWriter.Entry.comment("Omitted, since iOS publishes them itself: \(Self.list(systems)).")]
    let own = device.ownServices
    let services = own.indices.map { service(own[$0], before: own[..<$0].map(\.uuid)) }
    return comment + [.value("Services", .array(services))]
  }

  private func service(_ service: ClonedDevice.Service, before: [BluetoothUUID]) -> PropertyListWriter {
    var entries: [PropertyListWriter.Entry] = []
    if let name = service.uuid.assignedName { entries.append(.comment(name)) }
    if ServiceDefinition.refusedName(of: service.uuid) == nil {
      entries.append(.value("UUID", .string("\(service.uuid)")))
    } else {
      entries.append(.comment("In its 128-bit form, since Core Bluetooth refuses \(service.uuid)."))
      entries.append(.value("UUID", .string("\(BluetoothUUID(bits: service.uuid.bits))")))
    }
    if !service.isPrimary { entries.append(.value("Primary", .boolean(false))) }
    let (included, others) = Self.included(service.includedServices, before)
    if !others.isEmpty {
      entries.append(.comment("The device also includes \(Self.list(others)), which an app cannot do."))
    }
    if !included.isEmpty { entries.append(.value("IncludedServices", .strings(included.map { "\($0)" }))) }
    var characteristics: [PropertyListWriter] = []
    for characteristic in service.characteristics {
      if let value = self.characteristic(characteristic) {
        characteristics.append(value)
      } else {
        entries.append(
          .comment("Omitted: \(Self.title(characteristic.uuid)), which has no property that an app may use."))
      }
    }
    if !characteristics.isEmpty { entries.append(.value("Characteristics", .array(characteristics))) }
    return .dictionary(entries)
  }

  /// Core Bluetooth includes only services that are already published, each once.
  private static func included(
    _ uuids: [BluetoothUUID], _ before: [BluetoothUUID]
  ) -> (possible: [BluetoothUUID], others: [BluetoothUUID]) {
    var seen: Set<BluetoothUUID> = []
    let different = uuids.filter { seen.insert($0).inserted }
    return (different.filter(before.contains), different.filter { !before.contains($0) })
  }

  private func characteristic(_ characteristic: ClonedDevice.Characteristic) -> PropertyListWriter? {
    let properties = characteristic.properties.subtracting(CharacteristicDefinition.remoteOnlyProperties)
    let others = characteristic.properties.intersection(CharacteristicDefinition.remoteOnlyProperties)
    guard !properties.isEmpty else { return nil }
    var entries: [PropertyListWriter.Entry] = []
    if let name = characteristic.uuid.assignedName { entries.append(.comment(name)) }
    if !others.isEmpty {
      entries.append(.comment("The device also has the properties \(others), which an app cannot use."))
    }
    entries.append(.value("UUID", .string("\(characteristic.uuid)")))
    entries.append(.value("Properties", .strings(properties.memberNames)))
    let permissions = Self.permissions(properties, readsEncrypted: characteristic.readsEncrypted == true)
    entries.append(.value("Permissions", .strings(permissions.memberNames)))
    switch characteristic.readsEncrypted {
    case true?: entries.append(.comment("Reading requires an encrypted link."))
    case nil: entries.append(.comment("Read over an encrypted link; whether reading requires one is unknown."))
    case false?: break
    }
    let isCached = properties == .read && permissions == .readable
    entries += Self.value(characteristic.value, properties, isCached: isCached, of: characteristic.uuid)
    return .dictionary(entries + descriptors(characteristic.descriptors))
  }

  private static func permissions(
    _ properties: CharacteristicProperties, readsEncrypted: Bool
  ) -> AttributePermissions {
    let writes: AttributePermissions = properties.isDisjoint(with: .writable) ? [] : .writeable
    guard properties.contains(.read) || writes.isEmpty else { return writes }
    return writes.union(readsEncrypted ? .readEncryptionRequired : .readable)
  }

  /// The entries that produce the value.
  private static func value(
    _ value: ClonedDevice.Reading, _ properties: CharacteristicProperties, isCached: Bool, of uuid: BluetoothUUID
  ) -> [PropertyListWriter.Entry] {
    switch value {
    case .encrypted: return [.comment("Not read: the link could not be encrypted.")]
    case .refused(let reason): return [.comment("Not read: \(reason).")]
    case .none:
      return properties.isDisjoint(with: .subscribable)
        ? [] : [.comment("The notified values are unknown.")]
    case .value(let bytes):
      let comment = PropertyListWriter.Entry.comment("Read: \(ValueText.text(bytes, of: uuid))")
      guard !isCached else { return [comment, Self.entry("Value", "Text", bytes)] }
      // A characteristic without a behavior has an empty value.
      guard !bytes.isEmpty else { return [comment] }
      if !properties.isDisjoint(with: .writable) {
        return [comment, behavior("echo", Self.entry("InitialValue", "InitialText", bytes))]
      }
      return [
        comment, .comment("A constant value; see the other kinds of behavior for values that change."),
        behavior("sequence", .value("Format", .string("hex")), .value("Values", .array([.data(bytes)]))),
      ]
    }
  }

  /// Text that prints as it is under `textKey`, other bytes under `key`.
  private static func entry(_ key: String, _ textKey: String, _ bytes: [UInt8]) -> PropertyListWriter.Entry {
    guard let text = String(validating: bytes, as: UTF8.self), isPlainText(text) else {
      return .value(key, .data(bytes))
    }
    return .value(textKey, .string(text))
  }

  /// Whether a text has several characters, a letter among them, all printable, and cannot be taken for digits.
  private static func isPlainText(_ text: String) -> Bool {
    guard text.unicodeScalars.count > 1, PropertyListWriter.canRepresent(text), text == Quote.line(text) else {
      return false
    }
    return text.contains(where: \.isLetter) && !text.utf8.allSatisfy { Hex.digit($0) != nil || $0 == 0x20 }
  }

  private static func behavior(_ kind: String, _ entries: PropertyListWriter.Entry...) -> PropertyListWriter.Entry {
    .value("Behavior", .dictionary([.value("Kind", .string(kind))] + entries))
  }

  // MARK: Descriptors

  /// The descriptors that iOS creates itself.
  private static let automatic: Set<BluetoothUUID> = [
    BluetoothUUID(0x2900 as UInt16), DescriptorDefinition.clientCharacteristicConfiguration,
  ]

  private func descriptors(_ descriptors: [ClonedDevice.Descriptor]) -> [PropertyListWriter.Entry] {
    var entries: [PropertyListWriter.Entry] = []
    var values: [PropertyListWriter] = []
    var seen = Self.automatic
    for descriptor in descriptors where !Self.automatic.contains(descriptor.uuid) {
      if let value = Self.content(descriptor), seen.insert(descriptor.uuid).inserted {
        values.append(.dictionary([.value("UUID", .string("\(descriptor.uuid)")), value]))
      } else {
        entries.append(.comment("Omitted: the descriptor \(descriptor.uuid), \(Self.reason(descriptor))."))
      }
    }
    return entries + (values.isEmpty ? [] : [.value("Descriptors", .array(values))])
  }

  /// The entry of a descriptor's value; nil if Core Bluetooth does not accept the descriptor.
  private static func content(_ descriptor: ClonedDevice.Descriptor) -> PropertyListWriter.Entry? {
    guard let bytes = descriptor.value.bytes else { return nil }
    switch descriptor.uuid {
    case DescriptorDefinition.presentationFormat: return bytes.count == 7 ? .value("Value", .data(bytes)) : nil
    case DescriptorDefinition.userDescription:
      return String(validating: bytes, as: UTF8.self).flatMap {
        PropertyListWriter.canRepresent($0) ? .value("Text", .string($0)) : nil
      }
    default: return nil
    }
  }

  private static func reason(_ descriptor: ClonedDevice.Descriptor) -> String {
    switch descriptor.value {
    case .none: "which cannot be read"
    case .encrypted: "which was not read: it requires an encrypted link"
    case .refused(let reason): "which was not read: \(reason)"
    case .value(let bytes): "with \(bytes.isEmpty ? "no value" : Hex.string(bytes)), which an app cannot publish"
    }
  }

  // MARK: Formatting

  private static func title(_ uuid: BluetoothUUID) -> String { uuid.assignedName.map { "\(uuid) \($0)" } ?? "\(uuid)" }

  private static func list(_ uuids: [BluetoothUUID]) -> String { uuids.map(title).joined(separator: ", ") }
}
