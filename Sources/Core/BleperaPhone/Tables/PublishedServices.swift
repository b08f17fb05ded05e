package import BleperaBluetooth
import BleperaRadio
import BleperaRules

/// The published services by app and identifier, their attributes by handle, and the values of descriptors.
struct PublishedServices {
  struct Service {
    let id: ServiceID
    let manager: ManagerID
    let definition: ServiceDefinition
    fileprivate(set) var handles: ServiceHandles
    /// Whether the app has received the result or need not receive it.
    var isReported: Bool

    var radioService: RadioService { RadioService(definition: definition, handles: handles) }

    /// The handle of a characteristic's value.
    func handle(of characteristic: Int) -> AttributeHandle { handles.characteristics[characteristic].value }
  }

  /// An attribute that a central may read or write, found by its handle. Not a value, as each request passes it on.
  final class Attribute: Sendable {
    let app: AppID
    let manager: ManagerID
    let handle: AttributeHandle
    let characteristic: CharacteristicID
    let definition: CharacteristicDefinition
    /// Nil for the characteristic's value.
    let descriptor: DescriptorDefinition?
    let name: AttributeName

    fileprivate init(
      app: AppID, manager: ManagerID, handle: AttributeHandle, characteristic: CharacteristicID,
      definition: CharacteristicDefinition, descriptor: DescriptorDefinition?, name: AttributeName
    ) {
      self.app = app
      self.manager = manager
      self.handle = handle
      self.characteristic = characteristic
      self.definition = definition
      self.descriptor = descriptor
      self.name = name
    }
  }

  /// Why a service cannot be published; a sentence.
  struct Refusal: Error {
    let reason: String
  }

  private var services: [AppID: [ServiceID: Service]] = [:]
  /// The services of each app in the order in which they were added.
  private var order: [AppID: [ServiceID]] = [:]
  private var attributes: [AttributeHandle: Attribute] = [:]
  private var unreported = 0
  private var starts: [AttributeHandle: (app: AppID, service: ServiceID)] = [:]
  private var allocator = HandleAllocator()
  /// The written values of descriptors, which replace the published values.
  private var written: [AttributeHandle: [UInt8]] = [:]

  // MARK: Finding

  /// In the order in which they were added.
  func services(of app: AppID) -> [Service] { (order[app] ?? []).compactMap { services[app]?[$0] } }

  func service(_ id: ServiceID, of app: AppID) -> Service? { services[app]?[id] }

  var areAllReported: Bool { unreported == 0 }

  /// The service that begins at the handle.
  func service(at start: AttributeHandle) -> (app: AppID, service: Service)? {
    starts[start].flatMap { place in service(place.service, of: place.app).map { (place.app, $0) } }
  }

  var highestHandle: AttributeHandle? {
    services.values.lazy.flatMap(\.values).map(\.handles.end).max()
  }

  /// The match rules that bluetoothd needs for all services, so that their updates arrive: one for each service,
  /// characteristic and descriptor, and three more for a service. Measured on 5.66, where the 512 of a stock message
  /// bus, less bluetoothd's own, are enough for 80 to 84 services with a characteristic each.
  var matchRules: Int { 4 * services.values.reduce(0) { $0 + $1.count } + attributes.count }

  func attribute(_ handle: AttributeHandle) -> Attribute? { attributes[handle] }

  /// The handle of a characteristic's value; nil where the app has no such characteristic.
  func handle(of characteristic: CharacteristicID, of app: AppID) -> AttributeHandle? {
    guard let service = service(characteristic.service, of: app),
      service.definition.characteristics.indices.contains(characteristic.index)
    else { return nil }
    return service.handle(of: characteristic.index)
  }

  /// The characteristics of an app, with the handles of their values.
  func characteristics(
    of app: AppID
  ) -> [(id: CharacteristicID, handle: AttributeHandle, manager: ManagerID, service: ServiceDefinition)] {
    services(of: app).flatMap { service in
      service.definition.characteristics.indices.map { index in
        (
          CharacteristicID(service: service.id, index: index), service.handle(of: index), service.manager,
          service.definition
        )
      }
    }
  }

  // MARK: Changing

  /// Adds a service and allocates its handles.
  mutating func add(
    _ id: ServiceID, _ definition: ServiceDefinition, by manager: ManagerID, of app: AppID
  ) throws(Refusal) -> Service {
    guard ServiceID.numbers.contains(id.rawValue) else {
      let (first, last) = (ServiceID.numbers.lowerBound, ServiceID.numbers.upperBound)
      throw Refusal(reason: "the number of a service is from \(first) to \(last), not \(id.rawValue)")
    }
    guard service(id, of: app) == nil else {
      throw Refusal(reason: "the app has a service with this identifier already")
    }
    if let refusal = definition.refusals().first { throw Refusal(reason: "\(refusal)") }
    let others = definition.includedServices.isEmpty ? [] : services(of: app)
    guard definition.includedServices.allSatisfy({ uuid in others.contains { $0.definition.uuid == uuid } }) else {
      throw Refusal(reason: "an included service has to be added before the one that includes it")
    }
    let handles: ServiceHandles
    do throws(HandleSpaceExhausted) {
      handles = try allocator.allocate(for: definition)
    } catch { throw Refusal(reason: "\(error)") }
    let service = Service(id: id, manager: manager, definition: definition, handles: handles, isReported: false)
    insert(service, of: app)
    return service
  }

