import AppLink
import BlueZ
import GATT
import Policy

/// What apps publish, as applications of bluetoothd's.
extension System {
  func addService(_ id: ServiceID, _ definition: ServiceDefinition, of app: AppID) {
    func refuse(_ reason: String) {
      report(.publishingFailed(service: definition.uuid, reason: reason), of: app)
      notify(app, .didAddService(id, error: reason))
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
    let new = AppRecord.Service(
      definition: definition, handles: handles, application: number, place: members.count)
    members.append((id, new))
    for (place, member) in members.enumerated() {
      var service = member.value
      service.application = number
      service.place = place
      apps[app]?.services[member.key] = service
    }
    setDescriptors(of: new)
    let services = members.map { GATTApplication.Service(definition: $0.value.definition, handles: $0.value.handles) }
    peripheral.assumeIsolated { peripheral in
      for other in merged.dropFirst() { peripheral.unpublish(other) }
      peripheral.publish(number, services)
    }
  }

  /// To what its descriptors are published with.
  func setDescriptors(of service: AppRecord.Service) {
    for (characteristic, place, descriptor) in service.definition.allDescriptors {
      descriptors[service.address(of: characteristic, descriptor: place)] = descriptor.value
    }
  }

  /// `preserve` is the caller's, once for all that go.
  func removeService(_ id: ServiceID, of app: AppID, isNews: Bool = true) {
    guard let services = apps[app]?.services, let service = services[id], let peripheral else { return }
    let rest = services.filter { $0.key != id && $0.value.application == service.application }
      .sorted { $0.value.place < $1.value.place }
    // What is subscribed ends first, while the service can still be named.
    peripheral.assumeIsolated { $0.forgetSubscribers(of: service.application) }
    apps[app]?.services[id] = nil
    descriptors = descriptors.filter { $0.key.application != service.application }
    for (place, member) in rest.enumerated() {
      var moved = member.value
      moved.place = place
      apps[app]?.services[member.key] = moved
      setDescriptors(of: moved)
    }
    let remaining = rest.map { GATTApplication.Service(definition: $0.value.definition, handles: $0.value.handles) }
    peripheral.assumeIsolated {
      remaining.isEmpty ? $0.unpublish(service.application) : $0.publish(service.application, remaining)
    }
    allocator.release(service.handles)
    if isNews { report(.unpublished(service: service.definition.uuid), of: app) }
    awaiting.forget(app, id)
  }

  /// Forgets what all apps have published; they add it again when the radio is back (R14).
  func clearDatabase() {
    for (id, app) in apps {
      for service in app.serviceIDs { removeService(service, of: id, isNews: false) }
    }
    preserve()
  }
}

extension ServiceDefinition {
  /// Each with the place of its characteristic and its own.
  var allDescriptors: [(characteristic: Int, place: Int, descriptor: DescriptorDefinition)] {
    characteristics.enumerated().flatMap { index, characteristic in
      characteristic.descriptors.enumerated().map { (index, $0.offset, $0.element) }
    }
  }
}
