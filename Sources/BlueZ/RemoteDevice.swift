package import DBus

/// A device that bluetoothd knows: for a peripheral, a central.
package struct RemoteDevice: Hashable, Sendable {
  package let path: ObjectPath
  /// `00:11:22:33:44:55`; the identity address once bonded, before that what the central used.
  package var address: String
  package var isConnected: Bool
  package var isPaired: Bool

  package init(path: ObjectPath, address: String = "", isConnected: Bool = false, isPaired: Bool = false) {
    self.path = path
    self.address = address
    self.isConnected = isConnected
    self.isPaired = isPaired
  }
}
