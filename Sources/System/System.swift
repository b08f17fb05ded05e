package import AppLink
package import BlueZ
package import DBus
package import EventLoop
import GATT

/// The emulated phone: what is published and advertised belongs to it; apps ask for it over AppLink.
package actor System {
  package typealias AppID = Int

  /// How long an app may take over a request; bluetoothd gives up after 5 s (ATTRIBUTE_TIMEOUT).
  static let answerLimit = Duration.milliseconds(4500)

  package nonisolated let loop: EventLoop
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  let report: @Sendable (SystemEvent) -> Void
  var peripheral: Peripheral?
  var apps: [AppID: AppRecord] = [:]
  /// Reads and writes that wait for an app; bluetoothd gives up after 5 s, we a little earlier.
  var waiting: [RequestID: Waiting] = [:]
  /// The values of descriptors, which the system answers itself.
  var descriptors: [AttributeAddress: [UInt8]] = [:]
  private var allocator = HandleAllocator()
  private var lastApp: AppID = 0
  private var lastApplication = 0
  var state = ManagerState.unknown
  var drain: EventSource?

  struct Waiting {
    let app: AppID
    let request: AttributeRequest
    /// Nil for a read.
    let value: [UInt8]?
    let limit: EventSource
  }

  /// - Parameter report: called on the loop's thread, in order.
  package init(loop: EventLoop, report: @escaping @Sendable (SystemEvent) -> Void) {
    self.loop = loop
    self.report = report
  }

  /// Connects to the bus and follows bluetoothd from then on.
  package func start(bus: BusAddress, options: Peripheral.Options) async throws(DBusFailure) {
    let connection = try await DBusConnection.open(bus, on: loop)
    let peripheral = Peripheral(connection: connection, options: options) { [weak self] event in
      self?.assumeIsolated { $0.handle(event) }
    }
    self.peripheral = peripheral
    try await peripheral.start()
  }

  /// Unpublishes everything and closes the connection to the bus.
  package func shutDown() async {
    for app in apps.values { app.link.close() }
    await peripheral?.shutDown()
  }

  /// Serves an app until its link closes; what it published goes with it.
  package func attach(_ link: any AppLinkEnd<SystemMessage, AppMessage>) async {
    lastApp += 1
    let id = lastApp
    apps[id] = AppRecord(link: link)
    for await message in link.incoming { handle(message, from: id) }
    detach(id)
  }

  private func detach(_ id: AppID) {
    guard let app = apps[id] else { return }
    for service in app.serviceIDs { removeService(service, of: id) }
    stopAdvertising(id)
    apps[id] = nil
  }

  // MARK: What apps ask for

  private func handle(_ message: AppMessage, from id: AppID) {
    guard let app = apps[id] else { return }
    guard app.identity != nil else {
      guard case .hello(appLinkVersion, let identity) = message else { return app.link.close() }
      apps[id]?.identity = identity
      app.link.send(.welcome(version: appLinkVersion))
      if state != .unknown { app.link.send(.didUpdateState(state)) }
      return
    }
    switch message {
    case .hello: break
    case .addService(let service, let definition): addService(service, definition, of: id)
    case .removeService(let service): removeService(service, of: id)
    case .removeAllServices: for service in app.serviceIDs { removeService(service, of: id) }
    case .startAdvertising(let request): startAdvertising(request, of: id)
    case .stopAdvertising: stopAdvertising(id)
    case .updateValue(let characteristic, let value, _): update(characteristic, value, of: id)
    case .respond(let request, let error, let value): respond(to: request, error, value, from: id)
    }
  }

  private func addService(_ id: ServiceID, _ definition: ServiceDefinition, of app: AppID) {
    func refuse(_ reason: String) {
      report(.publishingFailed(service: definition.uuid, reason: reason))
      apps[app]?.link.send(.didAddService(id, error: reason))
    }
    guard let record = apps[app], let peripheral else { return }
    guard record.services[id] == nil else { return refuse("the app has a service with this identifier already") }
    if let refusal = definition.refusals().first { return refuse("\(refusal)") }
    let included = record.services.filter { definition.includedServices.contains($0.value.definition.uuid) }
    guard included.count == definition.includedServices.count else {
      return refuse("an included service has to be added before the one that includes it")
    }
    let handles: ServiceHandles
    do {
      handles = try allocator.allocate(for: definition)
    } catch { return refuse("\(error)") }
    // bluetoothd resolves included services within one application only.
    let merged = Set(included.values.map(\.application)).sorted()
    var members = record.services.filter { merged.contains($0.value.application) }
      .sorted { ($0.value.application, $0.value.place) < ($1.value.application, $1.value.place) }
    if merged.isEmpty { lastApplication += 1 }
    let number = merged.first ?? lastApplication
    members.append((id, AppRecord.Service(definition: definition, handles: handles, application: number, place: 0)))
    for (place, member) in members.enumerated() {
      var service = member.value
      service.application = number
      service.place = place
      apps[app]?.services[member.key] = service
    }
    for (place, descriptorPlace, descriptor) in definition.allDescriptors {
      let attribute = AttributeID(service: members.count - 1, characteristic: place, descriptor: descriptorPlace)
      descriptors[AttributeAddress(application: number, attribute: attribute)] = descriptor.value
    }
    let services = members.map { GATTApplication.Service(definition: $0.value.definition, handles: $0.value.handles) }
    peripheral.assumeIsolated { peripheral in
      for other in merged.dropFirst() { peripheral.unpublish(other) }
      peripheral.publish(number, services)
    }
  }

  private func removeService(_ id: ServiceID, of app: AppID) {
    guard let service = apps[app]?.services.removeValue(forKey: id), let peripheral else { return }
    let rest = (apps[app]?.services ?? [:]).filter { $0.value.application == service.application }
      .sorted { $0.value.place < $1.value.place }
    descriptors = descriptors.filter { $0.key.application != service.application }
    for (place, member) in rest.enumerated() {
      apps[app]?.services[member.key]?.place = place
      for (characteristic, position, descriptor) in member.value.definition.allDescriptors {
        let attribute = AttributeID(service: place, characteristic: characteristic, descriptor: position)
        descriptors[AttributeAddress(application: service.application, attribute: attribute)] = descriptor.value
      }
    }
    let services = rest.map { GATTApplication.Service(definition: $0.value.definition, handles: $0.value.handles) }
    peripheral.assumeIsolated {
      services.isEmpty ? $0.unpublish(service.application) : $0.publish(service.application, services)
    }
    allocator.release(service.handles)
    report(.unpublished(service: service.definition.uuid))
  }

  private func startAdvertising(_ request: AdvertisementRequest, of app: AppID) {
    guard let record = apps[app], let peripheral else { return }
    guard record.advertisement == nil else {
      return record.link.send(.didStartAdvertising(error: "CBError.alreadyAdvertising: stop advertising first"))
    }
    apps[app]?.advertisement = request
    apps[app]?.isAdvertisingAnswered = false
    let content = AdvertisementContent(localName: request.localName, serviceUUIDs: fit(request).fitting)
    peripheral.assumeIsolated { $0.advertise(app, content) }
  }

  /// BlueZ puts the name into the scan response, so the Flags alone share the 31 bytes with the UUIDs.
  func fit(_ request: AdvertisementRequest) -> (fitting: [BluetoothUUID], overflowing: [BluetoothUUID]) {
    AdvertisingBudget.fit(
      serviceUUIDs: request.serviceUUIDs,
      into: AdvertisingBudget.legacyMaximum - AdvertisingBudget.flagsLength)
  }

  private func stopAdvertising(_ app: AppID) {
    guard apps[app]?.advertisement != nil, let peripheral else { return }
    apps[app]?.advertisement = nil
    apps[app]?.isOnAir = false
    peripheral.assumeIsolated { $0.stopAdvertising(app) }
  }
}

extension ServiceDefinition {
  /// Each with the place of its characteristic and its own.
  fileprivate var allDescriptors: [(characteristic: Int, place: Int, descriptor: DescriptorDefinition)] {
    characteristics.enumerated().flatMap { index, characteristic in
      characteristic.descriptors.enumerated().map { (index, $0.offset, $0.element) }
    }
  }
}
