package import BleperaBluetooth

/// The source of a dynamic characteristic's values.
///
/// A dynamic characteristic without a behavior keeps the value last written; it starts empty and never notifies.
package enum Behavior: Hashable, Sendable {
  /// A written value is read and notified.
  case echo(Echo)
  /// The value changes by itself.
  case generator(Generator)
  /// A table has the app's reaction to each write.
  case responses(Responses)
}

extension Behavior {
  /// The values of a profile's key `Kind`.
  package enum Kind: String, CaseIterable, Sendable {
    /// A written value is read and notified.
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
    /// A table has the app's reaction to each write.
    case responses
  }
}

/// Returns the value last written to reads, and notifies every subscriber of each write.
package struct Echo: Hashable, Sendable {
  /// The characteristic of the same service whose writes are echoed; nil for the characteristic with the behavior.
  package var source: BluetoothUUID?
  /// The value before the first write.
  package var initialValue: [UInt8] = []
}
