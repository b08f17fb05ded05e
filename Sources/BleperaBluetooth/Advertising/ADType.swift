/// The AD types that blepera knows by name (Assigned Numbers, 2.3).
public enum ADType {
  /// Flags.
  public static let flags: UInt8 = 0x01
  /// Shortened Local Name.
  public static let shortenedLocalName: UInt8 = 0x08
  /// Complete Local Name.
  public static let completeLocalName: UInt8 = 0x09
  /// TX Power Level, in dBm.
  public static let txPowerLevel: UInt8 = 0x0A
  /// Appearance.
  public static let appearance: UInt8 = 0x19
  /// Manufacturer Specific Data.
  public static let manufacturerData: UInt8 = 0xFF

  /// The type of a list of service UUIDs; `complete` means that the list omits no service of this width.
  public static func serviceUUIDs(_ width: BluetoothUUID.Width, complete: Bool) -> UInt8 {
    switch width {
    case .bits16: complete ? 0x03 : 0x02
    case .bits32: complete ? 0x05 : 0x04
    case .bits128: complete ? 0x07 : 0x06
    }
  }

  /// The type of a list of services that the device looks for in its centrals.
  public static func serviceSolicitation(_ width: BluetoothUUID.Width) -> UInt8 {
    switch width {
    case .bits16: 0x14
    case .bits32: 0x1F
    case .bits128: 0x15
    }
  }

  /// The type of data that belongs to a service whose UUID precedes it.
  public static func serviceData(_ width: BluetoothUUID.Width) -> UInt8 {
    switch width {
    case .bits16: 0x16
    case .bits32: 0x20
    case .bits128: 0x21
    }
  }
}
