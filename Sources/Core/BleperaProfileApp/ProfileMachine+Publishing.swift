import BleperaAppLink
import BleperaBluetooth
import BleperaProfile

/// Publishes services and advertises by the state of the radio (`CBManagerState`).
extension ProfileMachine {
  mutating func follow(_ state: ManagerState) -> [Action] {
    switch state {
    case .poweredOn: return publishChannels() + addServices()
    // Advertising pauses and centrals are disconnected (peripheralManagerDidUpdateState).
    case .poweredOff:
      wasSwitchedOff = true
      // Restored subscribers are those of a phone whose Bluetooth is not on yet; they have not left.
      return restored == nil ? loseSubscribers() : []
    // Advertising must be started again too, and all services added to the cleared database (same page).
    case .unknown, .resetting, .unsupported, .unauthorized:
      missing = nil
      restored = nil
      psms = nil
      isAdvertising = false
      return loseSubscribers()
    }
  }

  private mutating func publishChannels() -> [Action] {
    guard psms == nil else { return [] }
    psms = []
    return profile.channels.map { call(.publishL2CAPChannel(encryptionRequired: $0.requiresEncryption)) }
  }

  /// The responses are in the order of the calls.
  mutating func published(_ psm: L2CAPPSM?) -> [Action] {
    guard let number = psms?.count else { return [] }
    psms?.append(psm)
    let places = profile.psmCharacteristics
    guard places.indices.contains(number) else { return [] }
    values[places[number]] = psm?.bytes ?? []
    return psm.map { hasSubscribers(places[number]) ? update(places[number], $0.bytes) : [] } ?? []
  }

  private mutating func addServices() -> [Action] {
    defer { wasSwitchedOff = false }
    if let missing {
      guard wasSwitchedOff else { return [] }
      return missing.isEmpty ? isAdvertising ? [] : startAdvertising() : add(missing)
    }
    let restored = restored
    self.restored = nil
    let ids = Set(profile.services.indices.map { ServiceID(rawValue: $0) }).subtracting(restored?.services ?? [])
    missing = ids
    isAdvertising = restored?.isAdvertising == true
    guard !ids.isEmpty else { return isAdvertising ? [] : startAdvertising() }
    return add(ids)
  }

  private func add(_ ids: Set<ServiceID>) -> [Action] {
    ids.sorted { $0.rawValue < $1.rawValue }.map { call(.addService($0, profile.services[$0.rawValue].definition)) }
  }

  /// Starts advertising after the last service is added, so never where one is refused.
  ///
  /// Only success counts. The response to a call from before the database was cleared may arrive after the services
  /// were added again: after a success the service is in the new database, after an error the response to the new call
  /// is still to come. So the app neither counts responses, some of which may never arrive, nor gives up on an error.
  mutating func added(_ id: ServiceID, _ error: String?) -> [Action] {
    guard error == nil, missing?.remove(id) != nil, missing?.isEmpty == true, !isAdvertising else { return [] }
    return startAdvertising()
  }

  func uuid(of id: ServiceID) -> String {
    profile.services.indices.contains(id.rawValue) ? "\(profile.services[id.rawValue].uuid)" : "\(id.rawValue)"
  }

  private func startAdvertising() -> [Action] {
    profile.advertisement.map { [call(.startAdvertising($0))] } ?? []
  }
}

/// Restores the state that the phone has preserved of the app (`willRestoreState`).
extension ProfileMachine {
  struct Restored: Hashable, Sendable {
    var services: Set<ServiceID>
    var isAdvertising: Bool
  }

  /// Adopts the published services and the advertisement. Where the profile has changed since, removes them and
  /// publishes as on the first launch.
  mutating func restore(_ state: RestoredState, at now: Duration) -> [Action] {
    let isOurs = state.services.allSatisfy { service in
      profile.services.indices.contains(service.id.rawValue)
        && profile.services[service.id.rawValue].definition == service.service
    }
    guard isOurs else {
      let stop = state.advertisement == nil ? [] : [call(.stopAdvertising)]
      return stop + [call(.removeAllServices)]
    }
    let isAdvertising = state.advertisement != nil && state.advertisement == profile.advertisement
    restored = Restored(services: Set(state.services.map(\.id)), isAdvertising: isAdvertising)
    let stop = state.advertisement == nil || isAdvertising ? [] : [call(.stopAdvertising)]
    return stop
      + state.services.flatMap { service in
        service.subscriptions.flatMap { subscription in
          let id = CharacteristicID(service: service.id, index: subscription.index)
          return subscription.centrals.flatMap { subscribe($0.id, to: id, at: now) }
        }
      }
  }

}
