import BleperaBlueZProtocol
package import BleperaBluetooth
package import BleperaDBus

/// bluetoothd's adapters, devices and attributes as a central sees them, kept up to date by bluetoothd's signals.
package struct CentralInventory: Hashable, Sendable {
  package enum Change: Hashable, Sendable {
    /// An adapter was added, removed or changed.
    case adapters
    case appeared(FoundDevice)
    /// bluetoothd reports an advertisement; carries all known properties of the device.
    case advertised(FoundDevice)
    /// bluetoothd has removed the device.
    case vanished(FoundDevice)
    case connected(FoundDevice)
    /// The device's services can be used.
    case resolved(FoundDevice)
    case disconnected(FoundDevice)
    /// Services were added or removed.
    case servicesChanged(device: ObjectPath)
    /// A characteristic's value has arrived in a notification or a read response.
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
    var mtu: Int?
  }

  package init() {}

  /// - Parameter managedObjects: the result of GetManagedObjects of org.bluez.
  package init(managedObjects: DBusValue) {
    for change in ObjectChange.added(managedObjects: managedObjects) { _ = apply(change) }
  }

  /// The adapter of that name; without a name the first powered adapter, otherwise the first adapter.
  package func adapter(named name: String?) -> Adapter? { base.adapter(named: name) }

  /// The devices, in the order of their paths.
  var sortedDevices: [FoundDevice] { devices.values.sorted { $0.path < $1.path } }

  /// The services of a connected device with their contents, in the order of their handles.
  package func services(of device: ObjectPath) -> [FoundService] {
    children(of: device, BlueZName.gattService).map { path, service in
      FoundService(
        path: path, uuid: service.uuid, isPrimary: service.isPrimary, includedServices: service.includes,
        characteristics: children(of: path, BlueZName.gattCharacteristic).map { path, characteristic in
          FoundCharacteristic(
            path: path, uuid: characteristic.uuid, properties: CharacteristicProperties(flags: characteristic.flags),
            mtu: characteristic.mtu,
            descriptors: children(of: path, BlueZName.gattDescriptor).map { path, descriptor in
              FoundDescriptor(path: path, uuid: descriptor.uuid)
            })
        })
    }
  }

  /// Paths end with the handle in four digits, so their order is the order of handles.
  private func children(of parent: ObjectPath, _ interface: InterfaceName) -> [(ObjectPath, Attribute)] {
    attributes.filter { $0.key.parent == parent && $0.value.interface == interface }.sorted { $0.key < $1.key }
      .map { ($0.key, $0.value) }
  }

  /// Applies a signal of org.bluez; other signals have no effect.
  package mutating func apply(_ signal: Signal) -> [Change] {
    if signal.interface == BlueZName.device, signal.member == "Disconnected" {
      devices[signal.path]?.disconnectionReason = signal.arguments.first?.text
    }
    return ObjectChange.changes(of: signal).flatMap { apply($0) }
  }

  private mutating func apply(_ change: ObjectChange) -> [Change] {
    let isOfAdapters = base.apply(change).contains(.adapters)
    let changes =
      switch change {
      case .added(let path, let interface, let properties): add(path, interface, properties)
      case .changed(let path, let interface, let properties, let invalidated):
        update(path, interface, properties, without: invalidated)
      case .removed(let path, let interface): remove(path, interface)
      }
    return (isOfAdapters ? [.adapters] : []) + changes
  }

  private mutating func add(
    _ path: ObjectPath, _ interface: InterfaceName, _ properties: [String: DBusValue]
  ) -> [Change] {
    switch interface {
    case BlueZName.device:
      var device = FoundDevice(path: path)
      _ = device.take(properties)
      devices[path] = device
      return [.appeared(device)] + (device.isConnected ? [.connected(device)] : [])
        + (device.isConnected && device.isResolved ? [.resolved(device)] : [])
    case BlueZName.gattService, BlueZName.gattCharacteristic, BlueZName.gattDescriptor:
      guard let uuid = properties["UUID"]?.text.flatMap({ BluetoothUUID($0) }) else { return [] }
      attributes[path] = Attribute(
        interface: interface, uuid: uuid.shortened, isPrimary: properties["Primary"]?.bool ?? true,
        includes: properties["Includes"]?.pathArray ?? [], flags: properties["Flags"]?.stringArray ?? [],
        mtu: properties["MTU"]?.unsigned.map { Int(clamping: $0) })
      return changes(ofServiceAt: path, interface)
    default: return []
    }
  }

  private mutating func remove(_ path: ObjectPath, _ interface: InterfaceName) -> [Change] {
    switch interface {
    case BlueZName.device:
      guard let device = devices.removeValue(forKey: path) else { return [] }
      return (device.isConnected ? [.disconnected(device)] : []) + [.vanished(device)]
    case BlueZName.gattService, BlueZName.gattCharacteristic, BlueZName.gattDescriptor:
      attributes[path] = nil
      return changes(ofServiceAt: path, interface)
    default: return []
    }
  }

  private func changes(ofServiceAt path: ObjectPath, _ interface: InterfaceName) -> [Change] {
    guard interface == BlueZName.gattService, let device = path.parent else { return [] }
    return [.servicesChanged(device: device)]
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
      if device.isConnected, !before.isConnected { devices[path]?.disconnectionReason = nil }
      if device.isConnected != before.isConnected {
        changes.append(device.isConnected ? .connected(device) : .disconnected(device))
      }
      if device.isResolved, !before.isResolved { changes.append(.resolved(device)) }
      return changes
    case BlueZName.gattCharacteristic:
      if let mtu = properties["MTU"]?.unsigned { attributes[path]?.mtu = Int(clamping: mtu) }
      guard attributes[path] != nil, let value = properties["Value"]?.byteArray else { return [] }
      return [.value(characteristic: path, value)]
    default: return []
    }
  }
}

/// A service of a connected device.
package struct FoundService: Hashable, Sendable {
  package let path: ObjectPath
  package let uuid: BluetoothUUID
  package let isPrimary: Bool
  package let includedServices: [ObjectPath]
  /// In the order of their handles.
  package let characteristics: [FoundCharacteristic]
}

/// A characteristic of a connected device.
package struct FoundCharacteristic: Hashable, Sendable {
  package let path: ObjectPath
  package let uuid: BluetoothUUID
  package let properties: CharacteristicProperties
  /// The ATT_MTU of the connection, in bytes; nil before 5.62.
  package let mtu: Int?
  /// In the order of their handles.
  package let descriptors: [FoundDescriptor]
}

/// A descriptor of a connected device.
package struct FoundDescriptor: Hashable, Sendable {
  package let path: ObjectPath
  package let uuid: BluetoothUUID
}
