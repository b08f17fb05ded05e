package import DBus

/// An adapter as bluetoothd describes it.
package struct Adapter: Hashable, Sendable {
  package let path: ObjectPath
  package var address: String
  package var isPowered: Bool
  package var version: DaemonVersion?
  /// Whether bluetoothd has its GATT manager there; without it nothing can be published.
  package var hasGATTManager: Bool
  package var advertising: Advertising?

  /// What LEAdvertisingManager1 says.
  package struct Advertising: Hashable, Sendable {
    package var activeInstances: Int
    /// How many more advertisements bluetoothd would take now.
    package var freeInstances: Int
    /// Whether SupportedCapabilities is there: before 5.77 only with experimental interfaces (`-E`).
    package var hasCapabilities: Bool

    package init(activeInstances: Int, freeInstances: Int, hasCapabilities: Bool) {
      self.activeInstances = activeInstances
      self.freeInstances = freeInstances
      self.hasCapabilities = hasCapabilities
    }
  }

  package init(
    path: ObjectPath, address: String = "", isPowered: Bool = false, version: DaemonVersion? = nil,
    hasGATTManager: Bool = false, advertising: Advertising? = nil
  ) {
    self.path = path
    self.address = address
    self.isPowered = isPowered
    self.version = version
    self.hasGATTManager = hasGATTManager
    self.advertising = advertising
  }

  /// `hci0`.
  package var name: String { path.lastElement }

  /// 10 for `hci10`, by which adapters are in order.
  var number: Int { Int(name.drop { !$0.isNumber }) ?? .max }
}
