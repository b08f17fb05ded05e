/// A service that an app publishes, modeled on `CBMutableService`.
public struct ServiceDefinition: Hashable, Codable, Sendable {
  /// The type of the service.
  public var uuid: BluetoothUUID
  /// Whether the service is a primary one, which centrals discover by itself.
  public var isPrimary: Bool
  /// The UUIDs of the services of the same app that this service includes.
  public var includedServices: [BluetoothUUID]
  /// The characteristics in the order in which centrals discover them.
  public var characteristics: [CharacteristicDefinition]

  /// Creates a service.
  ///
  /// - Parameter includedServices: The UUIDs of services of the same app, which must be added before.
  public init(
    uuid: BluetoothUUID, isPrimary: Bool = true, includedServices: [BluetoothUUID] = [],
    characteristics: [CharacteristicDefinition] = []
  ) {
    self.uuid = uuid
    self.isPrimary = isPrimary
    self.includedServices = includedServices
    self.characteristics = characteristics
  }
}

/// A characteristic that an app publishes, modeled on `CBMutableCharacteristic`.
public struct CharacteristicDefinition: Hashable, Codable, Sendable {
  /// The type of the characteristic.
  public var uuid: BluetoothUUID
  /// The properties that the characteristic announces to centrals.
  public var properties: CharacteristicProperties
  /// The access that centrals have, and whether the access requires an encrypted link.
  public var permissions: AttributePermissions
  /// The cached value, which never changes and with which the system responds to reads; nil for a dynamic value, for
  /// which the app responds. Core Bluetooth: "Characteristics with cached values must be read-only".
  public var value: [UInt8]?
  /// Descriptors besides those that the system creates.
  public var descriptors: [DescriptorDefinition]

  /// Creates a characteristic.
  ///
  /// - Parameter value: The cached value; nil for a dynamic value, for which the app responds.
  public init(
    uuid: BluetoothUUID, properties: CharacteristicProperties, permissions: AttributePermissions,
    value: [UInt8]? = nil, descriptors: [DescriptorDefinition] = []
  ) {
    self.uuid = uuid
    self.properties = properties
    self.permissions = permissions
    self.value = value
    self.descriptors = descriptors
  }
}

/// A descriptor that an app publishes, modeled on `CBMutableDescriptor`; the system keeps its value.
public struct DescriptorDefinition: Hashable, Codable, Sendable {
  /// The type of the descriptor.
  public var uuid: BluetoothUUID
  /// The value with which the descriptor is published.
  public var value: [UInt8]
  /// Core Bluetooth's descriptors are read-only; `writeable` is blepera's own, and a written value is kept until the
  /// service is unpublished.
  public var permissions: AttributePermissions

  /// Creates a descriptor, which centrals may read unless stated otherwise.
  public init(uuid: BluetoothUUID, value: [UInt8], permissions: AttributePermissions = .readable) {
    self.uuid = uuid
    self.value = value
    self.permissions = permissions
  }

  /// Characteristic User Description, UTF-8.
  public static let userDescription = BluetoothUUID(0x2901 as UInt16)
  /// Client Characteristic Configuration, created by the system.
  public static let clientCharacteristicConfiguration = BluetoothUUID(0x2902 as UInt16)
  /// The descriptors that the system creates itself, each with its name: Core Bluetooth refuses them with
  /// CBError.invalidParameters. Apple documents 2901 and 2904 alone; the author of Clak found all others accepted.
  public static let refused: [BluetoothUUID: String] = [
    BluetoothUUID(0x2900 as UInt16): "Characteristic Extended Properties",
    clientCharacteristicConfiguration: "Client Characteristic Configuration",
    BluetoothUUID(0x2903 as UInt16): "Server Characteristic Configuration",
  ]
  /// Characteristic Presentation Format, seven bytes.
  public static let presentationFormat = BluetoothUUID(0x2904 as UInt16)
}

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

/// Who may read and write a value, with the names and bits of `CBAttributePermissions`.
public struct AttributePermissions: NamedOptions, Hashable {
  public let rawValue: UInt16

  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Centrals may read the value.
  public static let readable = Self(rawValue: 0x01)
  /// Centrals may write the value.
  public static let writeable = Self(rawValue: 0x02)
  /// Reading requires an encrypted link.
  public static let readEncryptionRequired = Self(rawValue: 0x04)
  /// Writing requires an encrypted link.
  public static let writeEncryptionRequired = Self(rawValue: 0x08)

  public static let names: [(name: String, option: Self)] = [
    ("readable", .readable),
    ("writeable", .writeable),
    ("readEncryptionRequired", .readEncryptionRequired),
    ("writeEncryptionRequired", .writeEncryptionRequired),
  ]

  /// Whether a central may read at all; a value that needs encryption is readable once the link is encrypted.
  public var allowsReading: Bool { !isDisjoint(with: [.readable, .readEncryptionRequired]) }
  /// Whether a central may write at all; a value that needs encryption is writeable once the link is encrypted.
  public var allowsWriting: Bool { !isDisjoint(with: [.writeable, .writeEncryptionRequired]) }
}
