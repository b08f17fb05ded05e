import BleperaBluetooth

/// The objects that a manager has published, by the numbers that the phone knows them by.
struct PublishedObjects {
  private struct Service {
    let object: CBMutableService
    /// The characteristics at the time when the service was added.
    let characteristics: [CBMutableCharacteristic]
  }

  private var services: [ServiceID: Service] = [:]
  private var places: [ObjectIdentifier: CharacteristicID] = [:]

  /// Adds a service; false if the object is published already.
  mutating func add(_ service: CBMutableService, _ number: ServiceID) -> Bool {
    guard !services.values.contains(where: { $0.object === service }) else { return false }
    let characteristics = (service.characteristics ?? []).compactMap { $0 as? CBMutableCharacteristic }
    services[number] = Service(object: service, characteristics: characteristics)
    for (index, characteristic) in characteristics.enumerated() {
      places[ObjectIdentifier(characteristic)] = CharacteristicID(service: number, index: index)
    }
    return true
  }

  mutating func remove(_ service: CBMutableService) -> ServiceID? {
    guard let (number, entry) = services.first(where: { $0.value.object === service }) else { return nil }
    services[number] = nil
    for characteristic in entry.characteristics {
      places[ObjectIdentifier(characteristic)] = nil
      characteristic.subscribers = []
    }
    return number
  }

  func service(_ number: ServiceID) -> CBMutableService? { services[number]?.object }

  func place(of characteristic: CBMutableCharacteristic) -> CharacteristicID? {
    places[ObjectIdentifier(characteristic)]
  }

  func characteristic(_ place: CharacteristicID) -> CBMutableCharacteristic? {
    guard let characteristics = services[place.service]?.characteristics, characteristics.indices.contains(place.index)
    else { return nil }
    return characteristics[place.index]
  }

  func loseSubscribers() {
    for characteristic in services.values.flatMap(\.characteristics) { characteristic.subscribers = [] }
  }
}
