package import BleperaBluetooth
package import BleperaDBus

/// The discovery filter of an Adapter1 client (SetDiscoveryFilter).
package struct DiscoveryFilter: Hashable, Sendable {
  /// If not empty, a device must advertise one of these.
  package var uuids: Set<BluetoothUUID> = []
  /// The minimum signal strength, in dBm.
  package var rssi: Int?
  /// Whether the filter has RSSI or Pathloss.
  var hasProximity = false
  /// The required prefix of the name or the address.
  package var pattern: String?
  package var duplicates = false
  /// BR/EDR only: matches nothing on this air.
  package var isClassicOnly = false

  package init() {}

  /// Nil for an unknown key or a value of the wrong type or out of range.
  package init?(properties: DBusValue) {
    guard let properties = properties.asProperties else { return nil }
    for (name, value) in properties {
      switch name {
      case "UUIDs":
        guard let texts = value.stringArray else { return nil }
        let uuids = texts.compactMap { BluetoothUUID($0) }
        guard uuids.count == texts.count else { return nil }
        self.uuids = Set(uuids)
      case "RSSI":
        guard case .int16(let rssi) = value, (-127...20).contains(rssi) else { return nil }
        self.rssi = Int(rssi)
      case "Pathloss":
        guard case .uint16(let loss) = value, loss <= 137 else { return nil }
      case "Transport":
        guard let transport = value.text, ["auto", "le", "bredr"].contains(transport) else { return nil }
        isClassicOnly = transport == "bredr"
      case "DuplicateData":
        guard let isOn = value.bool else { return nil }
        duplicates = isOn
      case "Discoverable", "AutoConnect": guard value.bool != nil else { return nil }
      case "Pattern":
        guard let text = value.text else { return nil }
        pattern = text
      default: return nil
      }
    }
    if properties["RSSI"] != nil, properties["Pathloss"] != nil { return nil }
    hasProximity = properties["RSSI"] != nil || properties["Pathloss"] != nil
  }

  /// The part of the filter that the kernel applies, so that bluetoothd does not learn of a device that is refused.
  func takesInKernel(_ device: AdvertisedContent, rssi: Int) -> Bool {
    if isClassicOnly { return false }
    if let weakest = self.rssi, rssi < weakest { return false }
    return uuids.isEmpty || !uuids.isDisjoint(with: device.serviceUUIDs)
  }
}

extension AdvertisedContent {
  var isDiscoverable: Bool {
    flags.map { !$0.isDisjoint(with: [.limitedDiscoverable, .generalDiscoverable]) } ?? false
  }

  /// Whether the name or the address begins with a filter's Pattern.
  func matches(_ pattern: String, address: DeviceAddress) -> Bool {
    address.description.hasPrefix(pattern) || name?.hasPrefix(pattern) == true
  }
}
