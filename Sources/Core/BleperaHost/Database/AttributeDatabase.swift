package import BleperaBluetooth

/// The attributes of one host and the subscriptions of its centrals.
package struct AttributeDatabase: Sendable {
  /// In the order of their handles, where none contains another.
  private(set) var services: [DatabaseService] = []
  /// Whether a service contains another one.
  private var isNested = false
  /// Only increases: freed handles are reused only on explicit request.
  private var nextHandle = 1
  /// Nonzero Client Characteristic Configurations, by descriptor.
  private var configurations: [AttributeHandle: [DeviceAddress: UInt16]] = [:]
  /// The value handle of Service Changed; nil before bluetoothd's own services are added.
  package private(set) var serviceChanged: AttributeHandle?

  /// - Parameters:
  ///   - pnpID: the PnP ID of Device Information, seven bytes; nil without that service.
  ///   - hasAddressResolution: whether Generic Access has Central Address Resolution.
  ///   - hasCaching: whether Generic Attribute has more than Service Changed.
  ///   - hasServerFeatures: whether it then has Server Supported Features; its handles are kept free if not.
  package init(
    pnpID: [UInt8]?, appearance: UInt16 = 0, hasAddressResolution: Bool = true, hasCaching: Bool = true,
    hasServerFeatures: Bool = true
  ) {
    addOwn(
      AttributeTypes.genericAccess,
      [
        (AttributeTypes.deviceName, .read, .deviceName),
        (AttributeTypes.appearance, .read, .fixed(LittleEndian.bytes(appearance))),
      ] + (hasAddressResolution ? [(AttributeTypes.centralAddressResolution, .read, .fixed([0]))] : []))
    let caching: [(BluetoothUUID, AttributeFlags, DatabaseAttribute.Content)] =
      [
        (AttributeTypes.clientFeatures, [.read, .write], .clientFeatures),
        (AttributeTypes.databaseHash, .read, .databaseHash),
      ] + (hasServerFeatures ? [(AttributeTypes.serverFeatures, .read, .fixed([1]))] : [])
    addOwn(
      AttributeTypes.genericAttribute,
      [(AttributeTypes.serviceChanged, .indicate, .fixed([]))] + (hasCaching ? caching : []),
      freeHandles: hasServerFeatures || !hasCaching ? 0 : 2)
    if let pnpID { addOwn(AttributeTypes.deviceInformation, [(AttributeTypes.pnpID, .read, .fixed(pnpID))]) }
    serviceChanged = services.flatMap(\.attributes).first { $0.type == AttributeTypes.serviceChanged }?.handle
  }

  private mutating func addOwn(
    _ uuid: BluetoothUUID, _ characteristics: [(BluetoothUUID, AttributeFlags, DatabaseAttribute.Content)],
    freeHandles: Int = 0
  ) {
    let published = characteristics.map { PublishedCharacteristic(index: 0, uuid: $0.0, flags: $0.1) }
    let count = published.reduce(1 + freeHandles) { $0 + $1.handleCount }
    guard var builder = ServiceBuilder(start: nextHandle, count: count) else { return }
    builder.declare(uuid, isPrimary: true, includes: [])
    for (characteristic, row) in zip(published, characteristics) {
      try? builder.add(characteristic, row.2, nil)
    }
    take(
      DatabaseService(
        application: nil, place: 0, uuid: uuid, isPrimary: true, range: builder.range,
        attributes: builder.attributes))
  }

  private mutating func take(_ service: DatabaseService) {
    let place = place(for: service.range)
    if let equal = place.taken {
      services[equal] = service
    } else {
      services.insert(service, at: place.index)
      isNested = isNested || place.index > 0 && services[place.index - 1].range.overlaps(service.range)
    }
    nextHandle = max(nextHandle, Int(service.range.upperBound.rawValue) + 1)
  }

  /// The place where bluetoothd inserts a service, or the service that has its first or its last handle: bluetoothd
  /// does not look for services in between (`find_insert_loc` in src/shared/gatt-db.c).
  private func place(for range: ClosedRange<AttributeHandle>) -> (index: Int, taken: Int?) {
    for (index, service) in services.enumerated() {
      if service.range.contains(range.lowerBound) || service.range.contains(range.upperBound) { return (index, index) }
      if range.upperBound < service.range.lowerBound { return (index, nil) }
    }
    return (services.count, nil)
  }

  /// Whether bluetoothd, or a radio that does without its faults, takes a service with these handles.
  private func takes(_ service: PublishedService, at range: ClosedRange<AttributeHandle>) -> Bool {
    guard !service.isExact else { return !services.contains { $0.range.overlaps(range) } }
    // An equal service is taken for the one that is there.
    return place(for: range).taken.map { index in
      let other = services[index]
      return other.application != nil && other.range == range && other.uuid == service.uuid
        && other.isPrimary == service.isPrimary
    } ?? true
  }

  // MARK: Applications

  /// Inserts all services, or none if one is refused; returns their handle ranges in the application's order.
  ///
  /// - Parameter begun: the first handles of the services that bluetoothd has inserted, also where it has removed them
  ///   because of a later one.
  mutating func insert(
    _ application: ApplicationID, _ published: [PublishedService], begun: inout [AttributeHandle]
  ) throws(PublicationRefusal) -> [ClosedRange<AttributeHandle>] {
    var copy = self
    var new: [DatabaseService] = []
    defer { nextHandle = max(nextHandle, copy.nextHandle) }
    for (place, service) in published.enumerated() {
      guard service.isExact || !ServiceDefinition.ownedByHost.contains(service.uuid) else { throw .noEntry }
      let start: Int
      switch service.handle {
      case .anywhere: start = copy.nextHandle
      case .exactly(let handle): start = Int(handle.rawValue)
      }
      guard var builder = ServiceBuilder(start: start, count: service.handleCount),
        copy.takes(service, at: builder.range),
        service.includes.allSatisfy({ $0 >= 0 && $0 <= place })
      else { throw .noEntry }
      let others = service.includedHandles.compactMap { handle in
        copy.services.first { $0.range.lowerBound == handle }.map { (uuid: $0.uuid, range: $0.range) }
      }
      guard others.count == service.includedHandles.count else { throw .noEntry }
      builder.isExact = service.isExact
      let own = builder.range
      builder.declare(
        service.uuid, isPrimary: service.isPrimary,
        includes: service.includes.map {
          // A service may include itself.
          $0 == place ? (service.uuid, own) : (new[$0].uuid, new[$0].range)
        } + others)
      for characteristic in service.characteristics {
        try builder.add(
          characteristic, .application(ApplicationObject(application, characteristic.index)), application)
      }
      let built = DatabaseService(
        application: application, place: place, uuid: service.uuid, isPrimary: service.isPrimary,
        range: builder.range, attributes: builder.attributes)
      new.append(built)
      copy.take(built)
      begun.append(built.range.lowerBound)
    }
    self = copy
    return new.map(\.range)
  }

  /// Removes an application's services, or the service at `place`, with all subscriptions; returns their handle ranges.
  package mutating func remove(_ application: ApplicationID, place: Int? = nil) -> [ClosedRange<AttributeHandle>] {
    let gone = services.filter { $0.application == application && (place == nil || $0.place == place) }
    services.removeAll { gone.contains($0) }
    isNested = isNested && zip(services, services.dropFirst()).contains { $0.range.overlaps($1.range) }
    let ranges = gone.map(\.range)
    configurations = configurations.filter { entry in !ranges.contains { $0.contains(entry.key) } }
    return ranges
  }

  func attribute(_ handle: AttributeHandle) -> DatabaseAttribute? {
    guard let attributes = service(with: handle)?.attributes else { return nil }
    var (low, high) = (0, attributes.count)
    while low < high {
      let middle = (low + high) / 2
      if attributes[middle].handle < handle { low = middle + 1 } else { high = middle }
    }
    return low < attributes.count && attributes[low].handle == handle ? attributes[low] : nil
  }

  /// The service whose range holds the handle.
  private func service(with handle: AttributeHandle) -> DatabaseService? {
    // The first in bluetoothd's order.
    if isNested { return services.first { $0.range.contains(handle) } }
    var (low, high) = (0, services.count)
    while low < high {
      let middle = (low + high) / 2
      if services[middle].range.upperBound < handle { low = middle + 1 } else { high = middle }
    }
    return low < services.count && services[low].range.contains(handle) ? services[low] : nil
  }

  /// The handles of an application's characteristics and descriptors, by their indices.
  func handles(of application: ApplicationID) -> [Int: AttributeHandle] {
    var handles: [Int: AttributeHandle] = [:]
    for service in services where service.application == application {
      for attribute in service.attributes {
        if case .application(let object) = attribute.content, handles[object.index] == nil {
          handles[object.index] = attribute.handle
        }
      }
    }
    return handles
  }

  /// The handle of an application's characteristic or descriptor.
  package func handle(of object: ApplicationObject) -> AttributeHandle? {
    for service in services where service.application == object.application {
      if let attribute = service.attributes.first(where: { $0.content == .application(object) }) {
        return attribute.handle
      }
    }
    return nil
  }

  // MARK: Subscriptions

  package func configuration(_ descriptor: AttributeHandle, of peer: DeviceAddress) -> UInt16 {
    configurations[descriptor]?[peer] ?? 0
  }

  package mutating func configure(_ descriptor: AttributeHandle, of peer: DeviceAddress, to value: UInt16) {
    configurations[descriptor, default: [:]][peer] = value == 0 ? nil : value
  }

  /// The configuration descriptors that the peer has set.
  package func configured(by peer: DeviceAddress) -> [AttributeHandle] {
    configurations.filter { $0.value[peer] != nil }.map(\.key).sorted()
  }

  /// The subscribed centrals in the order of their addresses, with the value of their configuration.
  package func subscribers(of value: AttributeHandle) -> [(peer: DeviceAddress, configuration: UInt16)] {
    guard let descriptor = clientConfiguration(of: value) else { return [] }
    return (configurations[descriptor] ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  package func clientConfiguration(of value: AttributeHandle) -> AttributeHandle? {
    service(with: value)?.attributes.first { $0.content == .clientConfiguration(of: value) }?.handle
  }
}
