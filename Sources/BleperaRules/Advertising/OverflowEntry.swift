package import BleperaBluetooth

/// A service UUID in the overflow area, and the app that advertises it.
package struct OverflowEntry: Hashable, Sendable {
  package let app: AppID
  package let uuid: BluetoothUUID

  /// 0 to 127.
  package var bit: Int { OverflowArea.bit(of: uuid) }
}

/// Which service UUIDs an iPhone moves to the overflow area when there is no room for all.
package enum OverflowOrder: String, Hashable, Sendable {
  /// Lists each UUID that still fits, in the requested order; one that does not fit leaves its room to shorter ones.
  case firstFit
}
