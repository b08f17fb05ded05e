import BleperaAppLink
import BleperaBluetooth

/// The objects for the attributes that an app has discovered on a peripheral, by their handles. All are dropped when
/// the connection ends.
struct RemoteAttributes {
  /// The discovered services; nil before the first discovery.
  private(set) var services: [CBService]?
  /// All discovered services by handle, with included services that `services` omits because they are not primary.
  private var servicesByHandle: [AttributeHandle: CBService] = [:]
  private var characteristics: [AttributeHandle: CBCharacteristic] = [:]
  private var descriptors: [AttributeHandle: CBDescriptor] = [:]

  func service(_ handle: AttributeHandle) -> CBService? { servicesByHandle[handle] }
  func characteristic(_ handle: AttributeHandle) -> CBCharacteristic? { characteristics[handle] }
  func descriptor(_ handle: AttributeHandle) -> CBDescriptor? { descriptors[handle] }

  /// Whether the object is valid: it belongs to this peripheral, and was discovered since the last disconnection.
  func contains(_ attribute: CBAttribute) -> Bool {
    guard let handle = attribute.handle else { return false }
    return service(handle) === attribute || characteristic(handle) === attribute || descriptor(handle) === attribute
  }

  // MARK: Discovery

  /// Adds the new objects of a discovery; `found` is nil after an error.
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

  /// The known and the found objects in the order of their handles, each once.
  private static func merged<Attribute: CBAttribute>(_ known: [Attribute]?, _ found: [Attribute]) -> [Attribute] {
    let new = found.filter { attribute in known?.contains { $0 === attribute } != true }
    return ((known ?? []) + new).sorted { left, right in (left.handle ?? 0) < (right.handle ?? 0) }
  }

  // MARK: Changes

  /// Removes services that the peripheral no longer has.
  ///
  /// - Returns: the removed services that the app has discovered.
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

  /// Creates the objects that a restored manager's peripheral had; with an empty list, nothing counts as discovered.
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
