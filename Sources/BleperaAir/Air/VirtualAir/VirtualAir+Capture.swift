/// What is captured of the air, if anything.
extension VirtualAir {
  /// Captures from now on the packets that devices receive.
  ///
  /// - Parameter origin: the time of day at the air's origin, since 1970 in UTC.
  package mutating func startCapture(origin: Duration) { capture = AirCapture(origin: origin) }

  /// Returns the records since the last call.
  package mutating func takeCapture() -> [UInt8] { capture?.take() ?? [] }

  mutating func capturePacket(_ packet: LinkPacket, over connection: AirConnection) {
    guard capture != nil else { return }
    let handle = adapters[connection.peripheral]?.database.serviceChanged
    capture?.received(packet, over: connection.id, serviceChanged: handle, at: now)
  }

  mutating func captureDiscovery(over id: ConnectionID, subscribes: Bool) {
    guard capture != nil, let connection = connections[id], let server = adapters[connection.peripheral] else {
      return
    }
    capture?.discovered(server.database, mtu: connection.mtu, subscribes: subscribes, over: id, at: now)
  }
}
