/// A service that an app publishes, modeled on `CBMutableService`.
public struct ServiceDefinition: Hashable, Codable, Sendable {
  public var uuid: BluetoothUUID
  public var isPrimary: Bool
  /// The UUIDs of the services of the same app that this service includes.
  public var includedServices: [BluetoothUUID]
  public var characteristics: [CharacteristicDefinition]

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
