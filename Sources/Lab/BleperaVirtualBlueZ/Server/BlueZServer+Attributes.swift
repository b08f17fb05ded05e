import BleperaAir
import BleperaBlueZProtocol
import BleperaBluetooth
import BleperaDBus
import BleperaHost

/// The attributes of a connected device as objects (BlueZ src/gatt-client.c).
extension BlueZServer {
  /// Generic Access belongs to bluetoothd's own plugin.
  private static let claimed: Set<BluetoothUUID> = [AttributeTypes.genericAccess]

  /// - Parameter changed: the handles of Service Changed, if that is the cause: a service that was published again has
  ///   new objects, though it is equal; at a connection bluetoothd keeps what is equal (measured).
  func servicesResolved(_ id: ConnectionID, changed: ClosedRange<AttributeHandle>?) {
    guard let key = peripheral(id), let link = air.hosts[key.adapter]?.links[id], let device = devices[key] else {
      return
    }
    devices[key]?.remote.services = link.services
    discoveries += 1
    let isFailure = discoveries <= options.failingDiscoveries
    let services =
      isFailure
      ? []
      : link.services.filter {
        !options.behavior.has(.hidesClaimedServices) || !Self.claimed.contains($0.uuid)
      }
    let known = (devices[key]?.services ?? []).filter { old in
      services.contains(old) && changed?.overlaps(old.range) != true
    }
    removeServices(of: key, keeping: known)
    devices[key]?.services = services
    for service in services where !known.contains(service) { add(service, of: key, at: device.path, mtu: link.mtu) }
    set(
      device.path, BlueZName.device, "UUIDs",
      to: .strings(link.services.filter(\.isPrimary).map(\.uuid.longDescription)))
    set(device.path, BlueZName.device, "ServicesResolved", to: .boolean(true))
    accept(link.services, of: key, over: id)
    flush()
  }

  func removeServices(of key: DeviceKey, keeping services: [RemoteService]) {
    guard let device = devices[key] else { return }
    for service in device.services where !services.contains(service) {
      let root = Self.path(service, device.path)
      for path in remoteAttributes.keys.sorted().reversed() where path == root || root.isAncestor(of: path) {
        sessions[path] = nil
        writers[path] = nil
        remoteAttributes[path] = nil
        removeObject(path)
      }
    }
    devices[key]?.services.removeAll { !services.contains($0) }
  }

  private static func path(_ service: RemoteService, _ device: ObjectPath) -> ObjectPath {
    device.appending("service" + digits(service.range.lowerBound))
  }

  private static func digits(_ handle: AttributeHandle) -> String {
    String(Hex.string([UInt8(handle.rawValue >> 8), UInt8(handle.rawValue & 0xFF)], uppercase: false))
  }

  private func handle(_ handle: AttributeHandle) -> [(String, DBusValue)] {
    options.behavior.has(.lacksHandles) ? [] : [("Handle", .uint16(handle.rawValue))]
  }

  private func add(_ service: RemoteService, of key: DeviceKey, at device: ObjectPath, mtu: Int) {
    let path = Self.path(service, device)
    remoteAttributes[path] = RemoteAttribute(device: key, kind: .service)
    declare(
      path, .remoteService,
      [
        ("UUID", .string(service.uuid.longDescription)), ("Device", .objectPath(device)),
        ("Primary", .boolean(service.isPrimary)),
        ("Includes", .paths(service.includes.map { device.appending("service" + Self.digits($0)) })),
      ] + handle(service.range.lowerBound))
    announce(path)
    for characteristic in service.characteristics {
      let characteristicPath = path.appending("char" + Self.digits(characteristic.declaration))
      remoteAttributes[characteristicPath] = RemoteAttribute(device: key, kind: .characteristic(characteristic))
      var properties: [(String, DBusValue)] = [
        ("UUID", .string(characteristic.uuid.longDescription)), ("Service", .objectPath(path)),
        ("Value", .bytes([])),
        (
          "Flags",
          .strings(
            AttributeFlags.names(
              ofProperties: characteristic.properties, extended: characteristic.extendedProperties))
        ),
      ]
      if !options.behavior.has(.lacksMTU) { properties.append(("MTU", .uint16(UInt16(clamping: mtu)))) }
      properties += handle(characteristic.declaration)
      let flags = AttributeFlags(rawValue: UInt32(characteristic.properties))
      if flags.isSubscribable {
        properties.append(("Notifying", .boolean(false)))
      }
      if flags.contains(.notify) { properties.append(("NotifyAcquired", .boolean(false))) }
      if flags.contains(.writeWithoutResponse) { properties.append(("WriteAcquired", .boolean(false))) }
      declare(characteristicPath, .remoteCharacteristic, properties)
      announce(characteristicPath)
      for descriptor in characteristic.descriptors {
        let descriptorPath = characteristicPath.appending("desc" + Self.digits(descriptor.handle))
        remoteAttributes[descriptorPath] = RemoteAttribute(device: key, kind: .descriptor(descriptor))
        declare(
          descriptorPath, .remoteDescriptor,
          [
            ("UUID", .string(descriptor.uuid.longDescription)),
            ("Characteristic", .objectPath(characteristicPath)), ("Value", .bytes([])),
          ] + handle(descriptor.handle))
        announce(descriptorPath)
      }
    }
  }

  // MARK: Calls

