package import BleperaBluetooth

/// A requested UUID whose bit of the overflow area is set: an element of `CBAdvertisementDataOverflowServiceUUIDsKey`.
///
/// The match may be false, because one UUID in 128 has the same bit. Only a connection can confirm the UUID.
package struct OverflowMatch: Equatable, Sendable {
  package let uuid: BluetoothUUID
  package let bit: Int
  /// The other requested UUIDs with this bit: iOS reports all of them for one bit.
  package let rivals: [BluetoothUUID]

  /// The requested UUIDs whose bits are set, in their order.
  package static func all(of requested: [BluetoothUUID], in area: OverflowArea) -> [OverflowMatch] {
    requested.filter(area.contains).map { uuid in
      let bit = OverflowArea.bit(of: uuid)
      return OverflowMatch(
        uuid: uuid, bit: bit, rivals: requested.filter { $0 != uuid && OverflowArea.bit(of: $0) == bit })
    }
  }
}
