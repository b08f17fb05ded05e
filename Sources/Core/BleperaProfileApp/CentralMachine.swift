import BleperaAppLink
import BleperaBluetooth
import BleperaProfile

/// The central role of a profile's app: what it calls after each callback of its manager and its peripherals.
struct CentralMachine: Sendable {
  typealias Action = ProfileMachine.Action

  /// A peripheral that the app has chosen.
  struct Peripheral: Hashable, Sendable {
    let id: PeripheralID
    /// Whether `connect` is called, and the peripheral has not disconnected since.
    var isAsked: Bool
    var isConnected = false
    /// The handles of the services that the app has found.
    var services: [AttributeHandle: BluetoothUUID] = [:]
    /// The services whose characteristics are still to come.
    var awaited: Set<AttributeHandle> = []
    /// By the place in the profile.
    var found: [Int: Found] = [:]

    init(_ id: PeripheralID, isAsked: Bool = true) {
      self.id = id
      self.isAsked = isAsked
    }
  }

  /// A characteristic that the app has found.
  struct Found: Hashable, Sendable {
    let service: AttributeHandle
    let handle: AttributeHandle
    /// Whether the app has read, subscribed and written.
    var isUsed = false
  }

  /// The characteristic whose value is responded to.
  struct Source: Hashable, Sendable {
    let peripheral: PeripheralID
    let place: Int
  }

  let manager: ManagerID.Name
  private let profile: Profile.Central
  /// Nil until the phone has reported it.
  private(set) var state: ManagerState?
  /// The scan that the phone performs.
  private var scan: ScanRequest?
  /// In the order of their discoveries.
  private var peripherals: [Peripheral] = []
  private var runs = ResponseRuns<Source>()

  init(_ profile: Profile.Central) {
    self.profile = profile
    manager = ManagerID.Name(profile.restoreIdentifier)
  }

  /// Creates the manager, which knows nothing yet.
  mutating func launch() -> [Action] {
    state = nil
    return forgetAll() + [.send(.create(ManagerID(.central, manager)))]
  }

  mutating func handle(_ callback: CentralCallback, at now: Duration) -> [Action] {
    switch callback {
    case .willRestoreState(let state): restore(state)
    case .didUpdateState(let state): return follow(state)
    case .didDiscover(let peripheral, let advertisement):
      return isWanted(peripheral, advertisement) ? connect(peripheral.id) + settle() : []
    case .didConnect(let peripheral):
      guard let index = index(of: peripheral.id) else { return [] }
      peripherals[index].isConnected = true
      return discover(index)
    case .didFailToConnect(let id, _):
      peripherals.removeAll { $0.id == id }
      return settle()
    case .didDisconnectPeripheral(let id, _, let isReconnecting, _): return lose(id, isReconnecting: isReconnecting)
    case .peripheral(let id, let callback):
      guard let index = index(of: id) else { return [] }
      return handle(callback, of: index, at: now)
    case .connectionEventDidOccur, .didRetrievePeripherals: break
    }
    return []
  }

  private var isOn: Bool { state == .poweredOn }

  private func index(of id: PeripheralID) -> Int? { peripherals.firstIndex { $0.id == id } }

  private func call(_ call: CentralCall) -> Action { .send(.central(manager, call)) }

  private func call(_ call: PeripheralCall, of index: Int) -> Action {
    self.call(.peripheral(peripherals[index].id, call))
  }

  // MARK: The manager

  private mutating func follow(_ state: ManagerState) -> [Action] {
    let wasOn = isOn
    self.state = state
    switch state {
    case .poweredOn:
      guard !wasOn else { return [] }
      let lost = peripherals.filter { !$0.isAsked }.map(\.id)
      peripherals.removeAll { !$0.isAsked }
      var actions = profile.connection?.reconnects == true ? lost.flatMap { connect($0) } : []
      // The app may not have found all attributes of a restored peripheral.
      for index in peripherals.indices where peripherals[index].isConnected && !isComplete(peripherals[index]) {
        actions += discover(index)
      }
      return actions + settle()
    // Scans and connections have ended, and attributes are no longer valid.
    case .poweredOff:
      let known = peripherals.map { Peripheral($0.id, isAsked: false) }
      let actions = forgetAll()
      peripherals = known
      return actions
    // Peripherals are invalid, too.
    case .unknown, .resetting, .unsupported, .unauthorized: return forgetAll()
    }
  }

