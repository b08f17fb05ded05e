package import BleperaBluetooth

/// A central as an app sees it: `CBCentral`.
package struct CentralDescription: Hashable, Sendable {
  package var id: CentralID
  /// The bytes that one notification or indication can carry: the ATT_MTU less 3.
  package var maximumUpdateValueLength: Int

  package init(id: CentralID, maximumUpdateValueLength: Int) {
    self.id = id
    self.maximumUpdateValueLength = maximumUpdateValueLength
  }
}

/// A read of a dynamic value: `CBATTRequest` of `didReceiveRead`.
package struct ReadRequest: Hashable, Sendable {
  package var id: RequestID
  package var central: CentralDescription
  package var characteristic: CharacteristicID
  /// The offset of the first requested byte, greater than 0 in a long read.
  package var offset: Int

  package init(id: RequestID, central: CentralDescription, characteristic: CharacteristicID, offset: Int) {
    self.id = id
    self.central = central
    self.characteristic = characteristic
    self.offset = offset
  }
}

/// A write of a dynamic value: `CBATTRequest` of `didReceiveWrite`.
package struct WriteRequest: Hashable, Sendable {
  package var id: RequestID
  package var central: CentralDescription
  package var characteristic: CharacteristicID
  /// The offset of the written bytes, greater than 0 in a long write.
  package var offset: Int
  package var value: [UInt8]

  package init(
    id: RequestID, central: CentralDescription, characteristic: CharacteristicID, offset: Int, value: [UInt8]
  ) {
    self.id = id
    self.central = central
    self.characteristic = characteristic
    self.offset = offset
    self.value = value
  }
}

/// Why an app does not advertise: the codes of `CBError`.
package enum AdvertisingFailure: String, CaseIterable, Hashable, JSONRaw {
  case alreadyAdvertising
}

/// The preserved state of an app: the dictionary of `peripheralManager(_:willRestoreState:)`.
package struct RestoredState: Hashable, Sendable {
  /// `CBPeripheralManagerRestoredStateServicesKey`. The services are published; an app must not add them again.
  package var services: [RestoredService]
  /// `CBPeripheralManagerRestoredStateAdvertisementDataKey`; nil where the app does not advertise.
  package var advertisement: AdvertisementData?

  package init(services: [RestoredService], advertisement: AdvertisementData?) {
    self.services = services
    self.advertisement = advertisement
  }
}

/// A service that is published, with its subscribers.
package struct RestoredService: Hashable, Sendable {
  package var id: ServiceID
  package var service: ServiceDefinition
  package var subscriptions: [Subscription]

  /// The subscribers of a characteristic: `CBMutableCharacteristic.subscribedCentrals`.
  package struct Subscription: Hashable, Sendable {
    /// The characteristic's index in the service's list, from 0.
    package var index: Int
    package var centrals: [CentralDescription]

    package init(index: Int, centrals: [CentralDescription]) {
      self.index = index
      self.centrals = centrals
    }
  }

  package init(id: ServiceID, service: ServiceDefinition, subscriptions: [Subscription]) {
    self.id = id
    self.service = service
    self.subscriptions = subscriptions
  }
}

/// An open channel: `CBL2CAPChannel`.
package struct L2CAPChannel: Hashable, Sendable {
  /// The phone's number for the channel, different for each.
  package var id: Int
  package var psm: L2CAPPSM
  package var central: CentralDescription

  package init(id: Int, psm: L2CAPPSM, central: CentralDescription) {
    self.id = id
    self.psm = psm
    self.central = central
  }
}

extension CentralDescription: JSONObject {
  package static func fields<V: JSONVisitor>(_ visitor: inout V, _ value: Self?) throws(V.Failure) -> Self {
    Self(
      id: try visitor.field("id", value?.id),
      maximumUpdateValueLength: try visitor.field("maximumUpdateValueLength", value?.maximumUpdateValueLength))
  }
}

extension CharacteristicID: JSONObject {
  package static func fields<V: JSONVisitor>(_ visitor: inout V, _ value: Self?) throws(V.Failure) -> Self {
    let index = try visitor.field("index", value?.index)
    return Self(service: try visitor.field("service", value?.service), index: index)
  }
}

