import BleperaBluetooth

/// A characteristic: a value, the operations on it, and descriptors.
open class CBCharacteristic: CBAttribute {
  /// The service that the characteristic belongs to.
  open weak var service: CBService? { owner }
  /// The operations that a central may use on the value.
  open var properties: CBCharacteristicProperties { features }
  /// The value last read or received in a notification; nil before. For a characteristic of this app, the cached value;
  /// nil for a value that the app provides for each read.
  open var value: Data? { cached }
  /// The descriptors of the characteristic; nil before they are discovered.
  open var descriptors: [CBDescriptor]? { details }
  /// Always false; deprecated on iOS.
  open var isBroadcasted: Bool { false }
  /// Whether this device is subscribed; false for a characteristic of this app.
  open var isNotifying: Bool { isSubscribed }

  weak var owner: CBService?
  var features: CBCharacteristicProperties
  @Guarded var cached: Data?
  @Guarded var details: [CBDescriptor]?
  @Guarded var isSubscribed = false

  init(_ type: CBUUID, at handle: AttributeHandle?, properties: CBCharacteristicProperties, value: Data?) {
    features = properties
    cached = value
    super.init(type, handle)
  }

  open override var description: String {
    "<\(Self.self): \(Address.of(self)), UUID = \(uuid), "
      + "properties = 0x\(String(properties.rawValue, radix: 16, uppercase: true)), "
      + "value = \(value.map { "\($0 as NSData)" } ?? "(null)"), notifying = \(isNotifying ? "YES" : "NO")>"
  }
}

/// A characteristic that the app publishes.
open class CBMutableCharacteristic: CBCharacteristic {
  /// Who may read and write the value.
  open var permissions: CBAttributePermissions
  /// The centrals that are subscribed; nil before the first one.
  open var subscribedCentrals: [CBCentral]? {
    let subscribers = subscribers
    return subscribers.isEmpty ? nil : subscribers
  }

  @Guarded var subscribers: [CBCentral] = []

  /// - Parameters:
  ///   - UUID: The UUID of the characteristic.
  ///   - properties: The operations that a central may use on the value.
  ///   - value: The cached value, which never changes; nil for a value that the app provides for each read. A
  ///     characteristic with a cached value has to be read-only.
  ///   - permissions: Who may read and write the value.
  public init(
    type UUID: CBUUID, properties: CBCharacteristicProperties, value: Data?, permissions: CBAttributePermissions
  ) {
    self.permissions = permissions
    super.init(UUID, at: nil, properties: properties, value: value)
  }

  /// The operations that a central may use on the value.
  open override var properties: CBCharacteristicProperties {
    get { features }
    set { features = newValue }
  }

  /// The cached value; nil for a value that the app provides for each read.
  open override var value: Data? {
    get { cached }
    set { cached = newValue }
  }

  /// The descriptors of the characteristic.
  open override var descriptors: [CBDescriptor]? {
    get { details }
    set {
      details = newValue
      for detail in newValue ?? [] { detail.owner = self }
    }
  }
}
