package import DBus
import GATT

/// An advertisement as the object that LEAdvertisingManager1.RegisterAdvertisement reads.
package enum AdvertisementObject {
  /// Type `peripheral` is connectable (a missing one would be a broadcast); Discoverable gives the Flags AD without
  /// which newer BlueZ centrals hide the device. MinInterval without MaxInterval is a fault, and bluetoothd passes over
  /// both before 5.77 unless it runs with `-E`.
  package static func tree(at path: ObjectPath, content: AdvertisementContent) -> ObjectTree {
    var properties: [(String, DBusValue)] = [
      ("Type", .string("peripheral")),
      ("Discoverable", .boolean(true)),
    ]
    if !content.serviceUUIDs.isEmpty {
      properties.append(("ServiceUUIDs", .strings(content.serviceUUIDs.map(wireForm))))
    }
    if let localName = content.localName, !localName.isEmpty { properties.append(("LocalName", .string(localName))) }
    if let data = content.manufacturerData {
      properties.append(("ManufacturerData", .variants([(data.companyIdentifier, .bytes(data.data))])))
    }
    if let interval = content.interval {
      properties += [("MinInterval", .uint32(interval.minimum)), ("MaxInterval", .uint32(interval.maximum))]
    }
    var tree = ObjectTree()
    tree.declare(path, .advertisement, properties)
    return tree
  }

  /// bluetoothd takes the width on the air from the text: `180d` is two bytes. A 128-bit form is sixteen, save that of
  /// a 16-bit UUID, which it shortens (`bt_string_to_uuid`).
  private static func wireForm(_ uuid: BluetoothUUID) -> String {
    uuid.width == .bits128 ? uuid.longDescription : uuid.description.lowercased()
  }
}
