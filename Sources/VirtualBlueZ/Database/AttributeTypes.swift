import GATT

/// The types of attributes that the database itself makes (Assigned Numbers, 3.5 to 3.8).
enum AttributeTypes {
  static let primaryService = uuid(0x2800)
  static let secondaryService = uuid(0x2801)
  static let include = uuid(0x2802)
  static let characteristic = uuid(0x2803)
  static let extendedProperties = uuid(0x2900)
  static let clientConfiguration = uuid(0x2902)

  static let genericAccess = uuid(0x1800)
  static let genericAttribute = uuid(0x1801)
  static let deviceInformation = uuid(0x180A)
  static let deviceName = uuid(0x2A00)
  static let appearance = uuid(0x2A01)
  static let centralAddressResolution = uuid(0x2AA6)
  static let serviceChanged = uuid(0x2A05)
  static let pnpID = uuid(0x2A50)
  static let clientFeatures = uuid(0x2B29)
  static let databaseHash = uuid(0x2B2A)
  static let serverFeatures = uuid(0x2B3A)

  private static func uuid(_ value: UInt16) -> BluetoothUUID { BluetoothUUID(value) }
}
