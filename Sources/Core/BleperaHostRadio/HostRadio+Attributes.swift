package import BleperaBluetooth
import BleperaHost
import BleperaLoop
package import BleperaRadio

/// Services, requests and updates.
extension HostRadio {
  /// A service that is to be published.
  struct Publication: Sendable {
    let service: RadioService
    /// Nil while the service is not published.
    var application: ApplicationID?
    /// The number of consecutive refusals.
    var failures = 0

    var start: AttributeHandle { service.handles.start }
    var range: ClosedRange<AttributeHandle> { service.handles.start...max(service.handles.start, service.handles.end) }
  }

  // MARK: Services

  package func publish(_ services: [RadioService]) {
    for service in services where !publications.contains(where: { $0.start == service.handles.start }) {
      publications.append(Publication(service: service))
    }
    let handles = services.map(\.handles.start)
    change { $0.register(handles) }
  }

  /// Publishes the services that are not published yet, an included service before the including services.
  func register(_ handles: [AttributeHandle]) {
    guard isUsable else { return }
    var waiting = handles.compactMap { handle in publications.first { $0.start == handle } }
      .filter { $0.application == nil }
    let together = waiting
    while !waiting.isEmpty {
      let ready = waiting.firstIndex { publication in
        publication.service.definition.includedServices.allSatisfy { uuid in
          uuid == publication.service.definition.uuid || !waiting.contains { $0.service.definition.uuid == uuid }
        }
      }
      // Services that include each other are refused.
      register(waiting.remove(at: ready ?? 0), with: together)
    }
  }

  private func register(_ publication: Publication, with others: [Publication]) {
    let definition = publication.service.definition
    var service = PublishedService(
      uuid: definition.uuid, isPrimary: definition.isPrimary, handle: .exactly(publication.start),
      characteristics: zip(definition.characteristics, publication.service.handles.characteristics).map {
        PublishedCharacteristic($0, $1)
      }, isExact: true)
    // If services have the same UUID, prefer one published together with this service, otherwise the last published.
    let known = others + publications.reversed().filter { $0.application != nil }
    for uuid in definition.includedServices {
      guard let included = known.first(where: { $0.service.definition.uuid == uuid }) else {
        return refused(publication.start, RadioFailure("the included service \(uuid) is not published"))
      }
      if included.start == publication.start {
        service.includes.append(0)
      } else {
        service.includedHandles.append(included.start)
      }
    }
    let id = ApplicationID(adapter.newNumber())
    update(publication.start) { $0.application = id }
    ask(.publish(id, [service]))
  }

  private func update(_ start: AttributeHandle, _ change: (inout Publication) -> Void) {
    guard let index = publications.firstIndex(where: { $0.start == start }) else { return }
    change(&publications[index])
  }

  func published(_ id: ApplicationID) {
    guard let start = publications.first(where: { $0.application == id })?.start else { return }
    update(start) { $0.failures = 0 }
    report(.published(start))
    for id in links.connections where hostLink(id)?.security != .open {
      if let central = links[id]?.central { resumeSubscriptions(of: central, over: id) }
    }
  }

  func refused(_ id: ApplicationID) {
    guard let publication = publications.first(where: { $0.application == id }) else { return }
    refused(publication.start, RadioFailure("the handles are taken, or an included service is not there"))
  }

  private func refused(_ start: AttributeHandle, _ failure: RadioFailure) {
    var count = 1
    update(start) { publication in
      publication.application = nil
      publication.failures += 1
      count = publication.failures
    }
    report(.publishingFailed(start, failure, count: count))
  }

  package func remove(service start: AttributeHandle) {
    guard let index = publications.firstIndex(where: { $0.start == start }) else { return }
    let publication = publications.remove(at: index)
    for (characteristic, central) in subscriptions.forget(publication.range) {
      report(.unsubscribed(characteristic, radioCentral(central)))
    }
    links.forgetRetained(in: publication.range)
    guard let id = publication.application else { return }
    change { this in
      this.ask(.unpublish(id))
      // Refused services may fit now.
      this.register(this.publications.filter { $0.failures > 0 }.map(\.start))
    }
  }

  // MARK: Requests

