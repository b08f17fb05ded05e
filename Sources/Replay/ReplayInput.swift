package import Control
package import GATT

/// Something that was done from outside: by a central, by the user, or to the adapter.
package struct ReplayInput: Hashable, Sendable {
  /// Of the trace, that tells of it.
  package let line: Int
  /// When it is to be done, since the trace's first event.
  package let time: Duration
  /// The phone's place in the header.
  package let phone: Int
  package let deed: Deed

  package enum Deed: Hashable, Sendable {
    /// The user launches an app.
    case launch(app: String)
    case ask(ControlRequest)
    /// The machine's adapter goes off or on, which nobody has asked the phone for.
    case power(Bool)
    case connect(central: String)
    case disconnect(central: String)
    case pair(central: String)
    case use(central: String, AttributeKey, Use)
  }

  /// What a central does with an attribute.
  package enum Use: Hashable, Sendable {
    case read(offset: Int)
    case write([UInt8], offset: Int, isAcknowledged: Bool)
    case subscribe
    case unsubscribe
  }
}

/// An attribute as a trace names it.
package struct AttributeKey: Hashable, Sendable {
  /// Nil where the trace does not say whose it is.
  package let app: String?
  package let service: BluetoothUUID
  package let characteristic: BluetoothUUID
  /// Nil for the characteristic itself.
  package let descriptor: BluetoothUUID?

  package init(
    app: String?, service: BluetoothUUID, characteristic: BluetoothUUID, descriptor: BluetoothUUID? = nil
  ) {
    self.app = app
    self.service = service
    self.characteristic = characteristic
    self.descriptor = descriptor
  }
}
