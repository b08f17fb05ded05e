package import DBus

/// What a device serves, once it is connected.
extension CentralManager {
  /// The whole value of a characteristic or descriptor, however long.
  package func read(_ attribute: ObjectPath, descriptor: Bool = false) async throws(CentralFailure) -> [UInt8] {
    let interface = descriptor ? BlueZName.gattDescriptor : BlueZName.gattCharacteristic
    return try await ask(attribute, interface, "ReadValue", [.properties([])]).first?.byteArray ?? []
  }

  /// How a value is written.
  package enum WriteKind: String, Sendable {
    /// The device answers.
    case request
    /// It does not.
    case command
  }

  package func write(
    _ value: [UInt8], to characteristic: ObjectPath, _ kind: WriteKind = .request
  ) async throws(CentralFailure) {
    _ = try await ask(
      characteristic, BlueZName.gattCharacteristic, "WriteValue",
      [.bytes(value), .properties([("type", .string(kind.rawValue))])])
  }

  /// Subscribes; values come as events.
  package func subscribe(to characteristic: ObjectPath) async throws(CentralFailure) {
    _ = try await ask(characteristic, BlueZName.gattCharacteristic, "StartNotify")
  }

  package func unsubscribe(from characteristic: ObjectPath) async throws(CentralFailure) {
    _ = try await ask(characteristic, BlueZName.gattCharacteristic, "StopNotify")
  }
}
