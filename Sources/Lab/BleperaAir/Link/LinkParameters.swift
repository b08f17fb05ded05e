package import BleperaBluetooth

/// The parameters of a connection (Core Specification, Vol 6, Part B, 4.5.1 and 4.5.2).
package struct LinkParameters: Hashable, Sendable {
  /// A multiple of 1.25 ms.
  package let interval: Duration
  /// The number of connection events that the peripheral may skip. It listens to all of them.
  package let latency: UInt16
  /// A multiple of 10 ms.
  package let supervisionTimeout: Duration

  package init(interval: Duration, latency: UInt16 = 0, supervisionTimeout: Duration) {
    (self.interval, self.latency, self.supervisionTimeout) = (interval, latency, supervisionTimeout)
  }

  /// As in CONNECT_IND and LL_CONNECTION_UPDATE_IND: interval, latency, timeout, two bytes each.
  package var bytes: [UInt8] {
    LittleEndian.bytes(UInt16(clamping: Int(interval / .microseconds(1250)))) + LittleEndian.bytes(latency)
      + LittleEndian.bytes(UInt16(clamping: Int(supervisionTimeout / .milliseconds(10))))
  }
}

/// How the host above a controller connects.
package struct ConnectionAttempt: Hashable, Sendable {
  /// The addresses of which one is enough.
  package let peers: Set<DeviceAddress>
  /// With which private addresses are resolved, of which one is enough as well.
  package let keys: [IdentityResolvingKey]
  /// The address that it uses.
  package let address: DeviceAddress
  /// When it listens.
  package let window: ScanWindow
  package let parameters: LinkParameters
  /// Of the air's time.
  var start = Duration.zero

  package init(
    to peers: Set<DeviceAddress>, resolvedBy keys: [IdentityResolvingKey] = [], from address: DeviceAddress,
    _ window: ScanWindow, parameters: LinkParameters
  ) {
    (self.peers, self.keys, self.address, self.window, self.parameters) = (peers, keys, address, window, parameters)
  }

  func accepts(_ peer: DeviceAddress) -> Bool {
    peers.contains(peer) || peer.isRandom && keys.contains { $0.resolves(peer.bits) }
  }

  func isListening(at now: Duration) -> Bool { window.isOpen(after: now - start) }
}