  private mutating func forgetAll() -> [Action] {
    (scan, peripherals) = (nil, [])
    return removeRuns { _ in true }
  }

  /// Scans until the app has its peripheral.
  private mutating func settle() -> [Action] {
    let wanted = profile.connection?.isToAll == false && !peripherals.isEmpty ? nil : profile.scan
    guard isOn, scan != wanted else { return [] }
    scan = wanted
    return [call(wanted.map { .scanForPeripherals($0) } ?? .stopScan)]
  }

  private func isWanted(_ peripheral: PeripheralDescription, _ advertisement: DiscoveredAdvertisement) -> Bool {
    guard let connection = profile.connection, scan != nil, index(of: peripheral.id) == nil,
      advertisement.isConnectable
    else { return false }
    if let name = connection.name, advertisement.localName != name, peripheral.name != name { return false }
    guard let service = connection.service else { return true }
    return advertisement.serviceUUIDs.contains(service) || advertisement.overflowServiceUUIDs.contains(service)
  }

  private mutating func connect(_ id: PeripheralID) -> [Action] {
    guard let options = profile.connection?.options else { return [] }
    peripherals.append(Peripheral(id))
    return [call(.connect(id, options))]
  }

  private mutating func lose(_ id: PeripheralID, isReconnecting: Bool) -> [Action] {
    guard let index = index(of: id) else { return [] }
    peripherals.remove(at: index)
    let end = removeRuns { $0.peripheral == id }
    guard !isReconnecting else {
      peripherals.append(Peripheral(id))
      return end
    }
    return end + (profile.connection?.reconnects == true ? connect(id) : []) + settle()
  }

  /// Adopts what the phone has preserved; what is missing follows when Bluetooth is on.
  private mutating func restore(_ state: RestoredCentralState) {
    scan = state.scan
    peripherals = state.peripherals.map { restored in
      var peripheral = Peripheral(restored.peripheral.id)
      peripheral.isConnected = restored.state == .connected
      for service in restored.services {
        peripheral.services[service.service.handle] = service.service.uuid
        let found = service.characteristics.map(\.characteristic)
        add(found, of: service.service.handle, to: &peripheral)
        for (place, characteristic) in peripheral.found {
          let isNotifying = found.contains { $0.handle == characteristic.handle && $0.isNotifying }
          if isNotifying || !profile.characteristics[place].subscribes { peripheral.found[place]?.isUsed = true }
        }
      }
      return peripheral
    }
  }

  // MARK: Peripherals

  private mutating func handle(_ callback: PeripheralCallback, of index: Int, at now: Duration) -> [Action] {
    switch callback {
    case .didDiscoverServices(let services, error: nil):
      var actions: [Action] = []
      for service in services where !peripherals[index].awaited.contains(service.handle) {
        let found = peripherals[index].found
        let wanted = profile.characteristics.enumerated().filter { $1.service == service.uuid && found[$0] == nil }
          .map(\.element.characteristic)
        guard !wanted.isEmpty else { continue }
        peripherals[index].services[service.handle] = service.uuid
        peripherals[index].awaited.insert(service.handle)
        actions.append(call(.discoverCharacteristics(wanted, service: service.handle), of: index))
      }
      return actions + use(index)
    case .didDiscoverCharacteristics(let characteristics, let service, _):
      peripherals[index].awaited.remove(service)
      add(characteristics, of: service, to: &peripherals[index])
      return use(index)
    case .didModifyServices(let handles):
      let dead = Set(handles)
      peripherals[index].services = peripherals[index].services.filter { !dead.contains($0.key) }
      peripherals[index].awaited.subtract(dead)
      peripherals[index].found = peripherals[index].found.filter { !dead.contains($0.value.service) }
      return peripherals[index].isConnected ? discover(index) : []
    case .didUpdateValue(let handle, let value, error: nil):
      guard let place = peripherals[index].found.first(where: { $0.value.handle == handle })?.key else { return [] }
      return respond(to: value, of: Source(peripheral: peripherals[index].id, place: place), at: now)
    case .didDiscoverServices, .didDiscoverIncludedServices, .didDiscoverDescriptors, .didUpdateValue, .didWriteValue,
      .didUpdateNotificationState, .didUpdate, .didReadRSSI, .didSendWritesWithoutResponse, .didOpenL2CAPChannel:
      return []
    }
  }

