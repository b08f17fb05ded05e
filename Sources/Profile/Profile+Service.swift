public import GATT

extension Profile {
  public struct Service: Hashable, Sendable {
    public var uuid: BluetoothUUID
    public var isPrimary: Bool
    /// Services that stand before this one.
    public var includedServices: [BluetoothUUID]
    public var characteristics: [Characteristic]

    public init(
      uuid: BluetoothUUID, isPrimary: Bool = true, includedServices: [BluetoothUUID] = [],
      characteristics: [Characteristic] = []
    ) {
      self.uuid = uuid
      self.isPrimary = isPrimary
      self.includedServices = includedServices
      self.characteristics = characteristics
    }

    /// The service as it is published, without the behaviors.
    public var definition: ServiceDefinition {
      ServiceDefinition(
        uuid: uuid, isPrimary: isPrimary, includedServices: includedServices,
        characteristics: characteristics.map(\.definition))
    }
  }
}
