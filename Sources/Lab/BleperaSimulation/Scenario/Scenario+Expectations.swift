package import BleperaBluetooth

/// The filters and expectations of steps. Values that are nil are not checked.
extension Scenario {
  /// A filter for discoveries; all conditions must match.
  package struct Filter: Hashable, Sendable {
    package var localName: String?
    /// A UUID in the list of service UUIDs.
    package var serviceUUID: BluetoothUUID?
    /// A UUID whose bit of the overflow area is set.
    package var overflowUUID: BluetoothUUID?
    /// UUIDs whose bits are set, and no others: reproduces a scanner that wrongly compares the whole mask.
    package var overflowMask: [BluetoothUUID]?
    /// The argument of an iPhone app's `scanForPeripherals(withServices:)`.
    package var services: [BluetoothUUID]?
    package var phone: String?
    /// Whether Nearby Info is advertised; otherwise what a phone sends without an app does not count.
    package var isNearbyInfo = false
  }

  /// The phone that a central is expected to discover, and its advertisement.
  package struct ScanExpectation: Hashable, Sendable {
    package var isExpected = true
    package var phone: String?
    package var localName: Name?
    /// UUIDs that must be among those advertised; if empty, none may be advertised.
    package var serviceUUIDs: [BluetoothUUID]?
    /// UUIDs whose bits must be among those set; if empty, none may be set.
    package var overflowUUIDs: [BluetoothUUID]?

    package enum Name: Hashable, Sendable {
      case absent
      case exactly(String)
    }
  }

  /// The expected state of a central's connection.
  package struct LinkExpectation: Hashable, Sendable {
    package var isConnected: Bool?
    package var phone: String?
    package var services: [BluetoothUUID] = []
    package var missingServices: [BluetoothUUID] = []
  }

  /// The expected state of an app, which no central can see.
  package struct AppExpectation: Hashable, Sendable {
    package var state: AppState?
    package var launches: Int?
    package var restoredServices: [BluetoothUUID]?
    /// Names of centrals.
    package var restoredSubscribers: [String]?
    /// Names of phones and accessories, in the order of the reports since the app's last launch.
    package var discovered: [String]?
    /// The value that the app has received last as a central.
    package var value: [UInt8]?
    package var alerts: [String]?
  }

  /// The result that a central receives for a request.
  package enum Answer: Hashable, Sendable {
    /// The request succeeds; the value is not checked.
    case done
    case value([UInt8])
    case error(ATTError)
    /// The central discovers no such characteristic.
    case missing
    case notConnected
  }
}
