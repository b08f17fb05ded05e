import BleperaBluetooth

/// A service: a set of characteristics.
open class CBService: CBAttribute {
  /// The peripheral that the service belongs to; nil for a service of this app.
  open weak var peripheral: CBPeripheral? { device }
  /// Whether the service is primary, and not only included by others.
  open var isPrimary: Bool { primary }
  /// The services that this service includes; nil before they are discovered.
  open var includedServices: [CBService]? { included }
  /// The characteristics of the service; nil before they are discovered.
  open var characteristics: [CBCharacteristic]? { members }

  private let primary: Bool
  weak var device: CBPeripheral?
  @Guarded var included: [CBService]?
  @Guarded var members: [CBCharacteristic]?

  init(_ type: CBUUID, _ handle: AttributeHandle? = nil, isPrimary: Bool) {
    primary = isPrimary
    super.init(type, handle)
  }

  open override var description: String {
    "<\(Self.self): \(Address.of(self)), isPrimary = \(isPrimary ? "YES" : "NO"), UUID = \(uuid)>"
  }
}

/// A service that the app publishes.
open class CBMutableService: CBService {
  /// - Parameters:
  ///   - UUID: The UUID of the service.
  ///   - isPrimary: Whether the service is primary, and not only included by others.
  public init(type UUID: CBUUID, primary isPrimary: Bool) { super.init(UUID, isPrimary: isPrimary) }

  /// The services that this service includes; they have to be published first.
  open override var includedServices: [CBService]? {
    get { included }
    set { included = newValue }
  }

  /// The characteristics of the service. Changes after the service was published have no effect on the phone.
  open override var characteristics: [CBCharacteristic]? {
    get { members }
    set {
      for member in members ?? [] where member.owner === self { member.owner = nil }
      members = newValue
      for member in newValue ?? [] { member.owner = self }
    }
  }
}

/// The address of an object, for its description.
enum Address {
  static func of(_ object: AnyObject) -> String {
    "0x" + String(UInt(bitPattern: ObjectIdentifier(object)), radix: 16)
  }
}
