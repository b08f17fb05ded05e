package import BleperaBluetooth

extension Profile {
  /// An app's use of its central manager.
  package struct Central: Hashable, Sendable {
    /// `CBCentralManagerOptionRestoreIdentifierKey`; nil for a manager without state restoration.
    package var restoreIdentifier: String?
    /// The arguments of `scanForPeripherals`.
    package var scan = ScanRequest()
    /// Nil for an app that only scans.
    package var connection: Connection?
    /// The characteristics that the app discovers and uses after each connection, in this order.
    package var characteristics: [Use] = []
  }
}

extension Profile.Central {
  /// The app's choice of discovered peripherals to connect to, and the way to connect.
  package struct Connection: Hashable, Sendable {
    /// The name that the peripheral has to have; nil for any.
    package var name: String?
    /// The service that the peripheral has to advertise; nil for any.
    package var service: BluetoothUUID?
    /// Whether the app connects to each such peripheral, or to the first alone, after which it does not scan.
    package var isToAll = false
    /// The options of `connect`.
    package var options = ConnectOptions()
    /// Whether the app connects to a lost peripheral again at once, instead of scanning for it.
    package var reconnects = true

    /// Creates the description of a connection to the first discovered peripheral.
    package init() {}
  }

  /// A characteristic of a peripheral, and its use by the app.
  package struct Use: Hashable, Sendable {
    package var service: BluetoothUUID
    package var characteristic: BluetoothUUID
    package var subscribes = false
    package var reads = false
    /// The value that the app writes after the connection; nil for none.
    package var value: [UInt8]?
    /// Whether the app's writes get a response.
    package var withResponse = true
    /// The rows for values that the app has read or been notified of: the app writes the values of the steps of the
    /// first row that matches. Nothing else of the row counts.
    package var reactions: [Responses.Row] = []
  }

  /// The place of the characteristic with that UUID among `characteristics`, preferably in the same service.
  package func place(of uuid: BluetoothUUID, near place: Int) -> Int? {
    let places = characteristics.indices.filter { characteristics[$0].characteristic == uuid }
    return places.first { characteristics[$0].service == characteristics[place].service } ?? places.first
  }
}
