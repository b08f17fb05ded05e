public import GATT

/// What was written is what is read, and it is notified to every subscriber.
public struct Echo: Hashable, Sendable {
  /// The characteristic of the same service whose writes are taken; nil for the one that has the behavior.
  public var source: BluetoothUUID?
  /// What is read before anything was written.
  public var initialValue: [UInt8]

  public init(source: BluetoothUUID? = nil, initialValue: [UInt8] = []) {
    self.source = source
    self.initialValue = initialValue
  }
}
