package import DBus
package import GATT

/// A device that an adapter has heard or is connected to, as bluetoothd describes it (BlueZ doc/org.bluez.Device.rst).
package struct FoundDevice: Hashable, Sendable {
  package let path: ObjectPath
  /// `00:11:22:33:44:55`.
  package var address: String
  /// Whether the address is a random one: what it stands for may have another tomorrow.
  package var isRandom = false
  package var advertised = Advertised()
  /// In dBm; nil while nobody scans.
  package var rssi: Int?
  package var isConnected = false
  /// Whether its services are known and can be used.
  package var isResolved = false
  package var isPaired = false
  package var isTrusted = false

  package init(path: ObjectPath) {
    self.path = path
    address = path.deviceAddress ?? ""
  }

  /// What it has said of itself since bluetoothd knows it. bluetoothd adds to that and takes nothing back: what an
  /// advertisement has said before stands beside what the last one says, until the device is forgotten.
  package struct Advertised: Hashable, Sendable {
    /// Not the alias that bluetoothd makes of the address.
    package var name: String?
    package var serviceUUIDs: [BluetoothUUID] = []
    /// By company identifier.
    package var manufacturerData: [UInt16: [UInt8]] = [:]
    package var serviceData: [BluetoothUUID: [UInt8]] = [:]
    package var appearance: UInt16?
    /// In dBm.
    package var txPower: Int?

    package init() {}
  }

  /// Whether bluetoothd may be told to forget it without a loss: `RemoveDevice` ends connections and bonds.
  package var isForgettable: Bool { !isConnected && !isPaired && !isTrusted }
}

extension FoundDevice {
  /// Takes properties of Device1; whether they say something of an advertisement.
  mutating func take(_ properties: [String: DBusValue], without gone: [String] = []) -> Bool {
    var isHeard = false
    for (name, value) in properties {
      switch name {
      case "Address": if let text = value.text { address = text }
      case "AddressType": isRandom = value.text == "random"
      case "Connected": if let value = value.bool { isConnected = value }
      case "ServicesResolved": if let value = value.bool { isResolved = value }
      case "Paired": if let value = value.bool { isPaired = value }
      case "Trusted": if let value = value.bool { isTrusted = value }
      default: isHeard = take(name, value) || isHeard
      }
    }
    for name in gone {
      switch name {
      case "RSSI": rssi = nil
      case "TxPower": advertised.txPower = nil
      default: break
      }
    }
    return isHeard
  }

  private mutating func take(_ name: String, _ value: DBusValue) -> Bool {
    switch name {
    case "RSSI": rssi = value.integer.map { Int($0) }
    case "TxPower": advertised.txPower = value.integer.map { Int($0) }
    case "Name": advertised.name = value.text
    case "Appearance": advertised.appearance = value.unsigned.flatMap { UInt16(exactly: $0) }
    case "UUIDs": advertised.serviceUUIDs = (value.stringArray ?? []).compactMap { BluetoothUUID($0)?.shortened }
    case "ManufacturerData":
      guard case .dictionary(let entries) = value else { return false }
      for entry in entries.entries {
        guard case .uint16(let company) = entry.key, let data = entry.value.unwrapped.byteArray else { continue }
        advertised.manufacturerData[company] = data
      }
    case "ServiceData":
      for (text, data) in value.asProperties ?? [:] {
        guard let uuid = BluetoothUUID(text), let bytes = data.byteArray else { continue }
        advertised.serviceData[uuid.shortened] = bytes
      }
    default: return false
    }
    return true
  }
}
