import DBus

/// Calls of programs, to the object that they name.
extension BlueZServer {
  func receive(_ call: IncomingCall) {
    switch tree.respond(to: call.call) {
    case .reply(let values): reply(call, .success(values))
    case .refuse(let error): refuse(call, asBluetoothd(error, call.call))
    case .set(let change): take(change, call)
    case nil: dispatch(call)
    }
  }

  /// bluetoothd knows fewer kinds of fault (`gdbus`, libdbus).
  private func asBluetoothd(_ error: DBusErrorReply, _ call: MethodCall) -> DBusErrorReply {
    switch error.name {
    case .unknownObject, .unknownInterface, .unknownMethod, .invalidArgs:
      guard call.interface != .properties else { return error }
      let signature = call.arguments.map(\.type.signature).joined()
      return DBusErrorReply(
        name: error.name == .unknownObject ? .unknownObject : .unknownMethod,
        message: "Method \"\(call.member)\" with signature \"\(signature)\" on interface "
          + "\"\(call.interface?.rawValue ?? "(null)")\" doesn't exist\n")
    default: return error
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
      case (BluezNames.adapter, "StartDiscovery"): startDiscovery(adapter, sender, call)
      case (BluezNames.adapter, "StopDiscovery"): stopDiscovery(adapter, sender, call)
      case (BluezNames.adapter, "SetDiscoveryFilter"): setFilter(adapter, sender, arguments[0], call)
      case (BluezNames.adapter, "GetDiscoveryFilters"):
        let names = ["UUIDs", "RSSI", "Pathloss", "Transport", "DuplicateData", "Discoverable", "Pattern"]
        reply(call, .success([.strings(names)]))
      case (BluezNames.adapter, "RemoveDevice"): removeDevice(adapter, arguments[0].path, call)
      case (BluezNames.gattManager, "RegisterApplication"):
        registerApplication(adapter, sender, arguments[0].path, call)
      case (BluezNames.gattManager, "UnregisterApplication"):
        unregisterApplication(adapter, sender, arguments[0].path, call)
      case (BluezNames.advertisingManager, "RegisterAdvertisement"):
        registerAdvertisement(adapter, sender, arguments[0].path, call)
      case (BluezNames.advertisingManager, "UnregisterAdvertisement"):
        unregisterAdvertisement(adapter, sender, arguments[0].path, call)
      default: refuse(call, .notSupported)
      }
    } else if let key = devices.first(where: { $0.value.path == path })?.key {
      receive(call, key, sender)
    } else if let attribute = remoteAttributes[path] {
      receive(call, attribute, sender)
    } else if path == BluezNames.root {
      receiveAgentCall(call, sender)
    } else {
      refuse(call, .notSupported)
    }
  }

  /// Properties.Set, whose type and access are checked.
  private func take(_ change: PropertyChange, _ call: IncomingCall) {
    if let adapter = adapter(at: change.path) {
      switch (change.property, change.value) {
      case ("Powered", .boolean(let isOn)): setPowered(adapter, isOn)
      case ("Discoverable", .boolean(let isOn)):
        guard air.adapters[adapter]?.isPowered == true else { return refuse(call, .failed("Not Powered")) }
        run(.set(adapter, .discoverable(isOn)))
      case ("Pairable", .boolean(let isOn)): run(.set(adapter, .pairable(isOn)))
      case ("Alias", .string(let alias)):
        let name = alias.isEmpty ? air.adapters[adapter]?.description.name ?? "" : alias
        run(.set(adapter, .alias(name)))
        set(change.path, change.interface, "Alias", .string(name))
        return reply(call, .success([]))
      default: break
      }
    }
    set(change.path, change.interface, change.property, change.value)
    reply(call, .success([]))
  }
}
