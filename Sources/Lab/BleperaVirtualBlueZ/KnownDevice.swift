import BleperaAir
import BleperaBluetooth
import BleperaDBus
import BleperaLoop

/// bluetoothd's state of a device besides its properties.
struct KnownDevice: Sendable {
  let path: ObjectPath
  var connection: ConnectionID?
  /// Whether the adapter is the peripheral of that connection.
  var isServer = false
  /// Whether the device is removed some time after it was last seen or connected.
  var isTemporary = true
  var lastSeen: Duration
  /// The timer that checks whether to remove the device.
  var expiry: (any LoopTimer)?
  /// The last signaled RSSI, in dBm; nil while no client discovers.
  var rssi: Int?
  var services: [RemoteService] = []
  var remote = RemoteDatabase()
  /// Pending calls of Connect, or of Pair that connects first.
  var connecting: [IncomingCall] = []
  /// Calls of Disconnect and RemoveDevice, which are answered when the connection has ended.
  var disconnecting: [IncomingCall] = []
  /// Ends the attempt to connect.
  var connectLimit: (any LoopTimer)?
  var pairing: [IncomingCall] = []
}

/// The attributes of a device that bluetoothd knows, also after the connection.
struct RemoteDatabase: Sendable {
  /// The services, including the services that are not exported.
  var services: [RemoteService] = []
  /// The value of Server Supported Features.
  var features: UInt8?
  /// The value of Database Hash.
  var hash: [UInt8]?
  /// The services that plugins have looked into since the device connected.
  var accepted: [RemoteService] = []
  /// Whether the answer to the request for the MTU is awaited.
  var isExchangingMTU = false
}

/// A device as one adapter knows it.
struct DeviceKey: Hashable, Comparable, Sendable {
  let adapter: AdapterID
  let address: DeviceAddress

  static func < (left: Self, right: Self) -> Bool {
    (left.adapter, left.address) < (right.adapter, right.address)
  }
}
