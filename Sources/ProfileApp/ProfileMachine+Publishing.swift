import AppLink
import Profile

/// Services and the advertisement, once the radio is there.
extension ProfileMachine {
  mutating func addServices() -> [Action] {
    guard missing == nil else { return [] }
    let ids = profile.services.indices.map { ServiceID(rawValue: $0) }
    missing = Set(ids)
    guard !ids.isEmpty else { return startAdvertising() }
    return zip(ids, profile.services).map { .send(.addService($0, $1.definition)) }
  }

  /// Advertises when the last service was added, so never where one is refused.
  mutating func added(_ id: ServiceID, _ error: String?) -> [Action] {
    guard error == nil, missing?.remove(id) != nil, missing?.isEmpty == true else { return [] }
    return startAdvertising()
  }

  private func startAdvertising() -> [Action] {
    guard let advertisement = profile.advertisement else { return [] }
    return [
      .send(
        .startAdvertising(
          AdvertisementRequest(localName: advertisement.localName, serviceUUIDs: advertisement.serviceUUIDs)))
    ]
  }
}
