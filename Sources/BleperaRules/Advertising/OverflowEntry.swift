package import BleperaBluetooth

/// A service UUID in the overflow area, and the app that advertises it.
package struct OverflowEntry: Hashable, Sendable {
  package let app: AppID
  package let uuid: BluetoothUUID

  /// 0 to 127.
  package var bit: Int { OverflowArea.bit(of: uuid) }
}