  /// Handles a read if `writes` is nil, otherwise one write or the pieces of a prepared write; `request` is nil if no
  /// response is expected.
  func receive(
    _ request: AttributeRequestID?, _ handle: AttributeHandle, _ options: AttributeRequestOptions,
    writes: [AttributeWrite]?
  ) {
    useLink(options.connection)
    guard let central = links[options.connection]?.central else {
      if let request { ask(.respond(request, .failure(.unlikelyError))) }
      return
    }
    lastRequest += 1
    let id = RadioRequestID(rawValue: lastRequest)
    if let request { requests[id] = (request, options.connection, writes == nil) }
    let attributeRequest = AttributeRequest(
      id: id, handle: handle, central: radioCentral(central), offset: writes?.first?.offset ?? options.offset,
      expectsResponse: request != nil)
    report(writes.map { .write(attributeRequest, $0) } ?? .read(attributeRequest))
  }

  @discardableResult
  package func respond(to id: RadioRequestID, _ result: Result<[UInt8], ATTError>) -> ATTError? {
    guard let (request, _, isRead) = requests.removeValue(forKey: id) else { return nil }
    answer(.respond(request, result.map { isRead ? $0 : [] }))
    guard case .failure(let error) = result else { return nil }
    return error
  }

  // MARK: Updates

  /// The radio reaches the centrals named and no others.
  package func update(
    _ characteristic: AttributeHandle, _ value: [UInt8], to centrals: [CentralID]
  ) -> RadioFailure? {
    links.updateBegins(to: centrals)
    later { this in
      this.links.updateEnds(to: centrals)
      let devices = Set(centrals.compactMap { this.links.address(of: $0) })
      if let id = this.publications.first(where: { $0.range.contains(characteristic) })?.application {
        this.ask(.updateValue(ApplicationObject(id, Int(characteristic.rawValue)), value, to: devices))
      }
    }
    return nil
  }

  package func uncarriedUpdates(to central: CentralID) -> Int {
    links.unsentUpdates(to: central) + (links.connection(of: central).flatMap { hostLink($0)?.uncarriedValues } ?? 0)
  }

  package func subscribers(of characteristic: AttributeHandle) -> [RadioCentral] {
    subscriptions.subscribers(of: characteristic).map { radioCentral($0) }
  }
}

extension ApplicationObject {
  /// The handle: the radio uses handles as indices.
  var handle: AttributeHandle { AttributeHandle(rawValue: UInt16(clamping: index)) }
}

extension PublishedCharacteristic {
  init(_ definition: CharacteristicDefinition, _ handles: CharacteristicHandles) {
    self.init(
      index: Int(handles.value.rawValue), uuid: definition.uuid, flags: AttributeFlags(definition),
      handle: .exactly(handles.value),
      descriptors: zip(definition.descriptors, handles.descriptors).map { descriptor, handle in
        PublishedDescriptor(
          index: Int(handle.rawValue), uuid: descriptor.uuid, flags: AttributeFlags(descriptor),
          handle: .exactly(handle))
      })
  }
}

extension AttributeFlags {
  /// The properties of the declaration, and the security that reading, writing and subscribing require.
  package init(_ characteristic: CharacteristicDefinition) {
    let (properties, permissions) = (characteristic.properties, characteristic.permissions)
    self.init(rawValue: UInt32(properties.rawValue & 0xFF))
    // The reason for which an iPhone's own characteristics have extended properties.
    if contains(.extendedProperties) { insert(.reliableWrite) }
    if properties.contains(.notifyEncryptionRequired) { formUnion([.notify, .encryptSubscribe]) }
    if properties.contains(.indicateEncryptionRequired) { formUnion([.indicate, .encryptSubscribe]) }
    if contains(.read), permissions.contains(.readEncryptionRequired) { insert(.encryptRead) }
    if permissions.contains(.writeEncryptionRequired) { insert(.encryptWrite) }
  }

  package init(_ descriptor: DescriptorDefinition) {
    self.init()
    if descriptor.permissions.allowsReading { insert(.read) }
    if descriptor.permissions.allowsWriting { insert(.write) }
    if descriptor.permissions.contains(.readEncryptionRequired) { insert(.encryptRead) }
    if descriptor.permissions.contains(.writeEncryptionRequired) { insert(.encryptWrite) }
  }
}