  /// Adds a service that was preserved, with the handles that centrals have cached.
  mutating func restore(
    _ id: ServiceID, _ definition: ServiceDefinition, _ handles: ServiceHandles, by manager: ManagerID, of app: AppID
  ) -> Service {
    allocator.reserve(handles)
    let service = Service(id: id, manager: manager, definition: definition, handles: handles, isReported: true)
    insert(service, of: app)
    return service
  }

  /// Keeps the handles for others than apps.
  mutating func reserve(_ handles: ServiceHandles) { allocator.reserve(handles) }

  /// Gives a service handles that are reserved; no service gets the former ones.
  mutating func move(_ id: ServiceID, of app: AppID, to handles: ServiceHandles) {
    guard var service = service(id, of: app) else { return }
    let values = writtenDescriptors(of: service)
    removeAttributes(of: service)
    service.handles = handles
    addAttributes(of: service, of: app)
    services[app]?[id] = service
    for (characteristic, descriptor, value) in values {
      write(value, toDescriptor: handles.characteristics[characteristic].descriptors[descriptor])
    }
  }

  private mutating func insert(_ service: Service, of app: AppID) {
    services[app, default: [:]][service.id] = service
    if !service.isReported { unreported += 1 }
    order[app, default: []].append(service.id)
    addAttributes(of: service, of: app)
  }

  private mutating func addAttributes(of service: Service, of app: AppID) {
    starts[service.handles.start] = (app, service.id)
    for (index, handles) in service.handles.characteristics.enumerated() {
      let definition = service.definition.characteristics[index]
      func add(_ handle: AttributeHandle, _ descriptor: DescriptorDefinition?) {
        attributes[handle] = Attribute(
          app: app, manager: service.manager, handle: handle,
          characteristic: CharacteristicID(service: service.id, index: index), definition: definition,
          descriptor: descriptor,
          name: AttributeName(
            service: service.definition.uuid, characteristic: definition.uuid, descriptor: descriptor?.uuid))
      }
      add(handles.value, nil)
      for (handle, descriptor) in zip(handles.descriptors, definition.descriptors) { add(handle, descriptor) }
    }
  }

  mutating func remove(_ id: ServiceID, of app: AppID) {
    guard let service = service(id, of: app) else { return }
    services[app]?[id] = nil
    if !service.isReported { unreported -= 1 }
    order[app]?.removeAll { $0 == id }
    if services[app]?.isEmpty == true { (services[app], order[app]) = (nil, nil) }
    removeAttributes(of: service)
    allocator.release(service.handles)
  }

  private mutating func removeAttributes(of service: Service) {
    starts[service.handles.start] = nil
    for characteristic in service.handles.characteristics {
      for handle in [characteristic.value] + characteristic.descriptors {
        attributes[handle] = nil
        written[handle] = nil
      }
    }
  }

  mutating func setReported(_ id: ServiceID, of app: AppID) {
    guard services[app]?[id]?.isReported == false else { return }
    services[app]?[id]?.isReported = true
    unreported -= 1
  }

  // MARK: Descriptors

  /// The value that a central reads from a descriptor.
  func value(ofDescriptor handle: AttributeHandle) -> [UInt8] {
    written[handle] ?? attribute(handle)?.descriptor?.value ?? []
  }

  mutating func write(_ value: [UInt8], toDescriptor handle: AttributeHandle) { written[handle] = value }

  /// The descriptors of a service whose published values were replaced.
  func writtenDescriptors(of service: Service) -> [(characteristic: Int, descriptor: Int, value: [UInt8])] {
    service.handles.characteristics.enumerated().flatMap { index, characteristic in
      characteristic.descriptors.enumerated().compactMap { position, handle in
        guard let value = written[handle],
          value != service.definition.characteristics[index].descriptors[position].value
        else { return nil }
        return (index, position, value)
      }
    }
  }
}

/// An attribute, identified by its UUIDs.
package struct AttributeName: Hashable, Sendable {
  package let service: BluetoothUUID
  package let characteristic: BluetoothUUID
  /// Nil for the characteristic's value.
  package var descriptor: BluetoothUUID?

  package init(service: BluetoothUUID, characteristic: BluetoothUUID, descriptor: BluetoothUUID? = nil) {
    (self.service, self.characteristic, self.descriptor) = (service, characteristic, descriptor)
  }
}
