import AppLink
import BlueZ
import FoundationEssentials
import GATT
import Policy
package import Preservation

/// What outlives an app, and the system itself (R7).
extension System {
  /// Saves what is to be kept, where it has changed. To be called before a change is acknowledged.
  func preserve() {
    guard !isShutDown else { return }
    let state = preservedState
    guard state != saved else { return }
    do throws(PreservationFailure) {
      try store.save(state)
      saved = state
      savingFailure = nil
    } catch {
      let isTold = savingFailure != nil
      savingFailure = "\(error)"
      if !isTold { report(.notSaved("\(error)")) }
    }
  }

  package var preservedState: PreservedState {
    PreservedState(apps: apps.keys.sorted().compactMap { preservedApp($0) })
  }

  private func preservedApp(_ id: AppID) -> PreservedApp? {
    guard let app = apps[id], app.identity.restoreIdentifier != nil else { return nil }
    return PreservedApp(
      identity: app.identity, launch: app.process, since: app.since, ended: app.ended,
      services: app.serviceIDs.compactMap { service in app.services[service].map { preservedService(service, $0) } },
      advertisement: policy.advertisers.enumerated().first { $1.app == id }.map { order, advertiser in
        PreservedAdvertisement(
          asked: advertiser.asked.map { AdvertisementRequest($0) },
          granted: advertiser.granted.map { AdvertisementRequest($0) }, order: order)
      },
      subscribers: app.serviceIDs.flatMap { preservedSubscribers(of: id, $0) } + awaiting.preserved(of: id))
  }

  private func preservedService(_ id: ServiceID, _ service: AppRecord.Service) -> PreservedService {
    let values = service.definition.allDescriptors.compactMap { characteristic, place, descriptor -> DescriptorValue? in
      guard let value = descriptors[service.address(of: characteristic, descriptor: place)], value != descriptor.value
      else { return nil }
      return DescriptorValue(characteristic: characteristic, descriptor: place, value: value)
    }
    return PreservedService(
      id: id, definition: service.definition, handles: service.handles, application: service.application,
      place: service.place, descriptorValues: values)
  }

  private func preservedSubscribers(of id: AppID, _ serviceID: ServiceID) -> [PreservedSubscriber] {
    guard let service = apps[id]?.services[serviceID], let peripheral else { return [] }
    return service.definition.characteristics.indices.flatMap { index in
      let devices = peripheral.assumeIsolated { $0.keptSubscribers(of: service.address(of: index)) }
      return devices.map { device in
        PreservedSubscriber(
          central: CentralID(rawValue: device.address), isBonded: device.isPaired,
          characteristic: CharacteristicID(service: serviceID, index: index))
      }
    }
  }

  // MARK: Restoring

  /// Publishes and advertises what the last system of this name has kept, in the place of apps that do not run.
  func restoreSaved() {
    let loaded: LoadedState
    do throws(PreservationFailure) {
      loaded = try store.load()
    } catch {
      // What cannot be read is not to be overwritten: the caller has looked before.
      return report(.notSaved("\(error)"))
    }
    saved = loaded.state
    damage = loaded.setAside.map { "\($0)" }
    if let damage { report(.stateDamaged(damage)) }
    let apps = loaded.state.apps.sorted { ($0.advertisement?.order ?? 0) < ($1.advertisement?.order ?? 0) }
    for app in apps { restore(app) }
    preserve()
  }

  private func restore(_ preserved: PreservedApp) {
    lastApp += 1
    let id = AppID(rawValue: lastApp)
    var record = AppRecord(link: nil, session: 0, identity: preserved.identity, since: preserved.since)
    record.process = preserved.launch
    let ended = preserved.ended ?? Ended(cause: .crash, at: today)
    record.ended = ended
    for kept in preserved.services {
      // Its central's caches name these.
      allocator.reserve(kept.handles)
      lastApplication = max(lastApplication, kept.application)
      let service = AppRecord.Service(
        definition: kept.definition, handles: kept.handles, application: kept.application, place: kept.place,
        isAnswered: true)
      record.services[kept.id] = service
      setDescriptors(of: service)
      for written in kept.descriptorValues {
        descriptors[service.address(of: written.characteristic, descriptor: written.descriptor)] = written.value
      }
    }
    apps[id] = record
    awaiting.add(preserved.subscribers, of: id)
    report(
      .restored(
        app: preserved.identity.bundleIdentifier, services: preserved.services.map(\.definition.uuid),
        subscribers: preserved.subscribers.count), of: id)
    feed(
      .preserved(
        id, AppDescription(preserved.identity), asked: preserved.advertisement?.asked.map { AdvertisedFields($0) },
        granted: preserved.advertisement?.granted.map { AdvertisedFields($0) }, cause: ended.cause))
    for (number, services) in Dictionary(grouping: preserved.services, by: \.application).sorted(by: { $0.key < $1.key }
    ) {
      let members = services.sorted { $0.place < $1.place }
      peripheral?.assumeIsolated {
        $0.publish(number, members.map { GATTApplication.Service(definition: $0.definition, handles: $0.handles) })
      }
    }
  }

  /// What an app hears first that the system has kept something of (R9).
  func tellRestored(_ id: AppID) {
    guard let app = apps[id], let link = app.link else { return }
    let services = app.serviceIDs.compactMap { serviceID -> RestoredService? in
      guard let service = app.services[serviceID] else { return nil }
      let subscriptions = service.definition.characteristics.indices.compactMap { index in
        let centrals = subscribers(of: id, CharacteristicID(service: serviceID, index: index))
        return centrals.isEmpty ? nil : RestoredService.Subscription(index: index, centrals: centrals)
      }
      return RestoredService(id: serviceID, service: service.definition, subscriptions: subscriptions)
    }
    let advertisement = policy.status(of: id, at: now)?.asked.map { AdvertisementRequest($0) }
    link.send(.willRestoreState(RestoredState(services: services, advertisement: advertisement)))
    if state != .unknown { link.send(.didUpdateState(state)) }
    for serviceID in app.serviceIDs { apps[id]?.services[serviceID]?.isAnswered = true }
  }

  /// Those that the app takes for subscribed, whether bluetoothd knows of them or not.
  private func subscribers(of id: AppID, _ characteristic: CharacteristicID) -> [Central] {
    guard let service = apps[id]?.services[characteristic.service], let peripheral else { return [] }
    let current = peripheral.assumeIsolated { $0.subscribers(of: service.address(of: characteristic.index)) }
    return current.map { central($0) }
      + awaiting.centrals(of: id, characteristic).map {
        Central(id: $0, maximumUpdateValueLength: 20)
      }
  }
}

extension AdvertisementRequest {
  init(_ fields: AdvertisedFields) { self.init(localName: fields.localName, serviceUUIDs: fields.serviceUUIDs) }
}

extension AdvertisedFields {
  init(_ request: AdvertisementRequest) { self.init(localName: request.localName, serviceUUIDs: request.serviceUUIDs) }
}
