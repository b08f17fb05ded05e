/// The properties of a characteristic, with the names and bits of `CBCharacteristicProperties`.
///
/// Only the low byte is in the characteristic declaration (Core Specification, Vol 3, Part G, 3.3.1.1); the two
/// encryption bits are Core Bluetooth's own.
public struct CharacteristicProperties: NamedOptions, Hashable {
  public let rawValue: UInt16

  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The value can be broadcast; not for a characteristic that an app publishes.
  public static let broadcast = Self(rawValue: 0x001)
  /// The value can be read.
  public static let read = Self(rawValue: 0x002)
  /// The value can be written with a Write Command.
  public static let writeWithoutResponse = Self(rawValue: 0x004)
  /// The value can be written with a Write Request.
  public static let write = Self(rawValue: 0x008)
  /// The value can be subscribed to, and is sent without a confirmation.
  public static let notify = Self(rawValue: 0x010)
  /// The value can be subscribed to, and each update is confirmed.
  public static let indicate = Self(rawValue: 0x020)
  /// The value can be written with a signature.
  public static let authenticatedSignedWrites = Self(rawValue: 0x040)
  /// A descriptor has more properties; not for a characteristic that an app publishes.
  public static let extendedProperties = Self(rawValue: 0x080)
  /// Subscribing to notifications requires an encrypted link.
  public static let notifyEncryptionRequired = Self(rawValue: 0x100)
  /// Subscribing to indications requires an encrypted link.
  public static let indicateEncryptionRequired = Self(rawValue: 0x200)

  /// The properties that let a central subscribe.
  public static let subscribable: Self = [.notify, .indicate, .notifyEncryptionRequired, .indicateEncryptionRequired]
  /// The properties that let a central write.
  public static let writable: Self = [.write, .writeWithoutResponse, .authenticatedSignedWrites]

  public static let names: [(name: String, option: Self)] = [
    ("broadcast", .broadcast),
    ("read", .read),
    ("writeWithoutResponse", .writeWithoutResponse),
    ("write", .write),
    ("notify", .notify),
    ("indicate", .indicate),
    ("authenticatedSignedWrites", .authenticatedSignedWrites),
    ("extendedProperties", .extendedProperties),
    ("notifyEncryptionRequired", .notifyEncryptionRequired),
    ("indicateEncryptionRequired", .indicateEncryptionRequired),
  ]
}
