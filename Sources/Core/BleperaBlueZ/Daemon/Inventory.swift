package import BleperaBlueZProtocol
package import BleperaDBus

/// bluetoothd's adapters and devices, kept up to date by its signals.
package struct Inventory: Hashable, Sendable {
  package enum Change: Hashable, Sendable {
    /// An adapter was added, removed or changed.
    case adapters
    case connected(RemoteDevice)
    case disconnected(RemoteDevice)
    /// Keys were exchanged.
    case bonded(RemoteDevice)
  }

  package private(set) var adapters: [ObjectPath: Adapter] = [:]
  package private(set) var devices: [ObjectPath: RemoteDevice] = [:]
  /// Whether the last change was the end of a connection.
  private var hasJustDisconnected = false

  package init() {}

  /// - Parameter managedObjects: the result of GetManagedObjects of org.bluez.
  package init(managedObjects: DBusValue) {
    for change in ObjectChange.added(managedObjects: managedObjects) { _ = apply(change) }
  }

  /// The adapter of that name; without a name the first powered adapter, otherwise the first adapter.
  package func adapter(named name: String?) -> Adapter? {
    let sorted = adapters.values.sorted { $0.number < $1.number }
    if let name { return sorted.first { $0.name == name } }
    return sorted.first(where: \.isPowered) ?? sorted.first
  }

  /// Applies a signal of org.bluez; other signals have no effect.
  package mutating func apply(_ signal: Signal) -> [Change] {
    let changes = ObjectChange.changes(of: signal).flatMap { apply($0) }
    if let last = changes.last { hasJustDisconnected = if case .disconnected = last { true } else { false } }
    return changes
  }

  /// Whether a device is connected, or was until the last change.
  var hasConnection: Bool { hasJustDisconnected || devices.values.contains(where: \.isConnected) }

  mutating func apply(_ change: ObjectChange) -> [Change] {
    switch change {
    case .added(let path, let interface, let properties): update(path, interface, properties, isNew: true)
    case .changed(let path, let interface, let properties, _): update(path, interface, properties)
    case .removed(let path, let interface): remove(path, interface)
    }
  }

  private mutating func remove(_ path: ObjectPath, _ interface: InterfaceName) -> [Change] {
    switch interface {
    case BlueZName.adapter: return adapters.removeValue(forKey: path) == nil ? [] : [.adapters]
    case BlueZName.gattManager:
      guard adapters[path]?.hasGATTManager == true else { return [] }
      adapters[path]?.hasGATTManager = false
      return [.adapters]
    case BlueZName.advertisingManager:
      guard adapters[path]?.advertising != nil else { return [] }
      adapters[path]?.advertising = nil
      return [.adapters]
    case BlueZName.monitorManager:
      guard adapters[path]?.isExperimental == true else { return [] }
      adapters[path]?.isExperimental = false
      return [.adapters]
    case BlueZName.device:
      guard let device = devices.removeValue(forKey: path), device.isConnected else { return [] }
      return [.disconnected(device)]
    default: return []
    }
  }

  private mutating func update(
    _ path: ObjectPath, _ interface: InterfaceName, _ properties: [String: DBusValue], isNew: Bool = false
  ) -> [Change] {
    switch interface {
    case BlueZName.adapter, BlueZName.gattManager, BlueZName.advertisingManager, BlueZName.monitorManager:
      let before = adapters[path]
      guard isNew || before != nil else { return [] }
      var adapter = before ?? Adapter(path: path)
      adapter.take(interface, properties)
      adapters[path] = adapter
      // Discoveries begin and end often, and nothing follows from them.
      adapter.isDiscovering = before?.isDiscovering ?? false
      return adapter == before ? [] : [.adapters]
    case BlueZName.device:
      let before = devices[path]
      guard isNew || before != nil else { return [] }
      var device = before ?? RemoteDevice(path: path)
      device.take(properties)
      devices[path] = device
      var changes: [Change] = []
      if device.isConnected != before?.isConnected ?? false {
        changes.append(device.isConnected ? .connected(device) : .disconnected(device))
      }
      if device.hasBond, before?.hasBond == false { changes.append(.bonded(device)) }
      return changes
    default: return []
    }
  }
}

