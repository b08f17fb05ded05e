package import BleperaBluetooth

/// A link layer's attempt to connect to the first of one or more devices that it receives.
package struct ConnectionAttempt: Hashable, Sendable {
  /// The addresses of devices that the attempt accepts.
  package let peers: Set<DeviceAddress>
  /// The keys of further devices that the attempt accepts, by their resolvable private addresses.
  package let keys: [IdentityResolvingKey]
  /// The address that the link layer uses.
  package let address: DeviceAddress
  /// The window in which the link layer listens for the devices.
  package let window: ScanWindow
  package let parameters: LinkParameters
  /// The beginning of the attempt; set by the link layer.
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
}
