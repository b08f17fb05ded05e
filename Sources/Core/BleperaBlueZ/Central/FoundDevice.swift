import BleperaBlueZProtocol
package import BleperaBluetooth
package import BleperaDBus

/// A discovered or connected device, as bluetoothd describes it (BlueZ doc/org.bluez.Device.rst).
package struct FoundDevice: Hashable, Sendable {
  package let path: ObjectPath
  /// `00:11:22:33:44:55`.
  package var address: String
  /// Whether the address is random: the device may use another one later.
  package var isRandom = false
  /// The data that the device has advertised since bluetoothd discovered it. bluetoothd merges advertisements and
  /// removes nothing: data of earlier advertisements stay until the device is removed.
  package var advertised = AdvertisedContent()
  /// In dBm; nil while no client scans.
  package var rssi: Int?
  package var isConnected = false
  /// Whether the device's services are known and can be used.
  package var isResolved = false
  package var isPaired = false
  /// bluetoothd 5.66 reports `Bonded` at once, and `Paired` only when the services are known.
  package var isBonded = false
  package var isTrusted = false
  /// The name in Device1.Disconnected, `org.bluez.Reason.Timeout`, of the last disconnection; nil before 5.83.
  package var disconnectionReason: String?

  package init(path: ObjectPath) {
    self.path = path
    address = path.deviceAddress ?? ""
  }

  /// Whether the device and the adapter have each other's keys.
  package var hasBond: Bool { isPaired || isBonded }

  /// Whether `RemoveDevice`, which ends connections and bonds, loses nothing.
  package var isForgettable: Bool { !isConnected && !isPaired && !isBonded && !isTrusted }
}

extension FoundDevice {
  /// Applies properties of Device1; returns whether they come from an advertisement.
  mutating func take(_ properties: [String: DBusValue], without gone: [String] = []) -> Bool {
    var isHeard = false
    for (name, value) in properties {
      switch name {
      case "Address": if let text = value.text { address = text }
      case "AddressType": isRandom = value.text == "random"
      case "Connected": if let value = value.bool { isConnected = value }
      case "ServicesResolved": if let value = value.bool { isResolved = value }
      case "Paired": if let value = value.bool { isPaired = value }
      case "Bonded": if let value = value.bool { isBonded = value }
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

extension AdvertisedContent {
  /// All data as one packet: bluetoothd does not distinguish an advertisement from its scan response.
  package var packet: AdvertisingData {
    var structures: [ADStructure] = UUIDList.lists(of: serviceUUIDs).map { .serviceUUIDs($0, complete: true) }
    if let name { structures.append(.completeLocalName(name)) }
    structures += manufacturerData.sorted { $0.key < $1.key }
      .map { .manufacturerData(companyIdentifier: $0.key, data: $0.value) }
    structures += serviceData.sorted { "\($0.key)" < "\($1.key)" }.map { .serviceData($0.key, data: $0.value) }
    if let appearance { structures.append(.appearance(appearance)) }
    if let txPower, let level = Int8(exactly: txPower) { structures.append(.txPowerLevel(level)) }
    return AdvertisingData(structures)
  }

  package var overflowArea: OverflowArea? { OverflowArea(in: packet.structures) }

  /// Whether the content looks like an app in the background, which advertises no name: bluetoothd stores every name
  /// that it receives in a file, and reports the stored name for the device from then on.
  package var isNameDoubtful: Bool { name != nil && serviceUUIDs.isEmpty && overflowArea != nil }

  /// Merges earlier data with this content as bluetoothd does, which removes nothing.
  package func added(to past: Self) -> Self {
    var sum = past
    sum.name = name ?? past.name
    sum.serviceUUIDs += serviceUUIDs.filter { !past.serviceUUIDs.contains($0) }
    sum.manufacturerData.merge(manufacturerData) { $1 }
    sum.serviceData.merge(serviceData) { $1 }
    sum.appearance = appearance ?? past.appearance
    sum.txPower = txPower ?? past.txPower
    return sum
  }
}