  func receive(_ call: IncomingCall, _ attribute: RemoteAttribute, _ sender: BusName) {
    let path = call.call.path
    if case .characteristic(let characteristic) = attribute.kind {
      switch call.call.member {
      case "StartNotify":
        return startNotify(
          characteristic, at: path, over: devices[attribute.device]?.connection, for: sender, call)
      case "StopNotify": return stopNotify(path, sender, call)
      default: break
      }
    }
    guard let connection = devices[attribute.device]?.connection, let handle = attribute.handle else {
      return refuse(call, .failed("Not connected"))
    }
    let arguments = call.call.arguments
    switch (call.call.member, attribute.kind) {
    case ("ReadValue", _):
      guard let options = arguments[0].asProperties, let offset = Self.offset(options) else {
        return refuse(call, .invalidArguments)
      }
      // A read in progress serves all callers (measured).
      if let reading = reads[path] {
        guard reading.offset == offset else { return refuse(call, .inProgress) }
        reads[path]?.calls.append(call)
        return
      }
      reads[path] = (offset, [call])
      let filled = self.options.behavior.has(.fillsReadOffset) ? offset : 0
      operate(connection, .read(handle, offset: offset)) { this, result in
        let result = result.map { Array(repeating: 0, count: filled) + $0 }
        let calls = this.reads.removeValue(forKey: path)?.calls ?? []
        if case .success(let value) = result {
          this.set(path, Self.interface(attribute), "Value", to: .bytes(value), isRepeated: true)
        }
        for call in calls {
          this.reply(call, result.map { [.bytes($0)] }.mapError { DBusErrorReply($0) })
        }
      }
    case ("WriteValue", _):
      guard let options = arguments[1].asProperties, let value = arguments[0].byteArray else {
        return refuse(call, .invalidArguments)
      }
      guard writers[path] == nil else { return refuse(call, .notPermitted("Write acquired")) }
      do throws(DBusErrorReply) {
        let operation = try operation(writing: value, to: handle, of: attribute, options, over: connection)
        if case .command = operation { return finish(connection, operation, call) }
        guard writesUnderWay.insert(path).inserted else { throw .inProgress }
        finish(connection, operation, call)
      } catch {
        refuse(call, error)
      }
    case ("AcquireNotify", .characteristic(let characteristic)):
      acquireNotify(characteristic, at: path, over: connection, for: sender, call)
    case ("AcquireWrite", .characteristic(let characteristic)):
      acquireWrite(characteristic, at: path, over: connection, call)
    default: refuse(call, .notSupported)
    }
  }

  private static func interface(_ attribute: RemoteAttribute) -> InterfaceName {
    if case .descriptor = attribute.kind { return BlueZName.gattDescriptor }
    return BlueZName.gattCharacteristic
  }

  func finish(_ connection: ConnectionID, _ operation: GATTProcedure, _ call: IncomingCall) {
    operate(connection, operation) { this, result in
      if case .write = operation { this.writesUnderWay.remove(call.call.path) }
      switch result {
      case .success: this.reply(call, .success([]))
      case .failure(let failure): this.refuse(call, DBusErrorReply(failure))
      }
    }
  }

  /// Nil for an offset that is not a uint16.
  private static func offset(_ options: [String: DBusValue]) -> Int? {
    switch options["offset"] {
    case nil: 0
    case .uint16(let offset)?: Int(offset)
    default: nil
    }
  }

  /// The request that the options select, or by default the properties of the characteristic.
  private func operation(
    writing value: [UInt8], to handle: AttributeHandle, of attribute: RemoteAttribute, _ options: [String: DBusValue],
    over connection: ConnectionID
  ) throws(DBusErrorReply) -> GATTProcedure {
    guard let offset = Self.offset(options) else { throw .invalidArguments }
    let type = options["type"]?.text
    guard case .characteristic(let characteristic) = attribute.kind else {
      if case .descriptor(let descriptor) = attribute.kind,
        descriptor.uuid == DescriptorDefinition.clientCharacteristicConfiguration
      {
        // Clients must use StartNotify and StopNotify.
        throw .notPermitted("Write not permitted")
      }
      return .write(handle, value, offset: offset)
    }
    let flags = AttributeFlags(rawValue: UInt32(characteristic.properties))
    // A given type overrides the properties; without a type the properties decide (`characteristic_write_value`).
    let isReliable = characteristic.extendedProperties & 1 != 0
    if type == "reliable" || type == nil && isReliable {
      return .write(handle, value, offset: offset, isReliable: true)
    }
    if type == "request" || type == nil && flags.contains(.write) {
      return .write(handle, value, offset: offset)
    }
    guard type == "command" || type == nil && flags.contains(.writeWithoutResponse) else { throw .notSupported }
    guard value.count <= mtu(of: connection) - 3 else {
      throw .failed("Failed to initiate write")
    }
    return .command(handle, value)
  }
}

/// The attribute that an object of a connected device represents.
struct RemoteAttribute: Sendable {
  enum Kind: Sendable {
    case service
    case characteristic(RemoteCharacteristic)
    case descriptor(RemoteDescriptor)
  }

  var device: DeviceKey
  let kind: Kind

  /// The handle of the attribute's value; nil for a service.
  var handle: AttributeHandle? {
    switch kind {
    case .service: nil
    case .characteristic(let characteristic): characteristic.value
    case .descriptor(let descriptor): descriptor.handle
    }
  }
}
