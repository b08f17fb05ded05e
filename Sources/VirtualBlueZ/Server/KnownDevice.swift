import DBus

/// What bluetoothd keeps of a device beside its properties.
struct KnownDevice: Sendable {
  let path: ObjectPath
  var connection: ConnectionID?
  /// Whether we are the central of that connection.
  var isServer = false
  /// Forgotten some time after it was last seen or connected.
  var isTemporary = true
  var lastSeen: Duration
  /// Whether it is looked at again some time after that.
  var isExpiring = false
  /// Whether RSSI may be told, which is while somebody looks for it.
  var rssi: Int?
  var services: [RemoteService] = []
  /// Calls of Connect that wait, and what is to be done then.
  var connecting: [IncomingCall] = []
  var pairing: [IncomingCall] = []
}
