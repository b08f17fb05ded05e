import GATT

/// What stands behind an object of a connected device.
struct RemoteAttribute: Sendable {
  enum Kind: Sendable {
    case service
    case characteristic(RemoteCharacteristic)
    case descriptor(RemoteDescriptor)
  }

  let device: DeviceKey
  let kind: Kind

  /// Of its value; nil for a service.
  var handle: AttributeHandle? {
    switch kind {
    case .service: nil
    case .characteristic(let characteristic): characteristic.value
    case .descriptor(let descriptor): descriptor.handle
    }
  }
}
