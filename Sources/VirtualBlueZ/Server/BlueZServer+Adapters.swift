import GATT
import DBus

/// Adapter1: power, and looking for devices.
extension BlueZServer {
  func adapter(at path: ObjectPath) -> AdapterID? { adapterStates.first { $0.value.path == path }?.key }

  func addAdapter(_ id: AdapterID, _ description: AdapterDescription) {
    run(.added(id, description))
    let path = BluezNames.root.appending(id.description)
    adapterStates[id] = AdapterState(path: path)
    let behavior = options.behavior
    let minor = String(behavior.minor, radix: 16, uppercase: true)
    var own: [(String, DBusValue)] = [
      ("Address", .string(description.address.description)), ("AddressType", .string(description.address.kind)),
      ("Name", .string(description.name)), ("Alias", .string(description.name)), ("Class", .uint32(0)),
      ("Powered", .boolean(description.isPowered)), ("Discoverable", .boolean(false)),
      ("DiscoverableTimeout", .uint32(180)), ("Pairable", .boolean(true)), ("PairableTimeout", .uint32(0)),
      ("Discovering", .boolean(false)), ("UUIDs", .strings(uuids(of: id))),
      ("Modalias", .string("usb:v1D6Bp0246d05" + (minor.count < 2 ? "0" : "") + minor)),
      ("Roles", .strings(description.isCentral ? ["central", "peripheral"] : ["peripheral"])),
    ]
    if behavior.isExperimental { own.append(("PowerState", .string(description.isPowered ? "on" : "off"))) }
    declare(path, .adapter, own)
    declare(path, .gattManager)
    var properties: [(String, DBusValue)] = [
      ("ActiveInstances", .byte(0)),
      ("SupportedInstances", .byte(UInt8(clamping: description.advertisementLimit))),
      ("SupportedIncludes", .strings(["tx-power", "appearance", "local-name"])),
      ("SupportedSecondaryChannels", .strings(["1M", "2M", "Coded"])),
    ]
    if behavior.hasCapabilities {
      properties.append(("SupportedFeatures", .strings(["CanSetTxPower"])))
      properties.append(
        (
          "SupportedCapabilities",
          .properties([
            ("MaxAdvLen", .byte(251)), ("MaxScnRspLen", .byte(251)), ("MinTxPower", .int16(-34)),
            ("MaxTxPower", .int16(7)),
          ])
        ))
    }
    declare(path, .advertisingManager, properties)
  }

  func uuids(of adapter: AdapterID) -> [String] {
    (air.adapters[adapter]?.database.remoteServices ?? []).map(\.uuid.longDescription)
  }

  func setPowered(_ adapter: AdapterID, _ isOn: Bool) {
    guard let path = adapterStates[adapter]?.path else { return }
    // Devices without a bond are forgotten, but for those that are connected at that moment (measured).
    let forgotten = devices.filter {
      !isOn && $0.key.adapter == adapter && $0.value.isTemporary && $0.value.connection == nil
    }
    run(.set(adapter, .powered(isOn)))
    setPower(path, isOn)
    for key in forgotten.keys.sorted() { forget(key) }
  }

  /// For so many seconds; 0 is for ever.
  func setDiscoverable(_ adapter: AdapterID, _ isOn: Bool, timeout: DBusValue?) {
    run(.set(adapter, .discoverable(isOn)))
    let turn = nextNumber()
    adapterStates[adapter]?.discoverableTurn = turn
    guard isOn, let seconds = timeout?.unsigned, seconds > 0 else { return }
    discoverableEnds.add((adapter, turn), at: now + .seconds(Int(seconds)))
    run(.tick)
  }

  func endDiscoverable(_ adapter: AdapterID, turn: Int) {
    guard let state = adapterStates[adapter], state.discoverableTurn == turn else { return }
    run(.set(adapter, .discoverable(false)))
    set(state.path, BluezNames.adapter, "Discoverable", .boolean(false))
  }

