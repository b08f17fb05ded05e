import BleperaBluetooth
import BleperaPhoneLink

/// The objects for what an app has discovered of a peripheral, by their handles. All are forgotten when the connection
/// ends.
struct RemoteAttributes {
  /// Nil before the first discovery.
  private(set) var services: [CBService]?
  /// Included services too, which `services` does not have unless they are primary.
  private var servicesByHandle: [AttributeHandle: CBService] = [:]
  private var characteristics: [AttributeHandle: CBCharacteristic] = [:]
  private var descriptors: [AttributeHandle: CBDescriptor] = [:]

  func service(_ handle: AttributeHandle) -> CBService? { servicesByHandle[handle] }
  func characteristic(_ handle: AttributeHandle) -> CBCharacteristic? { characteristics[handle] }
  func descriptor(_ handle: AttributeHandle) -> CBDescriptor? { descriptors[handle] }

  /// Whether the object is one of these: not of another peripheral, nor from before the connection was lost.
  func contains(_ attribute: CBAttribute) -> Bool {
    guard let handle = attribute.handle else { return false }
    return service(handle) === attribute || characteristic(handle) === attribute || descriptor(handle) === attribute
  }

  // MARK: Discovery

  /// Adds the objects that are new; nil after an error.
  mutating func discover(_ found: [RemoteServiceDescription]?, of peripheral: CBPeripheral) {
    services = found.map { found in Self.merged(services, found.map { service($0, of: peripheral) }) }
  }

  mutating func discover(
    _ found: [RemoteServiceDescription], includedBy service: CBService, of peripheral: CBPeripheral
  ) {
    service.included = Self.merged(service.included, found.map { self.service($0, of: peripheral) })
  }

  mutating func discover(_ found: [RemoteCharacteristicDescription], of service: CBService) {
    let objects = found.map { description in
      if let known = characteristics[description.handle] { return known }
      let new = CBCharacteristic(
        CBUUID(description.uuid), at: description.handle,
        properties: CBCharacteristicProperties(rawValue: UInt(description.properties.rawValue)),
        value: description.value.map { Data($0) })
      new.isSubscribed = description.isNotifying
      new.owner = service
      characteristics[description.handle] = new
      return new
    }
    service.members = Self.merged(service.members, objects)
  }

  mutating func discover(_ found: [RemoteDescriptorDescription], of characteristic: CBCharacteristic) {
    let objects = found.map { description in
      if let known = descriptors[description.handle] { return known }
      let new = CBDescriptor(CBUUID(description.uuid), description.handle, nil)
      new.owner = characteristic
      descriptors[description.handle] = new
      return new
    }
    characteristic.details = Self.merged(characteristic.details, objects)
  }

  private mutating func service(_ description: RemoteServiceDescription, of peripheral: CBPeripheral) -> CBService {
    if let known = servicesByHandle[description.handle] { return known }
    let new = CBService(CBUUID(description.uuid), description.handle, isPrimary: description.isPrimary)
    new.device = peripheral
    servicesByHandle[description.handle] = new
    return new
  }

  /// In the order of the handles, each object once.
  private static func merged<Attribute: CBAttribute>(_ known: [Attribute]?, _ found: [Attribute]) -> [Attribute] {
    let new = found.filter { attribute in known?.contains { $0 === attribute } != true }
    return ((known ?? []) + new).sorted { left, right in (left.handle ?? 0) < (right.handle ?? 0) }
  }

  // MARK: Changes

  /// Removes services that the peripheral no longer has.
  ///
  /// - Returns: those of them that the app has discovered.
  mutating func remove(_ handles: [AttributeHandle]) -> [CBService] {
    let removed = handles.compactMap { servicesByHandle.removeValue(forKey: $0) }
    for characteristic in removed.flatMap({ $0.members ?? [] }) {
      characteristic.handle.map { _ = characteristics.removeValue(forKey: $0) }
      for descriptor in characteristic.details ?? [] {
        descriptor.handle.map { _ = descriptors.removeValue(forKey: $0) }
      }
    }
    services?.removeAll { service in removed.contains { $0 === service } }
    return removed
  }

  /// Makes the objects that a restored manager's peripheral had, with nothing discovered where the list is empty.
  mutating func restore(_ restored: [RestoredPeripheral.Service], of peripheral: CBPeripheral) {
    guard !restored.isEmpty else { return }
    discover(restored.map(\.service), of: peripheral)
    for service in restored where !service.characteristics.isEmpty {
      guard let object = self.service(service.service.handle) else { continue }
      discover(service.characteristics.map(\.characteristic), of: object)
      for characteristic in service.characteristics where !characteristic.descriptors.isEmpty {
        guard let object = self.characteristic(characteristic.characteristic.handle) else { continue }
        discover(characteristic.descriptors, of: object)
      }
    }
  }
}
