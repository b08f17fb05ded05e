/// A characteristic: a value with what may be done with it.
open class CBCharacteristic: CBAttribute {
  /// The service that the characteristic belongs to.
  open weak var service: CBService? { owner }
  /// What a central may do with the value, and how.
  open var properties: CBCharacteristicProperties { features }
  /// The cached value; nil for a value that the app provides for each read.
  open var value: Data? { cached }
  /// The descriptors of the characteristic.
  open var descriptors: [CBDescriptor]? { details }
  /// Always false; deprecated on iOS.
  open var isBroadcasted: Bool { false }
  /// Whether this device is subscribed; false for a characteristic of this app.
  open var isNotifying: Bool { false }

  weak var owner: CBService?
  var features: CBCharacteristicProperties
  var cached: Data?
  var details: [CBDescriptor]?

  init(_ type: CBUUID, _ properties: CBCharacteristicProperties, _ value: Data?) {
    features = properties
    cached = value
    super.init(type)
  }

  open override var description: String {
    "<\(Self.self): \(Address.of(self)), UUID = \(uuid), properties = 0x\(String(properties.rawValue, radix: 16))>"
  }
}

/// A characteristic that the app publishes.
open class CBMutableCharacteristic: CBCharacteristic {
  /// Who may read and write the value.
  open var permissions: CBAttributePermissions
  /// The centrals that are subscribed; nil before the first one.
  open var subscribedCentrals: [CBCentral]? { subscribers.isEmpty ? nil : subscribers }

  private let lock = NSLock()
  private var storedSubscribers: [CBCentral] = []

  /// - Parameters:
  ///   - UUID: The UUID of the characteristic.
  ///   - properties: What a central may do with the value, and how.
  ///   - value: The cached value, which never changes; nil for a value that the app provides for each read. A
  ///     characteristic with a cached value has to be read-only.
  ///   - permissions: Who may read and write the value.
  public init(
    type UUID: CBUUID, properties: CBCharacteristicProperties, value: Data?, permissions: CBAttributePermissions
  ) {
    self.permissions = permissions
    super.init(UUID, properties, value)
  }

  /// What a central may do with the value, and how.
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

  /// Changed on the manager's queue; apps read it on any.
  var subscribers: [CBCentral] {
    get { lock.withLock { storedSubscribers } }
    set { lock.withLock { storedSubscribers = newValue } }
  }
}
