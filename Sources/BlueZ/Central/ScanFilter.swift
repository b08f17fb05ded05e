package import DBus
package import GATT

/// What a central wants to hear of (BlueZ doc/org.bluez.Adapter.rst, SetDiscoveryFilter). bluetoothd hears for all of
/// its clients at once and tells each of all, so what comes may be more.
package struct ScanFilter: Hashable, Sendable {
  /// One of them has to be advertised, where there are any.
  package var serviceUUIDs: [BluetoothUUID]
  /// The weakest signal, in dBm; nil for any.
  package var rssi: Int?
  /// Whether manufacturer and service data are told each time they are heard, not only when they change.
  package var repeats: Bool

  package init(serviceUUIDs: [BluetoothUUID] = [], rssi: Int? = nil, repeats: Bool = false) {
    self.serviceUUIDs = serviceUUIDs
    self.rssi = rssi
    self.repeats = repeats
  }

  /// `a{sv}`; LE alone, because an iPhone's apps are not found in any other way.
  package var properties: DBusValue {
    var entries: [(String, DBusValue)] = [("Transport", .string("le")), ("DuplicateData", .boolean(repeats))]
    if !serviceUUIDs.isEmpty { entries.append(("UUIDs", .strings(serviceUUIDs.map(\.longDescription)))) }
    if let rssi { entries.append(("RSSI", .int16(Int16(clamping: rssi)))) }
    return .properties(entries)
  }
}