extension ReadRequest: JSONObject {
  package static func fields<V: JSONVisitor>(_ visitor: inout V, _ value: Self?) throws(V.Failure) -> Self {
    let central = try visitor.field("central", value?.central)
    let characteristic = try visitor.field("characteristic", value?.characteristic)
    return Self(
      id: try visitor.field("id", value?.id), central: central, characteristic: characteristic,
      offset: try visitor.field("offset", value?.offset))
  }
}

extension WriteRequest: JSONObject {
  package static func fields<V: JSONVisitor>(_ visitor: inout V, _ value: Self?) throws(V.Failure) -> Self {
    let central = try visitor.field("central", value?.central)
    let characteristic = try visitor.field("characteristic", value?.characteristic)
    return Self(
      id: try visitor.field("id", value?.id), central: central, characteristic: characteristic,
      offset: try visitor.field("offset", value?.offset), value: try visitor.field("value", value?.value))
  }
}

extension RestoredState: JSONObject {
  package static func fields<V: JSONVisitor>(_ visitor: inout V, _ value: Self?) throws(V.Failure) -> Self {
    let advertisement = try visitor.optional("advertisement", value?.advertisement)
    return Self(services: try visitor.field("services", value?.services), advertisement: advertisement)
  }
}

extension RestoredService: JSONObject {
  package static func fields<V: JSONVisitor>(_ visitor: inout V, _ value: Self?) throws(V.Failure) -> Self {
    Self(
      id: try visitor.field("id", value?.id), service: try visitor.field("service", value?.service),
      subscriptions: try visitor.field("subscriptions", value?.subscriptions))
  }
}

extension RestoredService.Subscription: JSONObject {
  package static func fields<V: JSONVisitor>(_ visitor: inout V, _ value: Self?) throws(V.Failure) -> Self {
    let centrals = try visitor.field("centrals", value?.centrals)
    return Self(index: try visitor.field("index", value?.index), centrals: centrals)
  }
}

extension L2CAPChannel: JSONObject {
  package static func fields<V: JSONVisitor>(_ visitor: inout V, _ value: Self?) throws(V.Failure) -> Self {
    let central = try visitor.field("central", value?.central)
    return Self(id: try visitor.field("id", value?.id), psm: try visitor.field("psm", value?.psm), central: central)
  }
}

extension AppState: JSONRaw {}
extension ATTError: JSONRaw {}
extension CentralID: JSONRaw {}
extension L2CAPPSM: JSONRaw {}
extension LaunchMode: JSONRaw {}
extension ManagerState: JSONRaw {}
extension RequestID: JSONRaw {}
extension ServiceID: JSONRaw {}
extension TerminationCause: JSONRaw {}

// The state file has these, too.
extension AdvertisementData: JSONCoded {}
extension AppIdentity: JSONCoded {}
extension ServiceDefinition: JSONCoded {}

extension LaunchDescription: JSONCoded {
  package static var note: JSONTree {
    [
      "properties": [
        "isHost": [
          "description": """
          Whether the process does more than run the app; the phone does not stop such a process while the app is suspended.
          """
        ],
        "isSuspendable": [
          "description": """
          Whether the phone may stop the process with SIGSTOP while the app is suspended although the phone has not started \
          the process.
          """
        ],
      ]
    ]
  }
}

extension RuleOverrides: JSONCoded {
  package static var note: JSONTree { ["properties": ["transmitQueue": ["minimum": 1]]] }
}

extension ManagerID: JSONObject {
  package static func fields<V: JSONVisitor>(_ visitor: inout V, _ value: Self?) throws(V.Failure) -> Self {
    let name = try visitor.field("id", value?.name)
    return Self(try visitor.field("role", value?.role), name)
  }
}

extension ManagerID.Role: JSONRaw {}

extension ManagerID.Name: JSONValue {
  package static var note: JSONTree {
    "The restoration identifier of the manager, or a number that the app chooses for a manager without one."
  }

  package static func visit<V: JSONVisitor>(_ visitor: inout V, _ value: Self?) throws(V.Failure) -> Self {
    var (identifier, number): (String?, Int?) = (nil, nil)
    switch value {
    case .restorable(let it): identifier = it
    case .number(let it): number = it
    case nil: break
    }
    return visitor.isText(identifier != nil)
      ? .restorable(try visitor.text(identifier)) : .number(try visitor.number(number))
  }
}
