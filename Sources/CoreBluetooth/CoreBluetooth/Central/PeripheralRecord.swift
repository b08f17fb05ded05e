import BleperaBluetooth
import BleperaPhoneLink

/// A peripheral as a central manager knows it. Outlives the object, which the app has to retain, until the phone knows that
/// the object was released.
final class PeripheralRecord: @unchecked Sendable {  // `lock` guards all mutable properties
  struct Values {
    var name: String?
    /// In bytes; 23 without a connection.
    var mtu = smallestMTU
    /// Changed by the app's calls and, on the manager's queue, by the phone's callbacks.
    var state = CBPeripheralState.disconnected
    /// Whether the app has cancelled a connection; it may have asked for another one since.
    var isCancelling = false
    /// The writes without response that the phone has not reported as sent.
    var writes = 0
    var attributes = RemoteAttributes()

    /// Whether the phone connects, or is connected, for the app.
    var isInUse: Bool { state == .connecting || state == .connected }
    var hasPlace: Bool { writes < WriteQueue.places }

    /// Forgets the connection, with what was discovered over it.
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

  /// Nil once the app has released the object.
  var object: CBPeripheral? {
    get { lock.withLock { storedObject } }
    set { lock.withLock { storedObject = newValue } }
  }

  func access<Result>(_ body: (inout Values) -> Result) -> Result { lock.withLock { body(&values) } }

  var current: Values { lock.withLock { values } }

  /// Handles `didConnect`; false for a connection that the app has cancelled meanwhile.
  func connect(_ description: PeripheralDescription) -> Bool {
    access { values in
      guard values.state != .disconnecting else { return false }
      (values.state, values.mtu, values.name) = (.connected, description.mtu, description.name)
      return true
    }
  }

  /// Whether the app waited for a place, which it has now.
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
