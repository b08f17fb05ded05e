package import DBus

/// What bluetoothd has, kept up to date from its signals.
package struct Inventory: Hashable, Sendable {
  package enum Change: Hashable, Sendable {
    /// An adapter came, went, or became another.
    case adapters
    case connected(RemoteDevice)
    case disconnected(RemoteDevice)
    case paired(RemoteDevice)
  }

  package private(set) var adapters: [ObjectPath: Adapter] = [:]
  package private(set) var devices: [ObjectPath: RemoteDevice] = [:]

  package init() {}

  /// Takes what GetManagedObjects of org.bluez answers.
  package init(managedObjects: DBusValue) {
    guard case .dictionary(let objects) = managedObjects else { return }
    for (key, value) in objects.entries {
      guard let path = key.path, case .dictionary(let interfaces) = value else { continue }
      _ = add(path, interfaces)
    }
  }

  /// The adapter of that name, or without a name the first one that is powered, or the first one there is.
  package func adapter(named name: String?) -> Adapter? {
    let sorted = adapters.values.sorted { $0.number < $1.number }
    if let name { return sorted.first { $0.name == name } }
    return sorted.first(where: \.isPowered) ?? sorted.first
  }

  /// Takes a signal of org.bluez; any other changes nothing.
  package mutating func apply(_ signal: Signal) -> [Change] {
    switch (signal.interface, signal.member) {
    case (.objectManager, "InterfacesAdded"):
      guard signal.arguments.count == 2, let path = signal.arguments[0].path,
        case .dictionary(let interfaces) = signal.arguments[1]
      else { return [] }
      return add(path, interfaces)
    case (.objectManager, "InterfacesRemoved"):
      guard signal.arguments.count == 2, let path = signal.arguments[0].path,
        let interfaces = signal.arguments[1].stringArray
      else { return [] }
      return remove(path, interfaces)
    case (.properties, "PropertiesChanged"):
      guard signal.arguments.count == 3, let name = signal.arguments[0].text,
        let properties = signal.arguments[1].asProperties
      else { return [] }
      return update(signal.path, name, properties)
    default: return []
    }
  }

  private mutating func add(_ path: ObjectPath, _ interfaces: DBusDictionary) -> [Change] {
    interfaces.entries.flatMap { entry -> [Change] in
      guard let name = entry.key.text, let properties = entry.value.asProperties else { return [] }
      return update(path, name, properties, isNew: true)
    }
  }

  private mutating func remove(_ path: ObjectPath, _ interfaces: [String]) -> [Change] {
    var changes: [Change] = []
    for name in interfaces {
      switch InterfaceName(name) {
      case BlueZName.adapter:
        if adapters.removeValue(forKey: path) != nil { changes.append(.adapters) }
      case BlueZName.gattManager:
        guard adapters[path]?.hasGATTManager == true else { continue }
        adapters[path]?.hasGATTManager = false
        changes.append(.adapters)
      case BlueZName.advertisingManager:
        guard adapters[path]?.advertising != nil else { continue }
        adapters[path]?.advertising = nil
        changes.append(.adapters)
      case BlueZName.device:
        if let device = devices.removeValue(forKey: path), device.isConnected { changes.append(.disconnected(device)) }
      default: break
      }
    }
    return changes
  }

  private mutating func update(
    _ path: ObjectPath, _ interface: String, _ properties: [String: DBusValue], isNew: Bool = false
  ) -> [Change] {
    switch InterfaceName(interface) {
    case BlueZName.adapter, BlueZName.gattManager, BlueZName.advertisingManager:
      let before = adapters[path]
      guard isNew || before != nil else { return [] }
      var adapter = before ?? Adapter(path: path)
      adapter.take(InterfaceName(interface), properties)
      adapters[path] = adapter
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
      if device.isPaired, before?.isPaired == false { changes.append(.paired(device)) }
      return changes
    default: return []
    }
  }
}

extension Adapter {
  fileprivate mutating func take(_ interface: InterfaceName?, _ properties: [String: DBusValue]) {
    switch interface {
    case BlueZName.adapter:
      if let text = properties["Address"]?.text { address = text }
      if let value = properties["Powered"]?.bool { isPowered = value }
      if let text = properties["Modalias"]?.text { version = DaemonVersion(modalias: text) }
    case BlueZName.gattManager: hasGATTManager = true
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
  }
}
