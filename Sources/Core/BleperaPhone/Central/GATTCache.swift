import BleperaAppLink
import BleperaBluetooth
import BleperaRules

/// The known attributes of a peripheral, for all apps. Each part is discovered when an app first asks for it.
struct GATTCache: Hashable {
  /// The primary services that are known, ascending; nil until they are discovered.
  private(set) var services: [RemoteService]?
  /// Whether `services` are all: false from a change until the next discovery.
  private(set) var isComplete = false
  /// The included services of a service, by the handle of its declaration.
  private(set) var included: [AttributeHandle: [RemoteService]] = [:]
  /// By the handle of the service's declaration.
  private(set) var characteristics: [AttributeHandle: [RemoteCharacteristic]] = [:]
  /// The descriptors of all characteristics: an array for each characteristic takes more memory than its contents.
  private var descriptors: [RemoteDescriptor] = []
  /// The characteristics whose descriptors are known, by the handles of their values.
  private var described: Set<AttributeHandle> = []
  /// The values of characteristics that were read or notified last, by handle.
  private(set) var values: [AttributeHandle: [UInt8]] = [:]

  // MARK: Discovery

  mutating func set(services found: [RemoteService]) { (services, isComplete) = (found, true) }
  /// The declaration of a service shows whether the service is primary; the declaration of an inclusion does not.
  mutating func set(included found: [RemoteService], of service: AttributeHandle) {
    included[service] = found.map { one in services?.first { $0.range == one.range } ?? one }
  }
  mutating func set(_ found: [RemoteCharacteristic], of service: AttributeHandle) { characteristics[service] = found }
  mutating func set(_ found: [RemoteDescriptor], of characteristic: AttributeHandle) {
    if described.insert(characteristic).inserted { descriptors += found }
  }

  /// Keeps the values of known characteristics alone: a peripheral may send values of all handles.
  mutating func set(_ value: [UInt8], of attribute: AttributeHandle) {
    if characteristic(attribute) != nil { values[attribute] = value }
  }

  /// Primary and included.
  private var allServices: [RemoteService] { (services ?? []) + included.values.joined() }

  /// A service, primary or included, by the handle of its declaration.
  private func service(_ handle: AttributeHandle) -> RemoteService? {
    allServices.first { $0.range.lowerBound == handle }
  }

  /// The handles of a service, primary or included.
  func range(of service: AttributeHandle) -> ClosedRange<AttributeHandle>? { self.service(service)?.range }

  /// A characteristic with the handles that its descriptors may have; nil for none, or no handles.
  func characteristic(
    _ value: AttributeHandle
  ) -> (characteristic: RemoteCharacteristic, descriptors: ClosedRange<AttributeHandle>?)? {
    for (service, list) in characteristics {
      guard let index = list.firstIndex(where: { $0.value == value }), let range = range(of: service) else { continue }
      let next = list[(index + 1)...].first { $0.declaration > value }
      let end = next?.declaration.predecessor ?? range.upperBound
      guard let start = value.successor, start <= end else { return (list[index], nil) }
      return (list[index], start...end)
    }
    return nil
  }

  /// The service, characteristic and descriptor of a handle; nil for one that is not known.
  func name(of handle: AttributeHandle) -> AttributeName? {
    guard let service = allServices.first(where: { $0.range.contains(handle) }),
      let characteristic = characteristics[service.range.lowerBound]?.last(where: { $0.value <= handle })
    else { return nil }
    let name = AttributeName(service: service.uuid, characteristic: characteristic.uuid, descriptor: nil)
    guard characteristic.value < handle else { return name }
    return descriptors.first { $0.handle == handle }.map {
      AttributeName(service: name.service, characteristic: name.characteristic, descriptor: $0.uuid)
    }
  }

  /// The descriptors of a characteristic, by the handle of its value; nil until they are discovered.
  func descriptors(of characteristic: AttributeHandle) -> [RemoteDescriptor]? {
    guard described.contains(characteristic) else { return nil }
    let range = self.characteristic(characteristic)?.descriptors
    return descriptors.filter { range?.contains($0.handle) == true }
  }

  /// The Client Characteristic Configuration, where the descriptors are known.
  func configuration(of characteristic: AttributeHandle) -> AttributeHandle? {
    descriptors(of: characteristic)?.first { $0.uuid == DescriptorDefinition.clientCharacteristicConfiguration }?.handle
  }

  // MARK: Changes

  /// Whether the cache outlives the connection.
  func isKept(isBonded: Bool) -> Bool {
    isComplete && RuleSet.keepsAttributes(isBonded: isBonded, hasServiceChanged: hasServiceChanged)
  }

  private var hasServiceChanged: Bool {
    services?.characteristic(BluetoothUUID(0x2A05 as UInt16)) != nil
  }

  /// Forgets the services in these handles; the others stay valid (Apple, WWDC 2013-703).
  ///
  /// - Returns: the declarations of the services that were known.
  mutating func invalidate(_ range: ClosedRange<AttributeHandle>) -> [AttributeHandle] {
    let dead = allServices.filter { $0.range.overlaps(range) }
    for service in dead {
      included[service.range.lowerBound] = nil
      characteristics[service.range.lowerBound] = nil
      descriptors.removeAll { service.range.contains($0.handle) }
      described = described.filter { !service.range.contains($0) }
      values = values.filter { !service.range.contains($0.key) }
    }
    services?.removeAll { $0.range.overlaps(range) }
    included = included.mapValues { $0.filter { !$0.range.overlaps(range) } }
    isComplete = false
    return Array(Set(dead.map(\.range.lowerBound))).sorted()
  }
}

extension RemoteService {
  var isHidden: Bool { Self.hiddenFromApps.contains(uuid) }

  var description: RemoteServiceDescription {
    RemoteServiceDescription(handle: range.lowerBound, uuid: uuid, isPrimary: isPrimary)
  }
}
