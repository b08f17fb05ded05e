import BleperaAir
import BleperaBlueZProtocol
import BleperaBluetooth
import BleperaDBus
import BleperaHost
import BleperaLoop

/// Adapter1: power and discovery.
extension BlueZServer {
  func adapter(at path: ObjectPath) -> AdapterID? { adapterStates.first { $0.value.path == path }?.key }

  /// Declares the objects of an adapter that is on the air.
  func declareAdapter(_ id: AdapterID, _ description: AdapterDescription, named name: String) {
    let path = BlueZName.root.appending(name)
    let participant = BlueZParticipant(server: self)
    adapterStates[id] = BlueZAdapterState(path: path, participant: participant)
    sharedAir.assumeIsolated { $0.attach(participant, to: id) }
    let behavior = options.behavior
    let minor = String(behavior.minor, radix: 16, uppercase: true)
    var values: [(String, DBusValue)] = [
      ("Address", .string(description.address.description)), ("AddressType", .string(description.address.kind)),
      ("Name", .string(description.name)), ("Alias", .string(description.name)), ("Class", .uint32(0)),
      ("Powered", .boolean(description.isPowered)), ("Discoverable", .boolean(false)),
      ("DiscoverableTimeout", .uint32(180)), ("Pairable", .boolean(true)), ("PairableTimeout", .uint32(0)),
      ("Discovering", .boolean(false)), ("UUIDs", .strings(uuids(of: id))),
      ("Modalias", .string("usb:v1D6Bp0246d05" + (minor.count < 2 ? "0" : "") + minor)),
      ("Roles", .strings(description.isCentral ? ["central", "peripheral"] : ["peripheral"])),
    ]
    if behavior.hasPowerState { values.append(("PowerState", .string(description.isPowered ? "on" : "off"))) }
    if !behavior.has(.lacksConnectable) { values.append(("Connectable", .boolean(false))) }
    // A controller of Bluetooth 5.3 (9) by the Linux Foundation.
    if !behavior.has(.lacksControllerVersion) { values += [("Manufacturer", .uint16(0x05F1)), ("Version", .byte(9))] }
    declare(path, .adapter, values)
    declare(path, .gattManager)
    var properties: [(String, DBusValue)] = [
      ("ActiveInstances", .byte(0)),
      ("SupportedInstances", .byte(UInt8(clamping: Self.advertisementLimit))),
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
    if behavior.isExperimental {
      declare(
        path, .monitorManager,
        [("SupportedMonitorTypes", .strings(["or_patterns"])), ("SupportedFeatures", .strings([]))])
    }
  }

  func uuids(of adapter: AdapterID) -> [String] {
    (air.hosts[adapter]?.database.serviceUUIDs ?? []).map(\.longDescription)
  }

  func setPowered(_ adapter: AdapterID, _ isOn: Bool) {
    guard let path = adapterStates[adapter]?.path else { return }
    // Devices without a bond are removed, except those connected at that moment (measured).
    let forgotten = devices.filter {
      !isOn && $0.key.adapter == adapter && $0.value.isTemporary && $0.value.connection == nil
    }
    if !isOn { loseMonitored(at: adapter) }
    run(.linkLayer(adapter, .power(isOn)))
    setPower(path, isOn)
    listen(adapter)
    for key in forgotten.keys.sorted() { forget(key) }
  }

  /// The timeout is in seconds; 0 means no timeout.
  func setDiscoverable(_ adapter: AdapterID, _ isOn: Bool, timeout: DBusValue?) {
    adapterStates[adapter]?.isDiscoverable = isOn
    adapterStates[adapter]?.discoverableEnd = nil
    guard isOn, let seconds = timeout?.unsigned, seconds > 0 else { return }
    adapterStates[adapter]?.discoverableEnd = later(after: .seconds(Int(seconds))) { $0.endDiscoverable(adapter) }
  }

  private func endDiscoverable(_ adapter: AdapterID) {
    guard let state = adapterStates[adapter] else { return }
    adapterStates[adapter]?.isDiscoverable = false
    set(state.path, BlueZName.adapter, "Discoverable", to: .boolean(false))
  }

  func poweredOff(_ adapter: AdapterID) {
    guard let path = adapterStates[adapter]?.path else { return }
    adapterStates[adapter]?.clients = []
    adapterStates[adapter]?.scan = nil
    _ = adapterStates[adapter]?.pending.flush()
    refuseWaiting(adapter)
    loseAdvertising(of: adapter)
    setPower(path, false)
    discoveryEnded(adapter)
  }

  private func setPower(_ path: ObjectPath, _ isOn: Bool) {
    if options.behavior.isExperimental {
      set(path, BlueZName.adapter, "PowerState", to: .string(isOn ? "on" : "off"))
    }
    set(path, BlueZName.adapter, "Powered", to: .boolean(isOn))
    if !isOn { set(path, BlueZName.adapter, "Discoverable", to: .boolean(false)) }
  }

  // MARK: Discovery

  func startDiscovery(_ adapter: AdapterID, _ sender: BusName, _ call: IncomingCall) {
    guard air.adapters[adapter]?.isPowered == true, let state = adapterStates[adapter] else {
      return refuse(call, .notReady)
    }
    guard !state.clients.contains(sender) else { return refuse(call, .busy) }
    adapterStates[adapter]?.clients.insert(sender)
    guard state.clients.isEmpty else { return reply(call, .success([])) }
    answer(call, by: adapter) { this in
      this.set(state.path, BlueZName.adapter, "Discovering", to: .boolean(true))
      this.listen(adapter)
    }
  }

  func stopDiscovery(_ adapter: AdapterID, _ sender: BusName, _ call: IncomingCall) {
    guard air.adapters[adapter]?.isPowered == true else { return refuse(call, .notReady) }
    guard adapterStates[adapter]?.clients.contains(sender) == true else {
      return refuse(call, .failed("No discovery started"))
    }
    guard adapterStates[adapter]?.waiting?.call.sender != sender else { return refuse(call, .busy) }
    guard adapterStates[adapter]?.clients == [sender] else {
      stopDiscovery(adapter, sender)
      return reply(call, .success([]))
    }
    answer(call, by: adapter) { $0.stopDiscovery(adapter, sender) }
  }

  /// How long a controller takes to start or end a scan (ours).
  private static let scanDelay = Duration.milliseconds(5)

  /// Answers a call, and then makes its change, when the controller has started or ended the scan, as bluetoothd does
  /// (`start_discovery`, `discovery_stop` in BlueZ's src/adapter.c).
  private func answer(
    _ call: IncomingCall, by adapter: AdapterID, change: @escaping @Sendable (isolated BlueZServer) -> Void
  ) {
    let timer = later(after: Self.scanDelay) { this in
      this.adapterStates[adapter]?.waiting = nil
      this.reply(call, .success([]))
      change(this)
    }
    adapterStates[adapter]?.waiting = (call, timer)
  }

  /// Refuses the call that waits for the controller, which has no power any more (`discovery_free`).
  func refuseWaiting(_ adapter: AdapterID) {
    guard let call = adapterStates[adapter]?.waiting?.call else { return }
    adapterStates[adapter]?.waiting = nil
    refuse(call, .busy)
  }

  private func stopDiscovery(_ adapter: AdapterID, _ sender: BusName) {
    if adapterStates[adapter]?.clients == [sender], let report = adapterStates[adapter]?.pending.flush() {
      discovered(report, at: adapter)
    }
    guard adapterStates[adapter]?.clients.remove(sender) != nil,
      adapterStates[adapter]?.clients.isEmpty == true
    else { return }
    adapterStates[adapter]?.waiting = nil
    listen(adapter)
    discoveryEnded(adapter)
  }

  private func discoveryEnded(_ adapter: AdapterID) {
    guard let path = adapterStates[adapter]?.path else { return }
    for (key, device) in devices.sorted(by: { $0.key < $1.key }) where key.adapter == adapter {
      devices[key]?.rssi = nil
      set(device.path, BlueZName.device, "RSSI", to: nil)
      set(device.path, BlueZName.device, "TxPower", to: nil)
    }
    set(path, BlueZName.adapter, "Discovering", to: .boolean(false))
    flush()
  }

  /// Ends the discovery of a client that has left the bus.
  func lostClient(_ name: BusName) {
    for adapter in adapterStates.keys.sorted() {
      adapterStates[adapter]?.filters[name] = nil
      stopDiscovery(adapter, name)
    }
  }

  func setFilter(_ properties: DBusValue, of sender: BusName, on adapter: AdapterID, _ call: IncomingCall) {
    guard air.adapters[adapter]?.isPowered == true else { return refuse(call, .notReady) }
    guard let filter = DiscoveryFilter(properties: properties),
      properties.asProperties?.keys.allSatisfy(options.behavior.filterKeys.contains) == true
    else { return refuse(call, .invalidArguments) }
    adapterStates[adapter]?.filters[sender] = properties.asProperties?.isEmpty == true ? nil : filter
    reply(call, .success([]))
  }

  func received(_ report: AdvertisementReport, at adapter: AdapterID) {
    let isActive = adapterStates[adapter]?.scan?.isActive == true
    let reports = adapterStates[adapter]?.pending.add(report, isActive: isActive) ?? []
    for report in reports { discovered(report, at: adapter) }
  }

  private func discovered(_ report: AdvertisementReport, at adapter: AdapterID) {
    guard let state = adapterStates[adapter] else { return }
    let structures = report.structures
    let content = AdvertisedContent(structures)
    let clientFilters = state.clients.map { state.filters[$0] }
    let filters = clientFilters.map { $0 ?? DiscoveryFilter() }
    let key = DeviceKey(adapter: adapter, address: report.address)
    let matching = monitors(at: adapter, for: structures)
    // With a filter of any client, a device need not be discoverable (`filtered_discovery`).
    let isFiltered = clientFilters.contains { $0.map(options.behavior.isFiltered) ?? false }
    if matching.isEmpty {
      guard filters.contains(where: { $0.takesInKernel(content, rssi: report.rssi) }) else { return }
      let patterns = filters.compactMap(\.pattern)
      let isWanted =
        patterns.isEmpty
        ? content.isDiscoverable || isFiltered
        : patterns.contains { content.matches($0, address: key.address) }
      guard isWanted else {
        if devices[key] == nil, options.behavior.has(.keepsUnwantedDevices), report.isConnectable { addUnwanted(key) }
        return
      }
    }
    update(
      key, content, report.rssi, signalsStrength: options.behavior.signalsEachStrength(clientFilters),
      repeats: filters.contains(where: \.duplicates))
    self.report(key, report.rssi, to: matching)
  }
}

/// bluetoothd's state of an adapter besides its properties.
struct BlueZAdapterState: Sendable {
  let path: ObjectPath
  let participant: BlueZParticipant
  var isDiscoverable = false
  /// The timer that ends discoverable mode.
  var discoverableEnd: (any LoopTimer)?
  /// The clients that discover devices.
  var clients: Set<BusName> = []
  /// The call that is answered when the controller has started or ended the scan.
  var waiting: (call: IncomingCall, timer: any LoopTimer)?
  /// How the adapter scans; nil while nobody discovers or monitors.
  var scan: ScanWindow?
  var pending = PendingReport()
  /// The filters of clients, whether they discover now or not.
  var filters: [BusName: DiscoveryFilter] = [:]
}
