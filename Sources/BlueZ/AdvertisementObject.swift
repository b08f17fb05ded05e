package import DBus
import GATT

/// An advertisement as the object that LEAdvertisingManager1.RegisterAdvertisement reads.
package enum AdvertisementObject {
  /// Type `peripheral` is connectable (a missing one would be a broadcast); Discoverable gives the Flags AD without
  /// which newer BlueZ centrals hide the device.
  package static func tree(at path: ObjectPath, content: AdvertisementContent) -> ObjectTree {
    var properties: [(String, DBusValue)] = [
      ("Type", .string("peripheral")),
      ("Discoverable", .boolean(true)),
    ]
    if !content.serviceUUIDs.isEmpty {
      properties.append(("ServiceUUIDs", .strings(content.serviceUUIDs.map(wireForm))))
    }
    if let localName = content.localName, !localName.isEmpty { properties.append(("LocalName", .string(localName))) }
    var tree = ObjectTree()
    tree.declare(path, .advertisement, properties)
    return tree
  }

  /// bluetoothd takes the width on the air from the text: `180d` is two bytes, the 128-bit form of it sixteen.
  private static func wireForm(_ uuid: BluetoothUUID) -> String {
    uuid.width == .bits128 ? uuid.longDescription : uuid.description.lowercased()
  }
}
