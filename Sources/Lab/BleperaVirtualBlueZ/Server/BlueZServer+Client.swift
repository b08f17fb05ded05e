import BleperaAir
import BleperaBlueZProtocol
import BleperaBluetooth
import BleperaDBus
import BleperaHost

/// The requests of bluetoothd to a connected device, before and beside those of programs (src/shared/gatt-client.c, and
/// the plugins in profiles: gap, deviceinfo, battery). All requests wait in one queue.
extension BlueZServer {
  /// The peripheral of a connection; nil unless an adapter of the server is the central.
  func peripheral(_ id: ConnectionID) -> DeviceKey? {
    devices.first { $0.value.connection == id && !$0.value.isServer }?.key
  }

  /// Uses the services of an earlier connection before they are compared.
  func beginClient(of key: DeviceKey, over id: ConnectionID) {
    guard let remote = devices[key]?.remote else { return }
    devices[key]?.remote.isExchangingMTU = true
    run(.host(key.adapter, .exchangeMTU(id, knowing: remote.services)))
    accept(remote.services, of: key, over: id)
    resumeSessions(of: key, over: id)
  }

  func mtuExchanged(over id: ConnectionID) {
    guard let key = peripheral(id), let remote = devices[key]?.remote, remote.isExchangingMTU else { return }
    devices[key]?.remote.isExchangingMTU = false
    if remote.features == nil {
      operate(id, .readByType(AttributeTypes.serverFeatures)) { this, result in
        if let value = try? result.get(), let key = this.peripheral(id) {
          this.devices[key]?.remote.features = value.first
        }
      }
    }
    guard remote.services.characteristic(AttributeTypes.databaseHash) != nil else {
      return run(.host(key.adapter, .discover(id)))
    }
    readHash(over: id) { this, isEqual in
      if isEqual { this.clientReady(over: id) } else { this.run(.host(key.adapter, .discover(id))) }
    }
  }

  private func readHash(
    over id: ConnectionID, _ completion: @escaping @Sendable (isolated BlueZServer, _ isEqual: Bool) -> Void
  ) {
    operate(id, .readByType(AttributeTypes.databaseHash)) { this, result in
      guard let key = this.peripheral(id) else { return }
      let hash = try? result.get()
      let isEqual = hash != nil && hash == this.devices[key]?.remote.hash
      this.devices[key]?.remote.hash = hash
      completion(this, isEqual)
    }
  }

  /// The hash is read after a discovery, where it was not before.
  func discovered(over id: ConnectionID) {
    guard let key = peripheral(id), let services = air.hosts[key.adapter]?.links[id]?.services,
      services.characteristic(AttributeTypes.databaseHash) != nil,
      devices[key]?.remote.services.characteristic(AttributeTypes.databaseHash) == nil
    else { return clientReady(over: id) }
    readHash(over: id) { this, _ in this.clientReady(over: id) }
  }

  private func clientReady(over id: ConnectionID) {
    guard let key = peripheral(id), let services = air.hosts[key.adapter]?.links[id]?.services else { return }
    if let features = services.characteristic(AttributeTypes.clientFeatures) {
      // Robust Caching, Multiple Handle Value Notifications, and EATT where the server has it.
      let value = 0b101 | ((devices[key]?.remote.features ?? 0) & 1) << 1
      operate(id, .write(features.value, [value])) { _, _ in }
    }
    guard let descriptor = services.characteristic(AttributeTypes.serviceChanged)?.clientConfiguration else {
      return servicesResolved(id, changed: nil)
    }
    // Resolved when the device reports changes (`service_changed_register_cb`).
    operate(id, .write(descriptor, [2, 0])) { this, _ in
      this.servicesResolved(id, changed: nil)
    }
  }

  // MARK: Plugins

  func accept(_ services: [RemoteService], of key: DeviceKey, over id: ConnectionID) {
    guard let device = devices[key] else { return }
    devices[key]?.remote.accepted = services
    let new = services.filter { !device.remote.accepted.contains($0) }
    for plugin in [AttributeTypes.genericAccess, AttributeTypes.deviceInformation, AttributeTypes.batteryService] {
      for characteristic in new.first(where: { $0.uuid == plugin })?.characteristics ?? [] {
        ask(characteristic, of: device.path, over: id)
      }
    }
  }

  private func ask(_ characteristic: RemoteCharacteristic, of path: ObjectPath, over id: ConnectionID) {
    let use: @Sendable (isolated BlueZServer, [UInt8]) -> Void
    switch characteristic.uuid {
    case AttributeTypes.deviceName:
      use = { this, value in
        let name = LocalName.received(value)
        guard !name.isEmpty else { return }
        this.set(path, BlueZName.device, "Name", to: .string(name))
        this.set(path, BlueZName.device, "Alias", to: .string(name))
      }
    case AttributeTypes.appearance where tree.value(path, BlueZName.device, "Appearance") == nil:
      use = { this, value in
        guard value.count == 2, value != [0, 0] else { return }
        let appearance: UInt16 = LittleEndian.number(value[...])
        this.set(path, BlueZName.device, "Appearance", to: .uint16(appearance))
        if let icon = appearance.icon { this.set(path, BlueZName.device, "Icon", to: .string(icon)) }
      }
    case AttributeTypes.pnpID:
      use = { this, value in
        guard value.count == 7 else { return }
        let numbers = [1, 3, 5].map { Hex.string([value[$0 + 1], value[$0]]) }
        let modalias = "\(value[0] == 2 ? "usb" : "bluetooth"):v\(numbers[0])p\(numbers[1])d\(numbers[2])"
        this.set(path, BlueZName.device, "Modalias", to: .string(modalias))
      }
    case AttributeTypes.batteryLevel:
      use = { this, _ in
        guard let descriptor = characteristic.clientConfiguration else { return }
        this.operate(id, .write(descriptor, [1, 0])) { _, _ in }
      }
    default: return
    }
    operate(id, .read(characteristic.value)) { this, result in
      if let value = try? result.get(), !value.isEmpty, this.peripheral(id) != nil { use(this, value) }
    }
  }
}
