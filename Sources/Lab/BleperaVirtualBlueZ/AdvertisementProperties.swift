package import BleperaBluetooth
package import BleperaDBus

/// The properties of an LEAdvertisement1, as an application exports them (BlueZ doc/org.bluez.LEAdvertisement).
package struct AdvertisementProperties: Hashable, Sendable {
  package enum Kind: String, Sendable {
    case broadcast, peripheral
  }

  /// An entry of ManufacturerData.
  package struct ManufacturerData: Hashable, Sendable {
    package let companyIdentifier: UInt16
    package let data: [UInt8]
  }

  /// An entry of ServiceData.
  package struct ServiceData: Hashable, Sendable {
    package let uuid: BluetoothUUID
    package let data: [UInt8]
  }

  /// An entry of Data.
  package struct RawData: Hashable, Sendable {
    package let type: UInt8
    package let data: [UInt8]
  }

  /// A missing Type means a broadcast (`AD_TYPE_BROADCAST` is 0).
  package var kind: Kind = .broadcast
  package var serviceUUIDs: [BluetoothUUID] = []
  package var solicitUUIDs: [BluetoothUUID] = []
  package var manufacturerData: [ManufacturerData] = []
  package var serviceData: [ServiceData] = []
  /// Unknown names are ignored.
  package var includes: Set<String> = []
  package var localName: String?
  package var appearance: UInt16?
  /// In seconds, after which the advertisement is released; 0 for never.
  package var timeout: UInt16 = 0
  package var data: [RawData] = []
  package var isDiscoverable: Bool?
  /// In seconds.
  package var discoverableTimeout: UInt16?
  /// `1M`, `2M` or `Coded`, for extended PDUs.
  package var secondaryChannel: String?
  /// In milliseconds.
  package var minimumInterval: UInt32?
  package var maximumInterval: UInt32?
  package var scanResponseServiceUUIDs: [BluetoothUUID] = []
  package var scanResponseManufacturerData: [ManufacturerData] = []
  package var scanResponseServiceData: [ServiceData] = []
  package var scanResponseData: [RawData] = []
}

extension AdvertisementProperties {
  /// Reads the properties of an LEAdvertisement1; nil if one has the wrong type or an invalid value.
  package init?(properties: [String: DBusValue]) {
    self.init()
    if let value = properties["Type"] {
      guard let text = value.text, let kind = Kind(rawValue: text) else { return nil }
      self.kind = kind
    }
    guard let services = Self.uuids(properties["ServiceUUIDs"]), let solicit = Self.uuids(properties["SolicitUUIDs"]),
      let manufacturer = Self.manufacturerData(properties["ManufacturerData"]),
      let data = Self.serviceData(properties["ServiceData"]), let raw = Self.rawData(properties["Data"]),
      let responseServices = Self.uuids(properties["ScanResponseServiceUUIDs"]),
      let responseManufacturer = Self.manufacturerData(properties["ScanResponseManufacturerData"]),
      let responseData = Self.serviceData(properties["ScanResponseServiceData"]),
      let responseRaw = Self.rawData(properties["ScanResponseData"])
    else { return nil }
    (serviceUUIDs, solicitUUIDs, manufacturerData, serviceData, self.data) = (
      services, solicit, manufacturer, data, raw
    )
    (scanResponseServiceUUIDs, scanResponseManufacturerData) = (responseServices, responseManufacturer)
    (scanResponseServiceData, scanResponseData) = (responseData, responseRaw)
    for (name, value) in properties {
      switch (name, value) {
      case ("Includes", let value):
        guard let names = value.stringArray else { return nil }
        includes = Set(names)
      case ("LocalName", .string(let name)): localName = name
      case ("Appearance", .uint16(let value)): appearance = value
      case ("Timeout", .uint16(let value)): timeout = value
      case ("Discoverable", .boolean(let value)): isDiscoverable = value
      case ("DiscoverableTimeout", .uint16(let value)): discoverableTimeout = value
      case ("SecondaryChannel", .string(let value)): secondaryChannel = value
      case ("MinInterval", .uint32(let value)): minimumInterval = value
      case ("MaxInterval", .uint32(let value)): maximumInterval = value
      case ("LocalName", _), ("Appearance", _), ("Timeout", _), ("Discoverable", _), ("DiscoverableTimeout", _),
        ("SecondaryChannel", _), ("MinInterval", _), ("MaxInterval", _):
        return nil
      default: break
      }
    }
  }

  /// bluetoothd shortens the long form of a 16-bit UUID (`bt_string_to_uuid`).
  private static func uuids(_ value: DBusValue?) -> [BluetoothUUID]? {
    guard let value else { return [] }
    guard let texts = value.stringArray else { return nil }
    let uuids = texts.compactMap { uuid($0) }
    return uuids.count == texts.count ? uuids : nil
  }

  private static func uuid(_ text: String) -> BluetoothUUID? {
    guard let uuid = BluetoothUUID(text) else { return nil }
    return uuid.written(at: .bits16) ?? uuid
  }

  private static func entries(_ value: DBusValue?) -> [(key: DBusValue, bytes: [UInt8])]? {
    guard let value else { return [] }
    guard case .dictionary(let dictionary) = value else { return nil }
    let entries = dictionary.entries.compactMap { entry in
      entry.value.unwrapped.byteArray.map { (key: entry.key, bytes: $0) }
    }
    return entries.count == dictionary.entries.count ? entries : nil
  }

  private static func manufacturerData(_ value: DBusValue?) -> [ManufacturerData]? {
    guard let entries = entries(value) else { return nil }
    let data = entries.compactMap { entry in
      entry.key.unsigned.map { ManufacturerData(companyIdentifier: UInt16(truncatingIfNeeded: $0), data: entry.bytes) }
    }
    return data.count == entries.count ? data : nil
  }

  private static func serviceData(_ value: DBusValue?) -> [ServiceData]? {
    guard let entries = entries(value) else { return nil }
    let data = entries.compactMap { entry in
      entry.key.text.flatMap { uuid($0) }.map { ServiceData(uuid: $0, data: entry.bytes) }
    }
    return data.count == entries.count ? data : nil
  }

  private static func rawData(_ value: DBusValue?) -> [RawData]? {
    guard let entries = entries(value) else { return nil }
    let data = entries.compactMap { entry in
      entry.key.unsigned.map { RawData(type: UInt8(truncatingIfNeeded: $0), data: entry.bytes) }
    }
    return data.count == entries.count ? data : nil
  }
}