  private func isComplete(_ peripheral: Peripheral) -> Bool {
    profile.characteristics.indices.allSatisfy { peripheral.found[$0]?.isUsed == true }
  }

  private func discover(_ index: Int) -> [Action] {
    var services: [BluetoothUUID] = []
    for use in profile.characteristics where !services.contains(use.service) { services.append(use.service) }
    return services.isEmpty ? [] : [call(.discoverServices(services), of: index)]
  }

  private func add(
    _ characteristics: [RemoteCharacteristicDescription], of service: AttributeHandle, to peripheral: inout Peripheral
  ) {
    for (place, use) in profile.characteristics.enumerated()
    where use.service == peripheral.services[service] && peripheral.found[place] == nil {
      guard let found = characteristics.first(where: { $0.uuid == use.characteristic }) else { continue }
      peripheral.found[place] = Found(service: service, handle: found.handle)
    }
  }

  /// Uses the characteristics once all of them are discovered, in the order of the profile.
  private mutating func use(_ index: Int) -> [Action] {
    guard peripherals[index].awaited.isEmpty else { return [] }
    var actions: [Action] = []
    for (place, use) in profile.characteristics.enumerated() {
      guard let found = peripherals[index].found[place], !found.isUsed else { continue }
      peripherals[index].found[place]?.isUsed = true
      if use.subscribes { actions.append(call(.setNotifyValue(true, characteristic: found.handle), of: index)) }
      if use.reads { actions.append(call(.readValue(found.handle), of: index)) }
      if let value = use.value {
        actions.append(call(.writeValue(found.handle, value: value, withResponse: use.withResponse), of: index))
      }
    }
    return actions
  }

  // MARK: Values

  private mutating func respond(to value: [UInt8], of source: Source, at now: Duration) -> [Action] {
    for row in profile.characteristics[source.place].reactions {
      guard let fields = row.pattern.match(value) else { continue }
      guard runs.count < ProfileMachine.runLimit else { return [] }
      let wasDue = runs.due
      runs.add(row.steps, of: source, fields, at: now)
      return writeDue(at: now, from: wasDue)
    }
    return []
  }

  /// Writes what is due; a late write delays those after it.
  mutating func writeDue(at now: Duration) -> [Action] { writeDue(at: now, from: nil) }

  private mutating func writeDue(at now: Duration, from former: Duration?) -> [Action] {
    var actions: [Action] = []
    while let (step, run) = runs.next(at: now) {
      guard let template = step.value, let index = index(of: run.source.peripheral) else { continue }
      let place = step.characteristic.flatMap { profile.place(of: $0, near: run.source.place) } ?? run.source.place
      guard let found = peripherals[index].found[place] else { continue }
      let withResponse = profile.characteristics[place].withResponse
      let limit = withResponse ? AttributeValue.maximumLength : AttributeValue.maximumPacketLength
      let value = template.value(run.fields, limit: limit)
      actions.append(call(.writeValue(found.handle, value: value, withResponse: withResponse), of: index))
    }
    return actions + runs.schedule(.writes, from: former)
  }

  private mutating func removeRuns(where isRemoved: (Source) -> Bool) -> [Action] {
    let former = runs.due
    runs.remove(where: isRemoved)
    return runs.schedule(.writes, from: former)
  }
}
