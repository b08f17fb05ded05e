import BleperaAir
import BleperaBlueZProtocol
import BleperaBluetooth
import BleperaDBus
import BleperaHost

/// Device1: every device that an adapter has discovered or is connected to.
extension BlueZServer {
  /// How long an unused device is kept (main.conf `TemporaryTimeout`).
  private static let temporaryTimeout = Duration.seconds(30)
  /// The minimum change of signal strength that is signaled without a client's filter, in dB (`RSSI_THRESHOLD`).
  private static let rssiThreshold = 8

  /// Returns the object of a device, created if missing; the caller announces a new object.
  private func make(_ key: DeviceKey) -> (path: ObjectPath, isNew: Bool)? {
    if let device = devices[key] { return (device.path, false) }
    guard let adapter = adapterStates[key.adapter]?.path else { return nil }
    let path = adapter.appending(key.address.pathElement)
    // A device that is known by its identity address since it has paired keeps the path of its former address.
    guard !devices.values.contains(where: { $0.path == path }) else { return nil }
    devices[key] = KnownDevice(path: path, lastSeen: now)
    let isBonded = air.hosts[key.adapter]?.isBonded(with: key.address) ?? false
    declare(
      path, .device,
      [
        ("Address", .string(key.address.description)), ("AddressType", .string(key.address.kind)),
        ("Alias", .string(key.address.description.replacing(":", with: "-"))), ("Paired", .boolean(isBonded)),
        ("Trusted", .boolean(false)), ("Blocked", .boolean(false)),
        ("LegacyPairing", .boolean(false)), ("Connected", .boolean(false)), ("UUIDs", .strings([])),
        ("Adapter", .objectPath(adapter)), ("ServicesResolved", .boolean(false)),
      ] + (options.behavior.has(.lacksBonded) ? [] : [("Bonded", .boolean(isBonded))])
        + (options.behavior.has(.lacksCablePairing) ? [] : [("CablePairing", .boolean(false))]))
    return (path, true)
  }

  /// Makes an object of a device that no client wants, without what it advertises.
  func addUnwanted(_ key: DeviceKey) {
    guard let (path, _) = make(key) else { return }
    announce(path)
    expireLater(key)
  }

  /// Applies the data of an advertisement.
  func update(
    _ key: DeviceKey, _ content: AdvertisedContent, _ rssi: Int, signalsStrength: Bool, repeats: Bool
  ) {
    guard let (path, isNew) = make(key) else { return }
    devices[key]?.lastSeen = now
    var values: [(MemberName, DBusValue, Bool)] = []
    if let name = content.name, !name.isEmpty {
      values += [("Name", .string(name), false), ("Alias", .string(name), false)]
    }
    if let appearance = content.appearance { values.append(("Appearance", .uint16(appearance), false)) }
    if let icon = content.appearance?.icon { values.append(("Icon", .string(icon), false)) }
    if let flags = content.flags, options.behavior.isExperimental {
      values.append(("AdvertisingFlags", .bytes([flags.rawValue]), false))
    }
    if let power = content.txPower { values.append(("TxPower", .int16(Int16(clamping: power)), false)) }
    if !content.serviceUUIDs.isEmpty, devices[key]?.services.isEmpty == true {
      values.append(("UUIDs", .strings(content.serviceUUIDs.map(\.longDescription)), false))
    }
    if !content.manufacturerData.isEmpty {
      let entries = content.manufacturerData.sorted { $0.key < $1.key }.map { ($0.key, DBusValue.bytes($0.value)) }
      values.append(("ManufacturerData", .variants(entries), repeats))
    }
    if !content.serviceData.isEmpty {
      let entries = content.serviceData.map { ($0.key.longDescription, DBusValue.bytes($0.value)) }
      values.append(("ServiceData", .properties(entries.sorted { $0.0 < $1.0 }), repeats))
    }
    // In filtered discovery each advertisement is signaled, with an equal strength, too (`device_set_rssi_with_delta`).
    if signalsStrength || devices[key]?.rssi.map({ abs($0 - rssi) >= Self.rssiThreshold }) ?? true {
      devices[key]?.rssi = rssi
      values.append(("RSSI", .int16(Int16(clamping: rssi)), signalsStrength))
    }
    for (name, value, isRepeated) in values {
      if isNew {
        // The value is announced with the object.
        store(path, BlueZName.device, name, to: value)
      } else {
        set(path, BlueZName.device, name, to: value, isRepeated: isRepeated)
      }
    }
    guard isNew else { return }
    announce(path)
    expireLater(key)
  }

  private func expireLater(_ key: DeviceKey) {
    guard let device = devices[key], device.expiry == nil else { return }
    devices[key]?.expiry = later(after: device.lastSeen + Self.temporaryTimeout - now) { $0.expire(key) }
  }

