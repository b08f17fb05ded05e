package import BleperaBluetooth

/// A UUID that was asked for and whose bit of the overflow area is set: an element of
/// `CBAdvertisementDataOverflowServiceUUIDsKey`.
///
/// Nothing on the air says that it is that UUID: every 128th one has the same bit. Only a connection does.
package struct OverflowMatch: Equatable, Sendable {
  package let uuid: BluetoothUUID
  package let bit: Int
  /// The others that were asked for and have this bit: iOS reports all of them, for one bit.
  package let rivals: [BluetoothUUID]

  /// Those of the UUIDs whose bit is set, in their order.
  package static func all(of asked: [BluetoothUUID], in area: OverflowArea) -> [OverflowMatch] {
    asked.filter(area.contains).map { uuid in
      let bit = OverflowArea.bit(of: uuid)
      return OverflowMatch(
        uuid: uuid, bit: bit, rivals: asked.filter { $0 != uuid && OverflowArea.bit(of: $0) == bit })
    }
  }
}
