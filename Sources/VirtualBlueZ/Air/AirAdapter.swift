/// An adapter and all that is on it.
package struct AirAdapter: Sendable {
  package let id: AdapterID
  package let description: AdapterDescription
  package internal(set) var isPowered: Bool
  package internal(set) var alias: String
  package internal(set) var isDiscoverable = false
  package internal(set) var isPairable = true
  package internal(set) var capability: PairingCapability?
  package internal(set) var database: AttributeDatabase
  package internal(set) var scan: ScanWindow?
  /// When the present scan began.
  var scanStart = Duration.zero
  /// Whom it has a key of.
  package internal(set) var bonds: Set<DeviceAddress> = []
  /// Whom it wants to be connected to, with the number of the attempt.
  var connecting: [DeviceAddress: Int] = [:]

  package var address: DeviceAddress { description.address }

  init(_ id: AdapterID, _ description: AdapterDescription, modalias: [UInt8]) {
    self.id = id
    self.description = description
    isPowered = description.isPowered
    alias = description.name
    database = AttributeDatabase(modalias: modalias)
  }
}
