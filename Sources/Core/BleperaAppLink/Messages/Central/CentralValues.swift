package import BleperaBluetooth

/// A peripheral as an app sees it: `CBPeripheral`.
package struct PeripheralDescription: Hashable, Codable, Sendable {
  package var id: PeripheralID
  package var name: String?
  /// The ATT_MTU of the connection, in bytes; 23 without one.
  package var mtu: Int
  package var isConnected: Bool
  /// False in `didConnect` where the app has to wait for `didSendWritesWithoutResponse`.
  package var canSendWriteWithoutResponse: Bool
  /// How many writes without response may wait, for a connected app.
  package var writePlaces = WriteQueue.places

  /// The keys of a description in the state of a phone, which keeps no defect.
  private enum CodingKeys: CodingKey {
    case id, name, mtu, isConnected, canSendWriteWithoutResponse
  }

  package init(
    id: PeripheralID, name: String?, mtu: Int = 23, isConnected: Bool = false, canSendWriteWithoutResponse: Bool = true
  ) {
    self.id = id
    self.name = name
    self.mtu = mtu
    self.isConnected = isConnected
    self.canSendWriteWithoutResponse = canSendWriteWithoutResponse
  }
}

/// The arguments of `centralManager(_:didDiscover:advertisementData:rssi:)`.
package struct DiscoveredAdvertisement: Hashable, Sendable {
  package var localName: String?
  package var serviceUUIDs: [BluetoothUUID] = []
  package var overflowServiceUUIDs: [BluetoothUUID] = []
  package var solicitedServiceUUIDs: [BluetoothUUID] = []
  package var serviceData: [ServiceData] = []
  /// The first two bytes are the company's identifier.
  package var manufacturerData: [UInt8]?
  /// In dBm.
  package var txPowerLevel: Int?
  package var isConnectable = true
  /// In dBm; 127 where it is not available.
  package var rssi = 127

  package struct ServiceData: Hashable, Sendable {
    package var service: BluetoothUUID
    package var data: [UInt8]

    package init(service: BluetoothUUID, data: [UInt8]) {
      self.service = service
      self.data = data
    }
  }

  package init() {}
}

/// An error of Core Bluetooth: an ATT error (`CBATTError`), or a code of `CBError`.
package enum CentralError: Error, Hashable, Sendable {
  case att(ATTError)
  case code(CentralErrorCode)
}

/// The codes of `CBError` that a central manager reports.
package enum CentralErrorCode: Int, CaseIterable, Hashable, Sendable, JSONRaw {
  case unknown = 0
  case invalidParameters = 1
  case invalidHandle = 2
  case notConnected = 3
  case operationCancelled = 5
  case connectionTimeout = 6
  case peripheralDisconnected = 7
  case uuidNotAllowed = 8
  case connectionFailed = 10
  case connectionLimitReached = 11
  case operationNotSupported = 13
  case peerRemovedPairingInformation = 14
  case encryptionTimedOut = 15
}

package struct RemoteServiceDescription: Hashable, Codable, Sendable {
  package var handle: AttributeHandle
  package var uuid: BluetoothUUID
  package var isPrimary: Bool

  package init(handle: AttributeHandle, uuid: BluetoothUUID, isPrimary: Bool) {
    self.handle = handle
    self.uuid = uuid
    self.isPrimary = isPrimary
  }
}

package struct RemoteCharacteristicDescription: Hashable, Codable, Sendable {
  package var handle: AttributeHandle
  package var uuid: BluetoothUUID
  package var properties: CharacteristicProperties
  /// The value that was read or notified last; nil for none.
  package var value: [UInt8]?
  package var isNotifying: Bool

  package init(
    handle: AttributeHandle, uuid: BluetoothUUID, properties: CharacteristicProperties, value: [UInt8]? = nil,
    isNotifying: Bool = false
  ) {
    self.handle = handle
    self.uuid = uuid
    self.properties = properties
    self.value = value
    self.isNotifying = isNotifying
  }
}

package struct RemoteDescriptorDescription: Hashable, Codable, Sendable {
  package var handle: AttributeHandle
  package var uuid: BluetoothUUID

  package init(handle: AttributeHandle, uuid: BluetoothUUID) {
    self.handle = handle
    self.uuid = uuid
  }
}

