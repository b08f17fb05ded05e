package import GATT

extension Scenario {
  /// What a central is expected to hear, and of whom.
  package struct Sighting: Hashable, Sendable {
    package var isExpected = true
    package var phone: String?
    package var localName: Name?
    /// Those that are listed among others; none may be where it is empty.
    package var serviceUUIDs: [BluetoothUUID]?
    /// Those whose bits are set among others; none may be where it is empty.
    package var overflowUUIDs: [BluetoothUUID]?

    package init(isExpected: Bool = true, localName: Name? = nil, overflowUUIDs: [BluetoothUUID]? = nil) {
      self.isExpected = isExpected
      self.localName = localName
      self.overflowUUIDs = overflowUUIDs
    }

    package enum Name: Hashable, Sendable {
      case absent
      case exactly(String)
    }
  }
}
