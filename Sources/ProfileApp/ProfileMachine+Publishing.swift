import AppLink
import Profile

/// Services and the advertisement, as the state of the radio asks for them (`CBManagerState`).
extension ProfileMachine {
  mutating func follow(_ state: ManagerState) -> [Action] {
    switch state {
    case .poweredOn: return addServices()
    // Advertising pauses and centrals are disconnected (peripheralManagerDidUpdateState).
    case .poweredOff: return loseSubscribers()
    // Besides, advertising must be started again, and all services must be added again to a cleared database (there).
    case .unknown, .resetting, .unsupported, .unauthorized:
      missing = nil
      restored = nil
      isAdvertising = false
      return loseSubscribers()
    }
  }

  private mutating func addServices() -> [Action] {
    guard missing == nil else { return [] }
    let restored = restored
    self.restored = nil
    let ids = profile.services.indices.map { ServiceID(rawValue: $0) }.filter {
      restored?.services.contains($0) != true
    }
    missing = Set(ids)
    isAdvertising = restored?.isAdvertising == true
    guard !ids.isEmpty else { return isAdvertising ? [] : startAdvertising() }
    return ids.map { .send(.addService($0, profile.services[$0.rawValue].definition)) }
  }

  /// Advertises when the last service was added, so never where one is refused.
  ///
  /// Only success counts. An answer to a call that was made before the database was cleared may come after services
  /// were asked for again: if it is a success the service is in the new database, and if it is an error the answer to
  /// the new call is still to come. So the app neither counts answers, some of which may never come, nor gives up on
  /// an error.
  mutating func added(_ id: ServiceID, _ error: String?) -> [Action] {
    guard error == nil, missing?.remove(id) != nil, missing?.isEmpty == true, !isAdvertising else { return [] }
    return startAdvertising()
  }

  func uuid(of id: ServiceID) -> String {
    profile.services.indices.contains(id.rawValue) ? "\(profile.services[id.rawValue].uuid)" : "\(id.rawValue)"
  }

  private func startAdvertising() -> [Action] {
    advertisementRequest.map { [.send(.startAdvertising($0))] } ?? []
  }
}
