package import BleperaBluetooth

/// A device that centrals find and connect to: a phone or an accessory.
package protocol AirDevice: Sendable {
  var name: String { get }
  /// Empty for a device that could not be created.
  var identityAddress: String { get }
  /// Nil for a device without resolvable private addresses.
  var irk: IdentityResolvingKey? { get }
}

extension AirDevice {
  /// Whether the address is or was the device's.
  func hasUsed(_ address: String) -> Bool { address == identityAddress || irk?.resolves(address) == true }
}

/// A device of a host outside a scenario, by the address with which a central has discovered it.
struct OutsideDevice: AirDevice {
  let name: String

  var identityAddress: String { name }
  var irk: IdentityResolvingKey? { nil }
}
