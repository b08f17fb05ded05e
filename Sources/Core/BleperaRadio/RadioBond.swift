/// A device whose keys the radio keeps.
package struct RadioBond: Hashable, Sendable {
  /// The address by which the radio knows the device: `00:11:22:33:44:55`.
  package let address: String
  /// The identity address, if the device has given one; otherwise as `address`.
  package let identity: String
  /// Whether the phone has made the bond; another bond of the computer may serve another program.
  package let isOwn: Bool
  package let isConnected: Bool

  package init(address: String, identity: String? = nil, isOwn: Bool = true, isConnected: Bool) {
    (self.address, self.identity) = (address, identity ?? address)
    (self.isOwn, self.isConnected) = (isOwn, isConnected)
  }
}