  private func expire(_ key: DeviceKey) {
    devices[key]?.expiry = nil
    guard let device = devices[key], device.isTemporary, device.connection == nil, device.connecting.isEmpty else {
      return
    }
    guard now - device.lastSeen >= Self.temporaryTimeout else { return expireLater(key) }
    forget(key)
  }

  func forget(_ key: DeviceKey) {
    guard let device = devices[key] else { return }
    removeServices(of: key, keeping: [])
    forgetMonitored(key)
    removeObject(device.path)
    devices[key] = nil
  }

  func removeDevice(_ adapter: AdapterID, _ path: ObjectPath?, _ call: IncomingCall) {
    guard let (key, device) = devices.first(where: { $0.value.path == path && $0.key.adapter == adapter }) else {
      return refuse(call, .doesNotExist)
    }
    guard air.adapters[adapter]?.isPowered == true else { return refuse(call, .notReady) }
    run(.host(adapter, .unpair(key.address)))
    run(.linkLayer(adapter, .cancelConnect(key.address)))
    guard let connection = device.connection else {
      forget(key)
      return reply(call, .success([]))
    }
    // The object is removed when the connection has ended.
    devices[key]?.disconnecting.append(call)
    run(.host(adapter, .disconnect(connection)))
  }

  // MARK: Calls

  func receive(_ call: IncomingCall, _ key: DeviceKey, _ sender: BusName) {
    guard let device = devices[key] else { return refuse(call, .doesNotExist) }
    switch call.call.member {
    case "Connect":
      guard air.adapters[key.adapter]?.isPowered == true else { return refuse(call, .failed("Input/output error")) }
      guard device.connection == nil else { return reply(call, .success([])) }
      guard device.connecting.isEmpty else {
        let isKnown = !options.behavior.has(.failsSecondConnect)
        return refuse(call, isKnown ? .inProgress : .failed("Operation already in progress"))
      }
      devices[key]?.connecting.append(call)
      // A blocked device never connects.
      guard tree.value(device.path, BlueZName.device, "Blocked") != .boolean(true) else { return }
      connect(key)
    case "Disconnect":
      if let connection = device.connection {
        devices[key]?.disconnecting.append(call)
        run(.host(key.adapter, .disconnect(connection)))
      } else if !device.connecting.isEmpty {
        run(.linkLayer(key.adapter, .cancelConnect(key.address)))
        connectFailed(key, options.behavior.cancelError)
        reply(call, .success([]))
      } else {
        reply(call, .success([]))
      }
    case "Pair": pair(key, sender, call)
    case "CancelPairing":
      guard let connection = device.connection, !device.pairing.isEmpty else { return refuse(call, .doesNotExist) }
      run(.host(key.adapter, .cancelPairing(connection)))
      reply(call, .success([]))
    default: refuse(call, .bluez("NotAvailable", "Operation currently not available"))
    }
  }

  /// How long bluetoothd and the kernel try to connect to a device (measured).
  private static let connectTimeout = Duration.seconds(40)

  private func connect(_ key: DeviceKey) {
    devices[key]?.connectLimit = later(after: Self.connectTimeout) { this in
      this.run(.linkLayer(key.adapter, .cancelConnect(key.address)))
      this.connectFailed(key)
    }
    run(.linkLayer(key.adapter, .connect(key.address)))
  }

  func connectFailed(_ key: DeviceKey, _ cause: String? = nil) {
    let calls = devices[key]?.connecting ?? []
    devices[key]?.connecting = []
    devices[key]?.connectLimit = nil
    for call in calls {
      refuse(
        call,
        call.call.member == "Pair"
          ? .bluez("ConnectionAttemptFailed", "Page Timeout") : .failed(cause ?? options.behavior.goneError))
    }
  }

  func connected(_ id: ConnectionID, _ opening: LinkOpening, at adapter: AdapterID) {
    guard let peer = air.hosts[adapter]?.links[id]?.peer else { return }
    let isServer = !opening.isCentral
    if isServer { pauseAdvertising(of: adapter, for: id) }
    let key = DeviceKey(adapter: adapter, address: isServer ? peer : opening.wanted)
    guard let (path, isNew) = make(key) else { return }
    devices[key]?.connection = id
    devices[key]?.isServer = isServer
    devices[key]?.lastSeen = now
    if isNew {
      store(path, BlueZName.device, "Connected", to: .boolean(true))
      announce(path)
    } else {
      set(path, BlueZName.device, "Connected", to: .boolean(true))
    }
    let calls = devices[key]?.connecting ?? []
    devices[key]?.connecting = []
    devices[key]?.connectLimit = nil
    for call in calls {
      if call.call.member == "Pair", let sender = call.sender {
        pair(key, sender, call)
      } else {
        reply(call, .success([]))
      }
    }
    if !isServer { beginClient(of: key, over: id) }
  }

