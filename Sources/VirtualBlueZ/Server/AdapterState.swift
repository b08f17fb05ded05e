import DBus

/// What bluetoothd keeps of an adapter beside its properties.
struct AdapterState: Sendable {
  let path: ObjectPath
  /// Tells one time of being discoverable from the next.
  var discoverableTurn = 0
  /// Who looks for devices.
  var clients: Set<BusName> = []
  /// What programs want to find, whether they look now or not.
  var filters: [BusName: DiscoveryFilter] = [:]
}
