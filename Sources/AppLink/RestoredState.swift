public import GATT

/// What the system has kept of an app: the dictionary of `peripheralManager(_:willRestoreState:)`.
public struct RestoredState: Hashable, Codable, Sendable {
  /// `CBPeripheralManagerRestoredStateServicesKey`. They are published; an app must not add them again.
  public var services: [RestoredService]
  /// `CBPeripheralManagerRestoredStateAdvertisementDataKey`; nil where the app does not advertise.
  public var advertisement: AdvertisementRequest?

  public init(services: [RestoredService], advertisement: AdvertisementRequest?) {
    self.services = services
    self.advertisement = advertisement
  }
}

/// A service that is published, with its subscribers.
public struct RestoredService: Hashable, Codable, Sendable {
  public var id: ServiceID
  public var service: ServiceDefinition
  public var subscriptions: [Subscription]

  /// The subscribers of a characteristic: `CBMutableCharacteristic.subscribedCentrals`.
  public struct Subscription: Hashable, Codable, Sendable {
    /// The characteristic's place in the service's list, from 0.
    public var index: Int
    public var centrals: [Central]

    public init(index: Int, centrals: [Central]) {
      self.index = index
      self.centrals = centrals
    }
  }

  public init(id: ServiceID, service: ServiceDefinition, subscriptions: [Subscription]) {
    self.id = id
    self.service = service
    self.subscriptions = subscriptions
  }
}
