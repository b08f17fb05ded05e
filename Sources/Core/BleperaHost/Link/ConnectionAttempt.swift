package import BleperaBluetooth

/// How a link layer connects.
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
  /// When it began; set by the link layer.
  package var start = Duration.zero

  package init(
    to peers: Set<DeviceAddress>, resolvedBy keys: [IdentityResolvingKey] = [], from address: DeviceAddress,
    _ window: ScanWindow, parameters: LinkParameters
  ) {
    (self.peers, self.keys, self.address, self.window, self.parameters) = (peers, keys, address, window, parameters)
  }

  package func accepts(_ peer: DeviceAddress) -> Bool {
    peers.contains(peer) || peer.isRandom && keys.contains { $0.resolves(peer.bits) }
  }

  package func isListening(at now: Duration) -> Bool { window.isOpen(after: now - start) }
}
