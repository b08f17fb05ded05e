import BleperaBluetooth

/// A service, characteristic or descriptor.
open class CBAttribute: NSObject {
  /// The UUID that defines the type of the attribute.
  open var uuid: CBUUID { type }
  private let type: CBUUID
  /// The handle of a remote attribute: of a service's declaration, a characteristic's value or a descriptor; nil for an
  /// attribute of this app.
  let handle: AttributeHandle?

  init(_ type: CBUUID, _ handle: AttributeHandle? = nil) {
    (self.type, self.handle) = (type, handle)
    super.init()
  }
}

/// A value that the manager's queue or the app changes, and that apps read on any thread.
@propertyWrapper
final class Guarded<Value> {
  private let lock = NSLock()
  private var value: Value

  init(wrappedValue: Value) { value = wrappedValue }

  var wrappedValue: Value {
    get { lock.withLock { value } }
    set { lock.withLock { value = newValue } }
  }
}

/// The operations that a central may use on the value of a characteristic.
public struct CBCharacteristicProperties: OptionSet, Sendable {
  public let rawValue: UInt

  /// - Parameter rawValue: The bits of the properties.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// The value may be broadcast; only for remote characteristics.
  public static var broadcast: CBCharacteristicProperties { Self(rawValue: 0x001) }
  /// A central may read the value.
  public static var read: CBCharacteristicProperties { Self(rawValue: 0x002) }
  /// A central may write without a response.
  public static var writeWithoutResponse: CBCharacteristicProperties { Self(rawValue: 0x004) }
  /// A central may write, and receives a response.
  public static var write: CBCharacteristicProperties { Self(rawValue: 0x008) }
  /// A central may subscribe to notifications.
  public static var notify: CBCharacteristicProperties { Self(rawValue: 0x010) }
  /// A central may subscribe to indications, which it confirms.
  public static var indicate: CBCharacteristicProperties { Self(rawValue: 0x020) }
  /// A central may write with a signature.
  public static var authenticatedSignedWrites: CBCharacteristicProperties { Self(rawValue: 0x040) }
  /// A descriptor (2900) has more properties; only for remote characteristics.
  public static var extendedProperties: CBCharacteristicProperties { Self(rawValue: 0x080) }
  /// Only paired centrals may subscribe to notifications.
  public static var notifyEncryptionRequired: CBCharacteristicProperties { Self(rawValue: 0x100) }
  /// Only paired centrals may subscribe to indications.
  public static var indicateEncryptionRequired: CBCharacteristicProperties { Self(rawValue: 0x200) }
}

/// Who may read and write a value.
public struct CBAttributePermissions: OptionSet, Sendable {
  public let rawValue: UInt

  /// - Parameter rawValue: The bits of the permissions.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// Every central may read.
  public static var readable: CBAttributePermissions { Self(rawValue: 1) }
  /// Every central may write.
  public static var writeable: CBAttributePermissions { Self(rawValue: 2) }
  /// Only paired centrals may read.
  public static var readEncryptionRequired: CBAttributePermissions { Self(rawValue: 4) }
  /// Only paired centrals may write.
  public static var writeEncryptionRequired: CBAttributePermissions { Self(rawValue: 8) }
}
