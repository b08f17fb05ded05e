package import BleperaAppLink
package import BleperaBluetooth

/// An external action: by a central, by the user, or on the adapter.
package struct ReplayInput: Hashable, Sendable {
  /// The line of the trace that records it.
  package let line: Int
  /// When the input is played, since the trace's first event.
  package let time: Duration
  /// The index of the phone in the header.
  package let phone: Int
  package let action: Action

  package enum Action: Hashable, Sendable {
    /// The user launches an app.
    case launch(app: String)
    case control(ControlRequest)
    /// The machine's adapter is switched off or on without a request to the phone.
    case power(Bool)
    case connect(central: String)
    case disconnect(central: String)
    case pair(central: String)
    case use(central: String, AttributeKey, Use)
    /// The pieces of a prepared write, which the central prepares and executes.
    case execute(central: String, [Piece])
  }

  /// A piece of a prepared write.
  package struct Piece: Hashable, Sendable {
    package let key: AttributeKey
    package let offset: Int
    package let value: [UInt8]
  }

  /// How a central uses an attribute.
  package enum Use: Hashable, Sendable {
    case read(offset: Int)
    case write([UInt8], offset: Int, isAcknowledged: Bool)
    case subscribe
    case unsubscribe
  }
}

/// An attribute as a trace names it.
package struct AttributeKey: Hashable, Sendable {
  /// Nil if the trace does not name the app.
  package let app: String?
  package let service: BluetoothUUID
  package let characteristic: BluetoothUUID
  /// Nil for the characteristic itself.
  package var descriptor: BluetoothUUID? = nil
}
