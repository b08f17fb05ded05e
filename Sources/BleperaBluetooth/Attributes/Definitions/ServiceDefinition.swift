/// A service that an app publishes, modeled on `CBMutableService`.
public struct ServiceDefinition: Hashable, Codable, Sendable {
  /// The type of the service.
  public var uuid: BluetoothUUID
  /// Whether the service is a primary one, which centrals discover by itself.
  public var isPrimary: Bool
  /// The UUIDs of the services of the same app that this service includes.
  public var includedServices: [BluetoothUUID]
  /// The characteristics in the order in which centrals discover them.
  public var characteristics: [CharacteristicDefinition]

  /// Creates a service.
  ///
  /// - Parameter includedServices: The UUIDs of services of the same app, which must be added before.
  public init(
    uuid: BluetoothUUID, isPrimary: Bool = true, includedServices: [BluetoothUUID] = [],
    characteristics: [CharacteristicDefinition] = []
  ) {
    self.uuid = uuid
    self.isPrimary = isPrimary
    self.includedServices = includedServices
    self.characteristics = characteristics
  }
}
