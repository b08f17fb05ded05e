public import BleperaBluetooth

/// The source of a dynamic characteristic's values.
///
/// A dynamic characteristic without a behavior keeps the value last written; it starts empty and never notifies.
public enum Behavior: Hashable, Sendable {
  case echo(Echo)
  case generator(Generator)
  case responses(Responses)
}

extension Behavior {
  /// The values of a profile's key `Kind`.
  public enum Kind: String, CaseIterable, Sendable {
    case echo
    case counter
    case ramp
    case sine
    case sequence
    case random
    case responses
  }
}

/// Returns the value last written to reads, and notifies every subscriber of each write.
public struct Echo: Hashable, Sendable {
  /// The characteristic of the same service whose writes are echoed; nil for the one with the behavior.
  public var source: BluetoothUUID?
  /// The value before the first write.
  public var initialValue: [UInt8]

  public init(source: BluetoothUUID? = nil, initialValue: [UInt8] = []) {
    self.source = source
    self.initialValue = initialValue
  }
}
