public import BleperaBluetooth

/// A central as an app sees it: `CBCentral`.
public struct Central: Hashable, Codable, Sendable {
  public var id: CentralID
  /// The bytes that one notification or indication can carry: the ATT_MTU less 3.
  public var maximumUpdateValueLength: Int

  public init(id: CentralID, maximumUpdateValueLength: Int) {
    self.id = id
    self.maximumUpdateValueLength = maximumUpdateValueLength
  }
}

/// A read of a dynamic value: `CBATTRequest` of `didReceiveRead`.
public struct ReadRequest: Hashable, Codable, Sendable {
  public var id: RequestID
  public var central: Central
  public var characteristic: CharacteristicID
  /// The offset of the first requested byte, greater than 0 in a long read.
  public var offset: Int

  public init(id: RequestID, central: Central, characteristic: CharacteristicID, offset: Int) {
    self.id = id
    self.central = central
    self.characteristic = characteristic
    self.offset = offset
  }
}

/// A write of a dynamic value: `CBATTRequest` of `didReceiveWrite`.
public struct WriteRequest: Hashable, Codable, Sendable {
  public var id: RequestID
  public var central: Central
  public var characteristic: CharacteristicID
  /// The offset of the written bytes, greater than 0 in a long write.
  public var offset: Int
  public var value: [UInt8]

  public init(id: RequestID, central: Central, characteristic: CharacteristicID, offset: Int, value: [UInt8]) {
    self.id = id
    self.central = central
    self.characteristic = characteristic
    self.offset = offset
    self.value = value
  }
}

/// The preserved state of an app: the dictionary of `peripheralManager(_:willRestoreState:)`.
public struct RestoredState: Hashable, Codable, Sendable {
  /// `CBPeripheralManagerRestoredStateServicesKey`. The services are published; an app must not add them again.
  public var services: [RestoredService]
  /// `CBPeripheralManagerRestoredStateAdvertisementDataKey`; nil where the app does not advertise.
  public var advertisement: AdvertisementData?

  public init(services: [RestoredService], advertisement: AdvertisementData?) {
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
    /// The characteristic's index in the service's list, from 0.
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

/// An open channel: `CBL2CAPChannel`.
public struct L2CAPChannel: Hashable, Codable, Sendable {
  /// The phone's number for the channel, different for each.
  public var id: Int
  public var psm: L2CAPPSM
  public var central: Central

  public init(id: Int, psm: L2CAPPSM, central: Central) {
    self.id = id
    self.psm = psm
    self.central = central
  }
}