/// The preserved state of a central manager: the dictionary of `centralManager(_:willRestoreState:)`.
package struct RestoredCentralState: Hashable, Sendable {
  /// Nil where the manager did not scan.
  package var scan: ScanRequest?
  package var peripherals: [RestoredPeripheral]

  package init(scan: ScanRequest?, peripherals: [RestoredPeripheral]) {
    self.scan = scan
    self.peripherals = peripherals
  }
}

/// A peripheral that the manager was connected to or waited for when the app ended, with what the app had discovered of
/// it by then.
package struct RestoredPeripheral: Hashable, Codable, Sendable {
  /// `CBPeripheral.state`
  package enum State: String, CaseIterable, Hashable, Codable, JSONRaw {
    case disconnected, connecting, connected
  }

  package var peripheral: PeripheralDescription
  /// The state when the app is restored.
  package var state: State
  package var services: [Service]

  package struct Service: Hashable, Codable, Sendable {
    package var service: RemoteServiceDescription
    package var characteristics: [Characteristic]

    package init(service: RemoteServiceDescription, characteristics: [Characteristic]) {
      self.service = service
      self.characteristics = characteristics
    }
  }

  package struct Characteristic: Hashable, Codable, Sendable {
    package var characteristic: RemoteCharacteristicDescription
    package var descriptors: [RemoteDescriptorDescription]

    package init(characteristic: RemoteCharacteristicDescription, descriptors: [RemoteDescriptorDescription]) {
      self.characteristic = characteristic
      self.descriptors = descriptors
    }
  }

  package init(peripheral: PeripheralDescription, state: State, services: [Service]) {
    self.peripheral = peripheral
    self.state = state
    self.services = services
  }
}

extension PeripheralDescription: JSONObject {
  package static func fields<V: JSONVisitor>(_ visitor: inout V, _ value: Self?) throws(V.Failure) -> Self {
    let isReady = value.flatMap { $0.canSendWriteWithoutResponse ? nil : false }
    let canSend = try visitor.optional(
      "canSendWriteWithoutResponse", isReady,
      [
        "const": false,
        "description": """
        In didConnect on iOS 11, or by a defect: the app waits for didSendWritesWithoutResponse. Absent otherwise.
        """,
      ])
    let id = try visitor.field("id", value?.id)
    let isConnected = try visitor.field("isConnected", value?.isConnected)
    let mtu = try visitor.field("mtu", value?.mtu, ["minimum": 23])
    let name = try visitor.optional("name", value?.name)
    let places = value.flatMap { $0.writePlaces == WriteQueue.places ? nil : $0.writePlaces }
    var read = Self(id: id, name: name, mtu: mtu, isConnected: isConnected)
    read.canSendWriteWithoutResponse = canSend ?? true
    let note: JSONTree = [
      "minimum": 1, "description": "The writes without response that may wait, by a defect; else 20.",
    ]
    read.writePlaces = try visitor.optional("writePlaces", places, note) ?? WriteQueue.places
    return read
  }
}

extension DiscoveredAdvertisement: JSONObject {
  package static func fields<V: JSONVisitor>(_ visitor: inout V, _ value: Self?) throws(V.Failure) -> Self {
    func some<Element>(_ list: [Element]?) -> [Element]? { list?.isEmpty == false ? list : nil }
    var it = value ?? Self()
    try visitor.field("isConnectable", in: &it.isConnectable)
    try visitor.optional("localName", in: &it.localName)
    visitor.note("The first two bytes are the company's identifier.")
    try visitor.optional("manufacturerData", in: &it.manufacturerData)
    it.overflowServiceUUIDs = try visitor.optional("overflowServiceUUIDs", some(value?.overflowServiceUUIDs)) ?? []
    visitor.note("In dBm; 127 where it is not available.")
    try visitor.field("rssi", in: &it.rssi)
    it.serviceData = try visitor.optional("serviceData", some(value?.serviceData)) ?? []
    it.serviceUUIDs = try visitor.optional("serviceUUIDs", some(value?.serviceUUIDs)) ?? []
    it.solicitedServiceUUIDs = try visitor.optional("solicitedServiceUUIDs", some(value?.solicitedServiceUUIDs)) ?? []
    try visitor.optional("txPowerLevel", in: &it.txPowerLevel)
    return it
  }
}