  func poweredOff(_ adapter: AdapterID) {
    guard let path = adapterStates[adapter]?.path else { return }
    adapterStates[adapter]?.clients = []
    setPower(path, false)
    discoveryEnded(adapter)
  }

  private func setPower(_ path: ObjectPath, _ isOn: Bool) {
    if options.behavior.isExperimental {
      set(path, BluezNames.adapter, "PowerState", .string(isOn ? "on" : "off"))
    }
    set(path, BluezNames.adapter, "Powered", .boolean(isOn))
    if !isOn { set(path, BluezNames.adapter, "Discoverable", .boolean(false)) }
  }

  // MARK: Discovery

  func startDiscovery(_ adapter: AdapterID, _ sender: BusName, _ call: IncomingCall) {
    guard air.adapters[adapter]?.isPowered == true, let state = adapterStates[adapter] else {
      return refuse(call, .notReady)
    }
    guard !state.clients.contains(sender) else { return refuse(call, .busy) }
    adapterStates[adapter]?.clients.insert(sender)
    reply(call, .success([]))
    guard state.clients.isEmpty else { return }
    set(state.path, BluezNames.adapter, "Discovering", .boolean(true))
    run(.scan(adapter, ScanWindow()))
  }

  func stopDiscovery(_ adapter: AdapterID, _ sender: BusName, _ call: IncomingCall) {
    guard air.adapters[adapter]?.isPowered == true else { return refuse(call, .notReady) }
    guard adapterStates[adapter]?.clients.contains(sender) == true else {
      return refuse(call, .failed("No discovery started"))
    }
    stopDiscovery(adapter, sender)
    reply(call, .success([]))
  }

  private func stopDiscovery(_ adapter: AdapterID, _ sender: BusName) {
    guard adapterStates[adapter]?.clients.remove(sender) != nil,
      adapterStates[adapter]?.clients.isEmpty == true
    else { return }
    run(.scan(adapter, nil))
    discoveryEnded(adapter)
  }

  private func discoveryEnded(_ adapter: AdapterID) {
    guard let path = adapterStates[adapter]?.path else { return }
    set(path, BluezNames.adapter, "Discovering", .boolean(false))
    for (key, device) in devices.sorted(by: { $0.key < $1.key }) where key.adapter == adapter {
      devices[key]?.rssi = nil
      set(device.path, BluezNames.device, "RSSI", nil)
      set(device.path, BluezNames.device, "TxPower", nil)
    }
    flush()
  }

  /// A client that has left looks for nothing any more.
  func lostClient(_ name: BusName) {
    for adapter in adapterStates.keys.sorted() {
      adapterStates[adapter]?.filters[name] = nil
      stopDiscovery(adapter, name)
    }
  }

  func setFilter(_ adapter: AdapterID, _ sender: BusName, _ properties: DBusValue, _ call: IncomingCall) {
    guard air.adapters[adapter]?.isPowered == true else { return refuse(call, .notReady) }
    guard let filter = DiscoveryFilter(properties: properties) else { return refuse(call, .invalidArguments) }
    adapterStates[adapter]?.filters[sender] = properties.asProperties?.isEmpty == true ? nil : filter
    reply(call, .success([]))
  }

  func heard(_ report: AdvertisementReport, at adapter: AdapterID) {
    guard let state = adapterStates[adapter] else { return }
    let said = AdvertisedDevice(report)
    let filters = state.clients.map { state.filters[$0] ?? DiscoveryFilter() }
    let key = DeviceKey(adapter: adapter, address: report.address)
    // A device that is not discoverable is not made known; one that is known is followed.
    guard devices[key] != nil || said.isDiscoverable else { return }
    guard
      devices[key]?.connection != nil
        || filters.contains(where: { $0.takes(said, rssi: report.rssi, address: key.address) })
    else { return }
    update(
      key, said, report.rssi, isFiltered: state.clients.contains { state.filters[$0] != nil },
      repeats: filters.contains(where: \.duplicates))
  }
}
