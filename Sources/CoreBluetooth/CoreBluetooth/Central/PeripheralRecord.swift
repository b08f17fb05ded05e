import BleperaAppLink
import BleperaBluetooth

/// A central manager's record of a peripheral. The record outlives the object that the app retains, until the phone has
/// ended the connection of a released object.
final class PeripheralRecord: @unchecked Sendable {  // `lock` guards all mutable properties
  struct Values {
    var name: String?
    /// The ATT_MTU in bytes; 23 without a connection.
    var mtu = smallestMTU
    /// The state, which the app's calls change, and the phone's callbacks on the manager's queue.
    var state = CBPeripheralState.disconnected
    /// Whether the app has canceled a connection; the app may have requested another one since.
    var isCancelling = false
    /// The writes without response that the phone has not reported as sent.
    var writes = 0
    /// How many of these may wait.
    var places = WriteQueue.places
    var attributes = RemoteAttributes()

    /// Whether the phone connects, or is connected, for the app.
    var isInUse: Bool { state == .connecting || state == .connected }
    var hasPlace: Bool { writes < places }

    /// Removes the connection and everything that was discovered over it.
    ///
    /// - Parameter isReconnecting: whether the phone connects again by itself.
    mutating func disconnect(isReconnecting: Bool = false) {
      let isAwaited = isReconnecting || (isCancelling && state == .connecting)
      (mtu, isCancelling, writes, attributes) = (Self.smallestMTU, false, 0, RemoteAttributes())
      state = isAwaited ? .connecting : .disconnected
    }

    private static let smallestMTU = 23
  }

  let id: PeripheralID
  private let lock = NSLock()
  private weak var storedObject: CBPeripheral?
  private var values = Values()

  init(_ id: PeripheralID) { self.id = id }

  /// The object; nil once the app has released it.
  var object: CBPeripheral? {
    get { lock.withLock { storedObject } }
    set { lock.withLock { storedObject = newValue } }
  }

  func access<Result>(_ body: (inout Values) -> Result) -> Result { lock.withLock { body(&values) } }

  var current: Values { lock.withLock { values } }

  /// Handles `didConnect`; false for a connection that the app has canceled meanwhile.
  func connect(_ description: PeripheralDescription) -> Bool {
    access { values in
      guard values.state != .disconnecting else { return false }
      (values.state, values.mtu, values.name) = (.connected, description.mtu, description.name)
      values.places = description.writePlaces
      return true
    }
  }

  /// Frees places for writes without response; true if the first place became free.
  func freePlaces(_ count: Int) -> Bool {
    access { values in
      let hadPlace = values.hasPlace
      values.writes -= min(values.writes, max(0, count))
      return !hadPlace && values.hasPlace
    }
  }

  /// Disconnects the object for good.
  ///
  /// - Returns: whether the phone connects, or is connected, for the app.
  func invalidate() -> Bool {
    access { values in
      defer {
        values.isCancelling = false
        values.disconnect()
      }
      return values.isInUse
    }
  }
}
