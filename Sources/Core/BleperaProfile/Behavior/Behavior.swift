package import BleperaBluetooth

/// The source of a dynamic characteristic's values.
///
/// A dynamic characteristic without a behavior keeps the value last written; it starts empty and never notifies.
package enum Behavior: Hashable, Sendable {
  /// What was written is read and notified.
  case echo(Echo)
  /// The value changes by itself.
  case generator(Generator)
  /// A table says what follows each write.
  case responses(Responses)
}

extension Behavior {
  /// The values of a profile's key `Kind`.
  package enum Kind: String, CaseIterable, Sendable {
    /// What was written is read and notified.
    case echo
    /// The value counts up, and wraps within its format.
    case counter
    /// The value rises from a minimum to a maximum, then again.
    case ramp
    /// The value is a wave between a minimum and a maximum.
    case sine
    /// Values of a list, one after the other, then again.
    case sequence
    /// Any number from a minimum to a maximum.
    case random
    /// A table says what follows each write.
    case responses
  }
}

/// Returns the value last written to reads, and notifies every subscriber of each write.
package struct Echo: Hashable, Sendable {
  /// The characteristic of the same service whose writes are echoed; nil for the one with the behavior.
  package var source: BluetoothUUID?
  /// The value before the first write.
  package var initialValue: [UInt8] = []
}
