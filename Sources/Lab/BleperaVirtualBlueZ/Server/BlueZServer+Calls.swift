import BleperaAir
import BleperaBlueZProtocol
import BleperaBluetooth
import BleperaDBus
import BleperaHost

/// Dispatches calls from programs to the called object.
extension BlueZServer {
  func receive(_ call: IncomingCall) {
    switch tree.respond(to: call.call) {
    case .reply(let values): reply(call, .success(values))
    case .refuse(let error): refuse(call, asBluetoothd(error, call.call))
    case .set(let change): take(change, call)
    case nil: dispatch(call)
    }
  }

  /// bluetoothd distinguishes fewer errors (`gdbus`, libdbus).
  private func asBluetoothd(_ error: DBusErrorReply, _ call: MethodCall) -> DBusErrorReply {
    if call.interface == .properties, tree.contains(call.path), error.name != .unknownMethod {
      return asProperties(error, call)
    }
    switch error.name {
    case .unknownObject, .unknownInterface, .unknownMethod, .invalidArgs:
      let signature = call.arguments.map(\.type.signature).joined()
      return DBusErrorReply(
        name: error.name == .unknownObject ? .unknownObject : .unknownMethod,
        message: "Method \"\(call.member)\" with signature \"\(signature)\" on interface "
          + "\"\(call.interface?.rawValue ?? "(null)")\" doesn't exist\n")
    default: return error
    }
  }

  private func asProperties(_ error: DBusErrorReply, _ call: MethodCall) -> DBusErrorReply {
    let interface = call.arguments.first?.text ?? ""
    let property = call.arguments.dropFirst().first?.text ?? ""
    let known = InterfaceName(interface).map { tree.contains(call.path, interface: $0) } ?? false
    if !known { return DBusErrorReply(name: .invalidArgs, message: "No such interface '\(interface)'") }
    switch (call.member, error.name) {
    case ("Set", .unknownProperty):
      return DBusErrorReply(name: .unknownProperty, message: "No such property '\(property)'")
    case ("Set", .propertyReadOnly):
      return DBusErrorReply(name: .propertyReadOnly, message: "Property '\(property)' is not writable")
    case ("Set", _):
      return DBusErrorReply(name: .invalidSignature, message: "Invalid signature for '\(property)'")
    default: return DBusErrorReply(name: .invalidArgs, message: "No such property '\(property)'")
    }
  }

  private func dispatch(_ call: IncomingCall) {
    let path = call.call.path
    let arguments = call.call.arguments
    guard let sender = call.sender, let target = try? tree.method(for: call.call) else {
      return refuse(call, .invalidArguments)
    }
    if let adapter = adapter(at: path) {
      switch (target.interface, call.call.member) {
      case (BlueZName.adapter, "StartDiscovery"): startDiscovery(adapter, sender, call)
      case (BlueZName.adapter, "StopDiscovery"): stopDiscovery(adapter, sender, call)
      case (BlueZName.adapter, "SetDiscoveryFilter"): setFilter(arguments[0], of: sender, on: adapter, call)
      case (BlueZName.adapter, "GetDiscoveryFilters"):
        reply(call, .success([.strings(options.behavior.filterKeys)]))
      case (BlueZName.adapter, "RemoveDevice"): removeDevice(adapter, arguments[0].path, call)
      case (BlueZName.gattManager, "RegisterApplication"):
        registerApplication(at: arguments[0].path, of: sender, on: adapter, call)
      case (BlueZName.gattManager, "UnregisterApplication"):
        unregisterApplication(at: arguments[0].path, of: sender, on: adapter, call)
      case (BlueZName.advertisingManager, "RegisterAdvertisement"):
        registerAdvertisement(at: arguments[0].path, of: sender, on: adapter, call)
      case (BlueZName.advertisingManager, "UnregisterAdvertisement"):
        unregisterAdvertisement(at: arguments[0].path, of: sender, on: adapter, call)
      case (BlueZName.monitorManager, "RegisterMonitor"):
        registerMonitors(at: arguments[0].path, of: sender, on: adapter, call)
      case (BlueZName.monitorManager, "UnregisterMonitor"):
        unregisterMonitors(at: arguments[0].path, of: sender, on: adapter, call)
      default: refuse(call, .notSupported)
      }
    } else if let key = devices.first(where: { $0.value.path == path })?.key {
      receive(call, key, sender)
    } else if let attribute = remoteAttributes[path] {
      receive(call, attribute, sender)
    } else if path == BlueZName.root {
      receiveAgentCall(call, sender)
    } else {
      refuse(call, .notSupported)
    }
  }

  /// Applies a Properties.Set whose type and access have been checked.
  private func take(_ change: PropertyChange, _ call: IncomingCall) {
    if let adapter = adapter(at: change.path) {
      switch (change.property, change.value) {
      case ("Powered", .boolean(let isOn)): setPowered(adapter, isOn)
      case ("Discoverable", .boolean(let isOn)):
        guard air.adapters[adapter]?.isPowered == true else { return refuse(call, .failed("Not Powered")) }
        setDiscoverable(adapter, isOn, timeout: tree.value(change.path, BlueZName.adapter, "DiscoverableTimeout"))
      case ("DiscoverableTimeout", let timeout):
        guard adapterStates[adapter]?.isDiscoverable == true else { break }
        setDiscoverable(adapter, true, timeout: timeout)
      case ("Pairable", .boolean(let isOn)): run(.host(adapter, .pairable(isOn)))
      case ("Alias", .string(let alias)):
        let name = alias.isEmpty ? air.adapters[adapter]?.description.name ?? "" : alias
        run(.host(adapter, .name(name)))
        set(change.path, change.interface, "Alias", to: .string(name))
        return reply(call, .success([]))
      default: break
      }
    }
    if change.interface == BlueZName.device, change.property == "Blocked", change.value == .boolean(true),
      let (key, device) = devices.first(where: { $0.value.path == change.path }),
      let connection = device.connection
    {
      run(.host(key.adapter, .disconnect(connection)))
    }
    if let key = devices.first(where: { $0.value.path == change.path })?.key, case .string("") = change.value,
      change.property == "Alias"
    {
      let name = tree.value(change.path, BlueZName.device, "Name")
      set(
        change.path, change.interface, "Alias", to: name ?? .string(key.address.description.replacing(":", with: "-")))
    } else {
      set(change.path, change.interface, change.property, to: change.value)
    }
    reply(call, .success([]))
  }
}
