import AppLink
import Profile

/// What the system has kept of the app (`willRestoreState`).
extension ProfileMachine {
  struct Restored: Hashable, Sendable {
    var services: Set<ServiceID>
    var isAdvertising: Bool
  }

  /// Takes up what is published already. Where the profile has changed meanwhile all of it is taken back, and the app
  /// publishes as if for the first time.
  mutating func restore(_ state: RestoredState, at now: Duration) -> [Action] {
    let isOurs = state.services.allSatisfy { service in
      profile.services.indices.contains(service.id.rawValue)
        && profile.services[service.id.rawValue].definition == service.service
    }
    guard isOurs else {
      let stop = state.advertisement == nil ? [] : [Action.send(.stopAdvertising)]
      return stop + [.send(.removeAllServices)]
    }
    let isAdvertising = state.advertisement != nil && state.advertisement == advertisementRequest
    restored = Restored(services: Set(state.services.map(\.id)), isAdvertising: isAdvertising)
    let stop = state.advertisement == nil || isAdvertising ? [] : [Action.send(.stopAdvertising)]
    return stop
      + state.services.flatMap { service in
        service.subscriptions.flatMap { subscription in
          let id = CharacteristicID(service: service.id, index: subscription.index)
          return subscription.centrals.flatMap { subscribe($0.id, to: id, at: now) }
        }
      }
  }

  var advertisementRequest: AdvertisementRequest? {
    profile.advertisement.map { AdvertisementRequest(localName: $0.localName, serviceUUIDs: $0.serviceUUIDs) }
  }
}
