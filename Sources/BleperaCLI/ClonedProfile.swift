import BlueZ
import GATT
import Profile

/// A profile of an app that is to its centrals what a device is, as far as a central can know.
struct ClonedProfile {
  let device: ClonedDevice

  /// An XML property list.
  var text: String {
    MarkedUp.dictionary([
      .value("CFBundleIdentifier", .string("clone.\(device.address.replacing(":", with: "-"))")),
      .value("CFBundleName", .string(name ?? device.address)),
      .value("UIBackgroundModes", .strings([Profile.peripheralBackgroundMode])),
      .value("BLEPeripheral", .dictionary([.value("Advertisement", advertisement)] + services)),
    ])
    .document(
      head: [
        "A clone of \(device.address)\(device.advertised.name.map { ", \(Quote.text($0))" } ?? ""), by blepera clone.",
        "It has what a central can see and read. How values come about and what writes do is for you to add.",
      ] + (hasUnseenPermissions ? ["Whether writing and subscribing need an encrypted link cannot be seen."] : []))
  }

  private var hasUnseenPermissions: Bool {
    device.ownServices.flatMap(\.characteristics).contains {
      !$0.properties.isDisjoint(with: .writable.union(.subscribable))
    }
  }

  /// Where a property list can hold it.
  private var name: String? { device.advertised.name.flatMap { MarkedUp.holds($0) && !$0.isEmpty ? $0 : nil } }

  // MARK: Advertisement

