import GATT

/// A service of an adapter's database.
struct DatabaseService: Hashable, Sendable {
  /// Nil for bluetoothd's own.
  let application: ApplicationID?
  /// The place in its application.
  let place: Int
  let uuid: BluetoothUUID
  let isPrimary: Bool
  let range: ClosedRange<AttributeHandle>
  /// Ascending.
  let attributes: [DatabaseAttribute]
}
