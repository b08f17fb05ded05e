import GATT

/// One attribute of an adapter's database.
struct DatabaseAttribute: Hashable, Sendable {
  /// Where its value is.
  enum Content: Hashable, Sendable {
    case fixed([UInt8])
    /// The application answers.
    case application(ApplicationObject)
    /// Kept for each central.
    case clientConfiguration(of: AttributeHandle)
    case deviceName
    case databaseHash
    case clientFeatures
  }

  let handle: AttributeHandle
  let type: BluetoothUUID
  let content: Content
  let access: AttributeAccess
  /// Of the characteristic or descriptor it is of.
  var flags: AttributeFlags = []
}