  func disconnected(_ id: ConnectionID) {
    pairingCallers[id] = nil
    resumeAdvertising(after: id)
    for (key, device) in devices.sorted(by: { $0.key < $1.key }) where device.connection == id {
      devices[key]?.connection = nil
      devices[key]?.disconnecting = []
      devices[key]?.lastSeen = now
      endSessions(of: key)
      devices[key]?.remote.accepted = []
      // A reply comes after the changes so far; without one both properties are in one signal
      // (`device_remove_connection`).
      set(device.path, BlueZName.device, "ServicesResolved", to: .boolean(false))
      let repliesFirst = options.behavior.has(.repliesBeforeDisconnected)
      if repliesFirst { replyToDisconnecting(device) }
      set(device.path, BlueZName.device, "Connected", to: .boolean(false))
      if !repliesFirst { replyToDisconnecting(device) }
      if device.disconnecting.contains(where: { $0.call.member == "RemoveDevice" }) {
        forget(key)
      } else if device.isTemporary {
        expireLater(key)
      }
    }
    flush()
  }

  private func replyToDisconnecting(_ device: KnownDevice) {
    for call in device.disconnecting { reply(call, .success([])) }
  }

  // MARK: Pairing

  private func pair(_ key: DeviceKey, _ sender: BusName, _ call: IncomingCall) {
    guard let device = devices[key] else { return refuse(call, .doesNotExist) }
    guard air.hosts[key.adapter]?.isBonded(with: key.address) != true else {
      // Earlier releases pair a device that is bonded over LE over BR/EDR, which the device does not have (measured).
      return refuse(
        call,
        options.behavior.has(.pairsBondedOverClassic)
          ? .bluez("AuthenticationFailed", "Authentication Failed") : .alreadyExists)
    }
    guard air.adapters[key.adapter]?.isPowered == true else { return refuse(call, .notReady) }
    guard device.pairing.isEmpty else { return refuse(call, .inProgress) }
    guard let connection = device.connection else {
      guard device.connecting.isEmpty else { return refuse(call, .inProgress) }
      devices[key]?.connecting.append(call)
      return connect(key)
    }
    devices[key]?.pairing.append(call)
    pairingCallers[connection] = sender
    if options.behavior.has(.pairsWithCallersCapability) {
      run(.host(key.adapter, .capability(capability(for: sender))))
    }
    let pair = { (operation: OperationID) in AirEvent.host(key.adapter, .pair(connection, operation)) }
    operate(for: key.adapter, pair) { this, result in
      // A device that is now bonded may have another key.
      for (key, device) in this.devices where device.connection == connection { this.devices[key]?.pairing = [] }
      this.devices[key]?.pairing = []
      this.pairingCallers[connection] = nil
      this.shareCapability()
      switch result {
      case .success: this.reply(call, .success([]))
      case .failure(let failure): this.refuse(call, DBusErrorReply(failure))
      }
    }
  }

  func paired(_ id: ConnectionID, _ adapter: AdapterID) {
    for (oldKey, device) in devices.sorted(by: { $0.key < $1.key })
    where oldKey.adapter == adapter && device.connection == id {
      let key = identify(oldKey, over: id)
      devices[key]?.isTemporary = false
      if !options.behavior.has(.lacksBonded) { set(device.path, BlueZName.device, "Bonded", to: .boolean(true)) }
      set(device.path, BlueZName.device, "Paired", to: .boolean(true))
    }
    flush()
  }

  /// With the keys of a device that uses private addresses, bluetoothd also receives its identity address, by which the
  /// device is then known; the path of the object stays (`new_irk_callback` in BlueZ's src/adapter.c).
  ///
  /// - Returns: the device's key from now on.
  private func identify(_ key: DeviceKey, over id: ConnectionID) -> DeviceKey {
    guard let link = air.hosts[key.adapter]?.links[id], link.isCentral, link.peer != key.address else { return key }
    let identity = link.peer
    let known = DeviceKey(adapter: key.adapter, address: identity)
    forget(known)
    guard var device = devices.removeValue(forKey: key) else { return key }
    device.expiry = nil
    devices[known] = device
    for path in remoteAttributes.keys where remoteAttributes[path]?.device == key {
      remoteAttributes[path]?.device = known
    }
    set(device.path, BlueZName.device, "Address", to: .string(identity.description))
    set(device.path, BlueZName.device, "AddressType", to: .string(identity.kind))
    return known
  }
}