  private var advertisement: MarkedUp {
    let said = device.advertised
    let area = said.overflowArea ?? OverflowArea()
    let hidden = device.ownServices.map(\.uuid).filter { area.contains($0) && !said.serviceUUIDs.contains($0) }
    var entries: [MarkedUp.Entry] = []
    if let name {
      if said.isNameDoubtful {
        entries.append(.comment("The name may be an old one: bluetoothd keeps what it has heard in a file."))
      }
      entries.append(.value("LocalName", .string(name)))
    } else {
      let what = said.name.map { "The name \(Quote.text($0)) cannot stand in a property list" } ?? "No name was heard"
      let isInBackground = said.name == nil && said.serviceUUIDs.isEmpty && !area.isEmpty
      entries.append(.comment(what + (isInBackground ? ": an app in the background has none on the air." : ".")))
    }
    if !area.isEmpty {
      let bits = area.bits.map { "\($0)" }.joined(separator: ", ")
      let known = hidden.isEmpty ? "which none of its services has" : "as of \(Self.list(hidden))"
      entries.append(.comment("Of the overflow area \(area.bits.count == 1 ? "bit" : "bits") \(bits), \(known)."))
    }
    entries += leftOut(of: said.packet).map { .comment("\($0): an app cannot advertise that.") }
    if device.wasRemembered {
      entries.append(.comment("All of them: bluetoothd knew it already, and does not tell which it advertises."))
    }
    let listed = device.wasRemembered ? device.ownServices.map(\.uuid) : said.serviceUUIDs
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

  private var services: [MarkedUp.Entry] {
    let systems = device.services.filter { ServiceDefinition.ownedBySystem.contains($0.uuid) }.map(\.uuid)
    let comment =
      systems.isEmpty
      ? [] : [MarkedUp.Entry.comment("Left out, since iOS publishes them itself: \(Self.list(systems)).")]
    let own = device.ownServices
    let services = own.indices.map { service(own[$0], before: own[..<$0].map(\.uuid)) }
    return comment + [.value("Services", .array(services))]
  }

  private func service(_ service: ClonedDevice.Service, before: [BluetoothUUID]) -> MarkedUp {
    var entries: [MarkedUp.Entry] = []
    if let name = service.uuid.assignedName { entries.append(.comment(name)) }
    entries.append(.value("UUID", .string("\(service.uuid)")))
    if !service.isPrimary { entries.append(.value("Primary", .boolean(false))) }
    let (included, others) = Self.included(service.includedServices, before)
    if !others.isEmpty { entries.append(.comment("It includes \(Self.list(others)) too, which no app can say.")) }
    if !included.isEmpty { entries.append(.value("IncludedServices", .strings(included.map { "\($0)" }))) }
    var characteristics: [MarkedUp] = []
    for characteristic in service.characteristics {
      if let value = self.characteristic(characteristic) {
        characteristics.append(value)
      } else {
        entries.append(
          .comment("Left out: \(Self.title(characteristic.uuid)), which has no property that an app's may have."))
      }
    }
    if !characteristics.isEmpty { entries.append(.value("Characteristics", .array(characteristics))) }
    return .dictionary(entries)
  }

  /// Core Bluetooth includes what is published already, and each once.
  private static func included(
    _ uuids: [BluetoothUUID], _ before: [BluetoothUUID]
  ) -> (possible: [BluetoothUUID], others: [BluetoothUUID]) {
    var seen: Set<BluetoothUUID> = []
    let different = uuids.filter { seen.insert($0).inserted }
    return (different.filter(before.contains), different.filter { !before.contains($0) })
  }

  private func characteristic(_ characteristic: ClonedDevice.Characteristic) -> MarkedUp? {
    let properties = characteristic.properties.subtracting(CharacteristicDefinition.remoteOnlyProperties)
    let others = characteristic.properties.intersection(CharacteristicDefinition.remoteOnlyProperties)
    guard !properties.isEmpty else { return nil }
    var entries: [MarkedUp.Entry] = []
    if let name = characteristic.uuid.assignedName { entries.append(.comment(name)) }
    if !others.isEmpty { entries.append(.comment("It is \(others) too, which no app's can be.")) }
    entries.append(.value("UUID", .string("\(characteristic.uuid)")))
    entries.append(.value("Properties", .strings(properties.memberNames)))
    let permissions = Self.permissions(properties, readsEncrypted: characteristic.readsEncrypted == true)
    entries.append(.value("Permissions", .strings(permissions.memberNames)))
    switch characteristic.readsEncrypted {
    case true?: entries.append(.comment("Reading it needs an encrypted link."))
    case nil: entries.append(.comment("Read over an encrypted link; whether it needs one cannot be seen."))
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

  /// Where its values come from.
  private static func value(
    _ value: ClonedDevice.Reading, _ properties: CharacteristicProperties, isCached: Bool, of uuid: BluetoothUUID
  ) -> [MarkedUp.Entry] {
    switch value {
    case .encrypted: return [.comment("Not read: pairing did not encrypt it.")]
    case .refused(let reason): return [.comment("Not read: \(reason).")]
    case .none:
      return properties.isDisjoint(with: .subscribable)
        ? [] : [.comment("What it notifies cannot be known beforehand.")]
    case .value(let bytes):
      let comment = MarkedUp.Entry.comment("Read: \(ValueText.text(bytes, of: uuid))")
      guard !isCached else { return [comment, .value("Value", .data(bytes))] }
      // A value that is empty is what is read without a behavior too.
      guard !bytes.isEmpty else { return [comment] }
      if !properties.isDisjoint(with: .writable) {
        return [comment, behavior("echo", .value("InitialValue", .data(bytes)))]
      }
      return [
        comment, .comment("It stays so; a counter, a sine and others change."),
        behavior("sequence", .value("Format", .string("hex")), .value("Values", .array([.data(bytes)]))),
      ]
    }
  }

  private static func behavior(_ kind: String, _ entries: MarkedUp.Entry...) -> MarkedUp.Entry {
    .value("Behavior", .dictionary([.value("Kind", .string(kind))] + entries))
  }

  // MARK: Descriptors

  /// What the system makes for every characteristic that needs it.
  private static let made: Set<BluetoothUUID> = [
    BluetoothUUID(0x2900 as UInt16), DescriptorDefinition.clientCharacteristicConfiguration,
  ]

  private func descriptors(_ descriptors: [ClonedDevice.Descriptor]) -> [MarkedUp.Entry] {
    var entries: [MarkedUp.Entry] = []
    var values: [MarkedUp] = []
    var seen = Self.made
    for descriptor in descriptors where !Self.made.contains(descriptor.uuid) {
      if let value = Self.content(descriptor), seen.insert(descriptor.uuid).inserted {
        values.append(.dictionary([.value("UUID", .string("\(descriptor.uuid)")), .value("Value", value)]))
      } else {
        entries.append(.comment("Left out: the descriptor \(descriptor.uuid), \(Self.reason(descriptor))."))
      }
    }
    return entries + (values.isEmpty ? [] : [.value("Descriptors", .array(values))])
  }

  /// Nil where Core Bluetooth takes no such descriptor.
  private static func content(_ descriptor: ClonedDevice.Descriptor) -> MarkedUp? {
    guard let bytes = descriptor.value.bytes else { return nil }
    switch descriptor.uuid {
    case DescriptorDefinition.presentationFormat: return bytes.count == 7 ? .data(bytes) : nil
    case DescriptorDefinition.userDescription:
      return String(validating: bytes, as: UTF8.self).flatMap { MarkedUp.holds($0) ? .string($0) : nil }
    default: return nil
    }
  }

  private static func reason(_ descriptor: ClonedDevice.Descriptor) -> String {
    switch descriptor.value {
    case .none: "which cannot be read"
    case .encrypted: "which was not read: the link has to be encrypted"
    case .refused(let reason): "which was not read: \(reason)"
    case .value(let bytes): "with \(bytes.isEmpty ? "no value" : Hex.string(bytes)), which no app can make so"
    }
  }

  // MARK: Words

  private static func title(_ uuid: BluetoothUUID) -> String { uuid.assignedName.map { "\(uuid) \($0)" } ?? "\(uuid)" }

  private static func list(_ uuids: [BluetoothUUID]) -> String { uuids.map(title).joined(separator: ", ") }
}
