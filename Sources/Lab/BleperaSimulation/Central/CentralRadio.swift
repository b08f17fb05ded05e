package import BleperaBluetooth
package import BleperaLoop

/// The radio of a central, which scans, connects and uses services. Phones are identified by their addresses.
package protocol CentralRadio: Actor {
  func scan(_ isOn: Bool)

  /// Connects when the phone is next connectable, without a timeout, and discovers its services.
  func connect(to phone: String)
  /// Ends the connection or the connection attempt.
  func disconnect(from phone: String) async
  func isConnected(to phone: String) -> Bool

  /// The UUIDs of the phone's services; empty before discovery.
  func services(of phone: String) -> [BluetoothUUID]
  /// The characteristics of the phone; empty before discovery.
  func characteristics(of phone: String) -> [DiscoveredCharacteristic]

  func read(_ characteristic: DiscoveredCharacteristic, of phone: String) async throws(StoryFailure) -> [UInt8]
  func write(
    _ value: [UInt8], to characteristic: DiscoveredCharacteristic, of phone: String, withResponse: Bool
  ) async throws(StoryFailure)
  /// Writes all of the values or none.
  func write(
    _ values: [(characteristic: DiscoveredCharacteristic, value: [UInt8])], of phone: String
  ) async throws(StoryFailure)
  func setNotifying(_ isOn: Bool, _ characteristic: DiscoveredCharacteristic, of phone: String)
    async throws(StoryFailure)
  func pair(with phone: String) async throws(StoryFailure)
  func openChannel(_ psm: L2CAPPSM, of phone: String) async throws(StoryFailure) -> any ByteStream
}

extension CentralRadio {
  package func openChannel(_ psm: L2CAPPSM, of phone: String) async throws(StoryFailure) -> any ByteStream {
    throw .central("a central on an adapter cannot open L2CAP channels; use the virtual radio")
  }

  func run(_ body: @Sendable (isolated Self) -> Void) { body(self) }
}

/// A characteristic that a central has discovered.
package struct DiscoveredCharacteristic: Hashable, Sendable {
  /// The radio's own identifier, such as a handle or an object path.
  package let id: String
  package let uuid: BluetoothUUID
  package let properties: CharacteristicProperties

  package init(id: String, uuid: BluetoothUUID, properties: CharacteristicProperties) {
    self.id = id
    self.uuid = uuid
    self.properties = properties
  }
}

/// An event of a central's radio, reported in order. Phones are identified by their addresses.
package enum CentralEvent: Sendable {
  case discovered(String, ReceivedAdvertisement)
  case connected(String)
  case disconnected(String)
  /// The services of the phone have been discovered or rediscovered.
  case services(String)
  /// A notified value; the second string is `DiscoveredCharacteristic.id`.
  case value(String, String, [UInt8])
}
