package import BleperaBluetooth
package import BleperaHost

/// The devices to which a phone connects as soon as one of them is there.
package struct PendingConnections: Hashable, Sendable {
  /// The addresses by which the devices are known, with the keys of those that have private addresses.
  package var peers: [DeviceAddress: IdentityResolvingKey?]
  /// The key of the phone's own private addresses; nil for the address that the link layer has.
  package var ownKey: IdentityResolvingKey?
  /// Nil for always.
  package var window: ScanWindow?
  package var parameters: LinkParameters

  package init(
    _ peers: [DeviceAddress: IdentityResolvingKey?], ownKey: IdentityResolvingKey? = nil, window: ScanWindow? = nil,
    parameters: LinkParameters
  ) {
    (self.peers, self.ownKey, self.window, self.parameters) = (peers, ownKey, window, parameters)
  }

  /// The address by which a device is known that has connected with one of these addresses.
  func known(_ addresses: [DeviceAddress]) -> DeviceAddress? {
    if let known = addresses.first(where: { peers[$0] != nil }) { return known }
    return peers.keys.sorted().first { peer in
      guard let key = peers[peer] ?? nil else { return false }
      return addresses.contains { $0.isRandom && key.resolves($0.bits) }
    }
  }
}
