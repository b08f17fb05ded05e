import GATT
import Policy

/// A bit of the overflow area that is set, and whose it is.
struct OverflowBitReport: Encodable, Equatable {
  let bit: Int
  /// Each once; more than one is a collision.
  let uuids: [String]
  let apps: [String]

  var isCollision: Bool { uuids.count > 1 }

  /// In the order of the bits.
  static func all(_ entries: [OverflowEntry], names: [AppID: String]) -> [OverflowBitReport] {
    Dictionary(grouping: entries, by: \.bit).sorted { $0.key < $1.key }.map { bit, entries in
      var uuids: [BluetoothUUID] = []
      var apps: [String] = []
      for entry in entries {
        if !uuids.contains(entry.uuid) { uuids.append(entry.uuid) }
        if let name = names[entry.app], !apps.contains(name) { apps.append(name) }
      }
      return OverflowBitReport(bit: bit, uuids: uuids.map { "\($0)" }, apps: apps)
    }
  }
}
