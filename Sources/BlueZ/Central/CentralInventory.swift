package import DBus
import GATT

/// What a central knows of bluetoothd's adapters, devices and their attributes, kept up to date from its signals.
package struct CentralInventory: Hashable, Sendable {
  package enum Change: Hashable, Sendable {
    /// An adapter came, went, or became another.
    case adapters
    case appeared(FoundDevice)
    /// bluetoothd tells of an advertisement; with everything that is known of the device.
    case advertised(FoundDevice)
    /// bluetoothd has forgotten it.
    case vanished(FoundDevice)
    case connected(FoundDevice)
    /// Its services can be used.
    case resolved(FoundDevice)
    case disconnected(FoundDevice)
    /// A characteristic's value has come, by a notification or by a read.
    case value(characteristic: ObjectPath, [UInt8])
  }

  private var base = Inventory()
  package private(set) var devices: [ObjectPath: FoundDevice] = [:]
  /// GattService1, GattCharacteristic1 and GattDescriptor1 objects.
  private var attributes: [ObjectPath: Attribute] = [:]

  private struct Attribute: Hashable {
    var interface: InterfaceName
    var uuid: BluetoothUUID
    var isPrimary = true
    var includes: [ObjectPath] = []
    var flags: [String] = []
  }

  package init() {}

  /// Takes what GetManagedObjects of org.bluez answers.
  package init(managedObjects: DBusValue) {
    base = Inventory(managedObjects: managedObjects)
    guard case .dictionary(let objects) = managedObjects else { return }
    for (key, value) in objects.entries {
      guard let path = key.path, case .dictionary(let interfaces) = value else { continue }
      _ = add(path, interfaces)
    }
  }

  /// The adapter of that name, or without a name the first one that is powered, or the first one there is.
  package func adapter(named name: String?) -> Adapter? { base.adapter(named: name) }

  /// The services of a connected device with all that is in them, in the order of their handles.
  package func services(of device: ObjectPath) -> [FoundService] {
    children(of: device, BlueZName.gattService).map { path, service in
      FoundService(
        path: path, uuid: service.uuid, isPrimary: service.isPrimary, includedServices: service.includes,
        characteristics: children(of: path, BlueZName.gattCharacteristic).map { path, characteristic in
          FoundCharacteristic(
            path: path, uuid: characteristic.uuid, properties: CharacteristicProperties(flags: characteristic.flags),
            descriptors: children(of: path, BlueZName.gattDescriptor).map { path, descriptor in
              FoundDescriptor(path: path, uuid: descriptor.uuid)
            })
        })
    }
  }

  /// Paths end with the handle in four digits, so their order is that of the handles.
  private func children(of parent: ObjectPath, _ interface: InterfaceName) -> [(ObjectPath, Attribute)] {
    attributes.filter { $0.key.parent == parent && $0.value.interface == interface }.sorted { $0.key < $1.key }
      .map { ($0.key, $0.value) }
  }

  /// Takes a signal of org.bluez; any other changes nothing.
  package mutating func apply(_ signal: Signal) -> [Change] {
    let isOfAdapters = base.apply(signal).contains(.adapters)
    return (isOfAdapters ? [.adapters] : []) + applyToDevices(signal)
  }

  private mutating func applyToDevices(_ signal: Signal) -> [Change] {
    let arguments = signal.arguments
    switch (signal.interface, signal.member) {
    case (.objectManager, "InterfacesAdded"):
      guard arguments.count == 2, let path = arguments[0].path, case .dictionary(let interfaces) = arguments[1] else {
        return []
      }
      return add(path, interfaces)
    case (.objectManager, "InterfacesRemoved"):
      guard arguments.count == 2, let path = arguments[0].path, let interfaces = arguments[1].stringArray else {
        return []
      }
      return remove(path, interfaces)
    case (.properties, "PropertiesChanged"):
      guard arguments.count == 3, let name = arguments[0].text.flatMap({ InterfaceName($0) }),
        let properties = arguments[1].asProperties
      else { return [] }
      return update(signal.path, name, properties, without: arguments[2].stringArray ?? [])
    default: return []
    }
  }

  private mutating func add(_ path: ObjectPath, _ interfaces: DBusDictionary) -> [Change] {
    interfaces.entries.flatMap { entry -> [Change] in
      guard let name = entry.key.text.flatMap({ InterfaceName($0) }), let properties = entry.value.asProperties else {
        return []
      }
      switch name {
      case BlueZName.device:
        var device = FoundDevice(path: path)
        _ = device.take(properties)
        devices[path] = device
        return [.appeared(device)] + (device.isConnected ? [.connected(device)] : [])
          + (device.isConnected && device.isResolved ? [.resolved(device)] : [])
      case BlueZName.gattService, BlueZName.gattCharacteristic, BlueZName.gattDescriptor:
        guard let uuid = properties["UUID"]?.text.flatMap({ BluetoothUUID($0) }) else { return [] }
        attributes[path] = Attribute(
          interface: name, uuid: uuid.shortened, isPrimary: properties["Primary"]?.bool ?? true,
          includes: properties["Includes"]?.pathArray ?? [], flags: properties["Flags"]?.stringArray ?? [])
        return []
      default: return []
      }
    }
  }

  private mutating func remove(_ path: ObjectPath, _ interfaces: [String]) -> [Change] {
    var changes: [Change] = []
    for name in interfaces {
      switch InterfaceName(name) {
      case BlueZName.device:
        guard let device = devices.removeValue(forKey: path) else { continue }
        if device.isConnected { changes.append(.disconnected(device)) }
        changes.append(.vanished(device))
      case BlueZName.gattService, BlueZName.gattCharacteristic, BlueZName.gattDescriptor: attributes[path] = nil
      default: break
      }
    }
    return changes
  }

  private mutating func update(
    _ path: ObjectPath, _ interface: InterfaceName, _ properties: [String: DBusValue], without gone: [String]
  ) -> [Change] {
    switch interface {
    case BlueZName.device:
      guard let before = devices[path] else { return [] }
      var device = before
      let isHeard = device.take(properties, without: gone)
      devices[path] = device
      var changes: [Change] = isHeard ? [.advertised(device)] : []
      if device.isConnected != before.isConnected {
        changes.append(device.isConnected ? .connected(device) : .disconnected(device))
      }
      if device.isResolved, !before.isResolved { changes.append(.resolved(device)) }
      return changes
    case BlueZName.gattCharacteristic:
      guard attributes[path] != nil, let value = properties["Value"]?.byteArray else { return [] }
      return [.value(characteristic: path, value)]
    default: return []
    }
  }
}