extension DiscoveredAdvertisement.ServiceData: JSONObject {
  package static func fields<V: JSONVisitor>(_ visitor: inout V, _ value: Self?) throws(V.Failure) -> Self {
    let data = try visitor.field("data", value?.data)
    return Self(service: try visitor.field("service", value?.service), data: data)
  }
}

extension CentralError: JSONMessage {
  package static let blank = CentralError.code(.unknown)

  package static func variants<V: JSONVisitor>(_ v: inout V, _ it: Self, _ read: inout Self?) throws(V.Failure) {
    try v.variant("CBATTError", "code", it, &read, Self.att, ["minimum": 1]) {
      if case .att(let it) = $0 { it } else { nil }
    }
    try v.variant("CBError", "code", it, &read, Self.code) { if case .code(let it) = $0 { it } else { nil } }
  }
}

extension RemoteServiceDescription: JSONObject {
  package static func fields<V: JSONVisitor>(_ visitor: inout V, _ value: Self?) throws(V.Failure) -> Self {
    let handle = try visitor.field("handle", value?.handle)
    let isPrimary = try visitor.field("isPrimary", value?.isPrimary)
    return Self(handle: handle, uuid: try visitor.field("uuid", value?.uuid), isPrimary: isPrimary)
  }
}

extension CharacteristicProperties: JSONRaw {}

extension RemoteCharacteristicDescription: JSONObject {
  package static func fields<V: JSONVisitor>(_ visitor: inout V, _ value: Self?) throws(V.Failure) -> Self {
    let handle = try visitor.field("handle", value?.handle)
    let isNotifying = try visitor.field("isNotifying", value?.isNotifying)
    let properties = try visitor.field(
      "properties", value?.properties,
      ["maximum": 1023, "description": "The bits of CBCharacteristicProperties."])
    let uuid = try visitor.field("uuid", value?.uuid)
    return Self(
      handle: handle, uuid: uuid, properties: properties, value: try visitor.optional("value", value?.value),
      isNotifying: isNotifying)
  }
}

extension RemoteDescriptorDescription: JSONObject {
  package static func fields<V: JSONVisitor>(_ visitor: inout V, _ value: Self?) throws(V.Failure) -> Self {
    let handle = try visitor.field("handle", value?.handle)
    return Self(handle: handle, uuid: try visitor.field("uuid", value?.uuid))
  }
}

extension RestoredCentralState: JSONObject {
  package static func fields<V: JSONVisitor>(_ visitor: inout V, _ value: Self?) throws(V.Failure) -> Self {
    let peripherals = try visitor.field("peripherals", value?.peripherals)
    let scan = try visitor.optional("scan", value?.scan, ["required": ["services"]])
    return Self(scan: scan, peripherals: peripherals)
  }
}

extension RestoredPeripheral: JSONObject {
  package static func fields<V: JSONVisitor>(_ visitor: inout V, _ value: Self?) throws(V.Failure) -> Self {
    let peripheral = try visitor.field("peripheral", value?.peripheral)
    let services = try visitor.field("services", value?.services)
    return Self(peripheral: peripheral, state: try visitor.field("state", value?.state), services: services)
  }
}

extension RestoredPeripheral.Service: JSONObject {
  package static func fields<V: JSONVisitor>(_ visitor: inout V, _ value: Self?) throws(V.Failure) -> Self {
    let characteristics = try visitor.field("characteristics", value?.characteristics)
    return Self(service: try visitor.field("service", value?.service), characteristics: characteristics)
  }
}

extension RestoredPeripheral.Characteristic: JSONObject {
  package static func fields<V: JSONVisitor>(_ visitor: inout V, _ value: Self?) throws(V.Failure) -> Self {
    let characteristic = try visitor.field("characteristic", value?.characteristic)
    return Self(characteristic: characteristic, descriptors: try visitor.field("descriptors", value?.descriptors))
  }
}
