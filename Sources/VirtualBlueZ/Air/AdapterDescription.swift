/// An adapter as it is put on the air.
package struct AdapterDescription: Hashable, Sendable {
  package var address: DeviceAddress
  /// The alias it begins with.
  package var name: String
  package var isPowered: Bool
  /// How many advertisements its controller has room for: 3 with btvirt, 5 where bluetoothd rotates them itself.
  package var advertisementLimit: Int
  /// The ATT_MTU it offers, in bytes.
  package var mtu: Int
  /// Whether it hears extended advertisements.
  package var hearsExtended: Bool
  /// Whether it tells clients that it can be a central; some take the first adapter that says so.
  package var isCentral: Bool

  package init(
    address: DeviceAddress, name: String, isPowered: Bool = true, advertisementLimit: Int = 3, mtu: Int = 517,
    hearsExtended: Bool = true, isCentral: Bool = true
  ) {
    self.address = address
    self.name = name
    self.isPowered = isPowered
    self.advertisementLimit = advertisementLimit
    self.mtu = mtu
    self.hearsExtended = hearsExtended
    self.isCentral = isCentral
  }
}
