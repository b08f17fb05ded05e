/// The operations of a central, one after the other.
enum Operation: Hashable, Sendable {
  case subscribe(Int)
  /// A read of a cached value follows, because BlueZ reports the end of an unsubscription too early.
  case unsubscribe(Int)
  /// Writes the central's own characteristic.
  case write([UInt8])
  /// Reads the central's own characteristic.
  case read
  /// Writes the description of the central's own characteristic, which the system keeps.
  case describe([UInt8])
  case readCached

  /// Whether the phone itself has answered, which bluetoothd does in its place for a subscription.
  var isAnsweredByPhone: Bool {
    if case .subscribe = self { return false }
    return true
  }

  var topic: Int? {
    switch self {
    case .subscribe(let topic), .unsubscribe(let topic): topic
    case .write, .read, .describe, .readCached: nil
    }
  }
}
