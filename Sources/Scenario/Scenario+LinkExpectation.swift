package import GATT

extension Scenario {
  /// What is expected of a central's connection; what is nil does not matter.
  package struct LinkExpectation: Hashable, Sendable {
    package var isConnected: Bool?
    package var phone: String?
    package var services: [BluetoothUUID] = []
    package var missingServices: [BluetoothUUID] = []

    package init(isConnected: Bool? = nil, missingServices: [BluetoothUUID] = []) {
      self.isConnected = isConnected
      self.missingServices = missingServices
    }
  }
}
