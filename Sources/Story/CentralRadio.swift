import GATT
import Policy

/// The radio of a central: it hears, connects, and uses what it finds. Phones are known by their addresses.
protocol CentralRadio: Actor {
  func scan(_ isOn: Bool)

  /// Connects when the phone can next be connected to, however long that takes, and finds its services.
  func connect(to phone: String)
  /// Ends the connection, or the attempt at one.
  func disconnect(from phone: String) async
  func isConnected(to phone: String) -> Bool

  /// The UUIDs of the phone's services as they are known; empty before they are.
  func services(of phone: String) -> [BluetoothUUID]
  /// As they are known; empty before they are.
  func characteristics(of phone: String) -> [FoundAttribute]

  func read(_ attribute: FoundAttribute.ID, of phone: String) async throws(StoryFailure) -> [UInt8]
  func write(
    _ value: [UInt8], to attribute: FoundAttribute.ID, of phone: String, withResponse: Bool
  ) async throws(StoryFailure)
  func setNotifying(_ isOn: Bool, _ characteristic: FoundAttribute, of phone: String) async throws(StoryFailure)
  func pair(with phone: String) async throws(StoryFailure)
}

/// A characteristic that a central has found.
struct FoundAttribute: Hashable, Sendable {
  /// What the radio knows it by.
  struct ID: RawRepresentable, Hashable, Sendable {
    let rawValue: String
  }

  let id: ID
  let uuid: BluetoothUUID
  let properties: CharacteristicProperties
}

/// What a central's radio tells, in order.
enum CentralEvent: Sendable {
  case heard(String, HeardAdvertisement)
  case connected(String)
  case disconnected(String)
  /// What services the phone has is known, or known anew.
  case services(String)
  case value(String, FoundAttribute.ID, [UInt8])
}