extension Adapter {
  fileprivate mutating func take(_ interface: InterfaceName, _ properties: [String: DBusValue]) {
    switch interface {
    case BlueZName.adapter:
      if let text = properties["Address"]?.text { address = text }
      if let text = properties["AddressType"]?.text { hasRandomAddress = text == "random" }
      if let value = properties["Powered"]?.bool { isPowered = value }
      if let value = properties["Discovering"]?.bool { isDiscovering = value }
      if let text = properties["Modalias"]?.text { version = DaemonVersion(modalias: text) }
    case BlueZName.gattManager: hasGATTManager = true
    case BlueZName.monitorManager: isExperimental = true
    default:
      var value = advertising ?? Advertising(activeInstances: 0, freeInstances: 0, hasCapabilities: false)
      if let count = properties["ActiveInstances"]?.integer { value.activeInstances = Int(count) }
      if let count = properties["SupportedInstances"]?.integer { value.freeInstances = Int(count) }
      if properties["SupportedCapabilities"] != nil { value.hasCapabilities = true }
      advertising = value
    }
  }
}

extension RemoteDevice {
  fileprivate mutating func take(_ properties: [String: DBusValue]) {
    if let text = properties["Address"]?.text { address = text }
    if let value = properties["Connected"]?.bool { isConnected = value }
    if let value = properties["Paired"]?.bool { isPaired = value }
    if let value = properties["Bonded"]?.bool { isBonded = value }
  }
}

/// An adapter as bluetoothd describes it.
package struct Adapter: Hashable, Sendable {
  package let path: ObjectPath
  package var address = ""
  /// Whether the address is a static random one, of an adapter for LE only.
  package var hasRandomAddress = false
  package var isPowered = false
  /// Whether any program discovers devices.
  package var isDiscovering = false
  package var version: DaemonVersion?
  /// Whether the adapter has a GATT manager, which publishing requires.
  package var hasGATTManager = false
  package var advertising: Advertising?
  /// Whether bluetoothd runs with experimental interfaces (`-E`), as its advertisement monitors show.
  package var isExperimental = false

  /// The properties of LEAdvertisingManager1.
  package struct Advertising: Hashable, Sendable {
    package var activeInstances: Int
    /// The number of further advertisements that bluetoothd would accept now.
    package var freeInstances: Int
    /// Whether SupportedCapabilities exists: before 5.77 only with experimental interfaces (`-E`).
    package var hasCapabilities: Bool
  }

  /// `hci0`.
  package var name: String { path.lastElement }

  /// 10 for `hci10`; the sort key of adapters.
  var number: Int { Int(name.drop { !$0.isNumber }) ?? .max }
}

/// A device that bluetoothd knows: for a peripheral, a central.
package struct RemoteDevice: Hashable, Sendable {
  package let path: ObjectPath
  /// `00:11:22:33:44:55`; the identity address once bonded, before that the address that the central used.
  package var address = ""
  package var isConnected = false
  /// Reported by bluetoothd 5.66 only once the device's services are known, and so never with
  /// `ReverseServiceDiscovery = false`.
  package var isPaired = false
  /// Reported as soon as keys are exchanged; a bluetoothd older than 5.65 does not report it.
  package var isBonded = false

  /// Whether the device and the adapter have each other's keys.
  package var hasBond: Bool { isPaired || isBonded }
}

extension ObjectPath {
  /// The address in `/org/bluez/hci0/dev_00_11_22_33_44_55`, also of a removed device.
  package var deviceAddress: String? {
    guard lastElement.hasPrefix("dev_") else { return nil }
    return lastElement.dropFirst(4).split(separator: "_").joined(separator: ":")
  }
}
