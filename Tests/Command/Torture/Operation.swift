/// What a central does, one thing after the other.
enum Operation: Hashable, Sendable {
  case subscribe(Int)
  /// With a read of a cached value behind it: BlueZ says that it is done before it is.
  case unsubscribe(Int)
  /// Of its own characteristic.
  case write([UInt8])
  /// Its own characteristic's.
  case read
  /// Its own characteristic's description, which the system keeps.
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
