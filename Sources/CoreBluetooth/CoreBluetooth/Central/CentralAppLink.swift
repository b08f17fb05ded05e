import BleperaAppLink
import BleperaBluetooth
import BleperaLoop

/// A central manager's side of the link: the peripherals that the app knows, and the callbacks.
final class CentralAppLink: QueuedAppLink<CBCentralManager>, SessionAppLink, @unchecked Sendable {  // `lock`
  private var storedIsScanning = false
  private var isRegistered = false
  private var hasLoggedBridging = false
  /// The peripherals whose objects the app has, or whose released connections the phone still has to end.
  private var known: [PeripheralID: PeripheralRecord] = [:]
  /// The restored objects, until `didUpdateState` has returned: an app may retrieve them there.
  private var restored: [CBPeripheral] = []

  /// Ends the manager's scan, connections and registration when the manager is deallocated.
  func close() {
    session.remove(self)
    let isOn = state == .poweredOn
    let (records, wasScanning, wasRegistered) = lock.withLock {
      defer { (known, storedIsScanning, isRegistered) = ([:], false, false) }
      return (known.values.sorted { $0.id < $1.id }, storedIsScanning, isRegistered)
    }
    let used = records.filter { $0.invalidate() }
    guard isOn else { return }
    if wasScanning { send(.stopScan) }
    if wasRegistered { send(.registerForConnectionEvents(nil)) }
    for record in used { send(.release(record.id)) }
  }

  // MARK: Calls

  var isScanning: Bool { lock.withLock { storedIsScanning } }

  /// Whether the manager may use the peripheral now; logs the misuse otherwise.
  private func mayUse(_ peripheral: CBPeripheral) -> Bool {
    guard mayCall() else { return false }
    let isKnown = lock.withLock { known[peripheral.record.id] === peripheral.record }
    if !isKnown {
      Misuse.log("API MISUSE: \(peripheral) is not a peripheral of this manager, or is no longer valid")
    }
    return isKnown
  }

  func send(_ call: CentralCall) { session.port.send(.central(id.name, call)) }

  func scan(_ request: ScanRequest) {
    lock.withLock { storedIsScanning = true }
    send(.scanForPeripherals(request))
  }

  func stopScan() {
    lock.withLock { storedIsScanning = false }
    send(.stopScan)
  }

  func connect(_ peripheral: CBPeripheral, _ options: [String: Any]?) {
    guard mayUse(peripheral) else { return }
    if Options(options).flag(CBConnectPeripheralOptionEnableTransportBridgingKey), isFirstBridging() {
      Misuse.log("WARNING: The connect option EnableTransportBridging has no effect: there is no classic radio")
    }
    peripheral.record.access { if $0.state != .connected { $0.state = .connecting } }
    send(.connect(peripheral.record.id, ConnectOptions(options)))
  }

  private func isFirstBridging() -> Bool {
    lock.withLock {
      defer { hasLoggedBridging = true }
      return !hasLoggedBridging
    }
  }

  func cancel(_ peripheral: CBPeripheral) {
    guard mayUse(peripheral) else { return }
    let isInUse = peripheral.record.access { values in
      guard values.isInUse else { return false }
      (values.state, values.isCancelling) = (.disconnecting, true)
      return true
    }
    if isInUse { send(.cancelPeripheralConnection(peripheral.record.id)) }
  }

  func register(_ matching: ConnectionEventMatching?) {
    lock.withLock { isRegistered = matching != nil }
    send(.registerForConnectionEvents(matching))
  }

  func retrieve(_ call: CentralCall) -> [CBPeripheral] {
    guard mayCall() else { return [] }
    return session.port.retrieve(call, by: id.name).map { peripheral($0) }
  }

  // MARK: Objects

  /// The object for a peripheral, which stays the same while the app retains it.
  private func peripheral(_ description: PeripheralDescription) -> CBPeripheral {
    let (object, released) = lock.withLock { () -> (CBPeripheral, PeripheralRecord?) in
      let former = known[description.id]
      if let object = former?.object { return (object, nil) }
      let record = PeripheralRecord(description.id)
      known[description.id] = record
      return (CBPeripheral(record, self), former)
    }
    // The phone has to end the released object's connection before the new object connects.
    if let released { _ = release(released) }
    object.record.access { $0.name = description.name }
    return object
  }

  /// The object of a peripheral; nil if the app has released it.
  private func known(_ id: PeripheralID) -> CBPeripheral? { lock.withLock { known[id]?.object } }

  /// Handles the app's release of an object, which may be connected.
  func forget(_ record: PeripheralRecord, _ description: String) {
    guard record.current.isInUse else { return drop(record) }
    // Nothing is released or logged if the manager is deallocated too, or the app was terminated.
    session.call(on: queue) { [self] in
      guard manager != nil, release(record) else { return }
      Misuse.log(
        "API MISUSE: Cancelling connection for unused peripheral \(description), "
          + "Did you forget to keep a reference to it?")
    }
  }

  /// Ends the connection of a released object; false if there is none.
  private func release(_ record: PeripheralRecord) -> Bool {
    drop(record)
    guard record.invalidate() else { return false }
    send(.release(record.id))
    return true
  }

  private func drop(_ record: PeripheralRecord) {
    lock.withLock { if known[record.id] === record { known[record.id] = nil } }
  }

  // MARK: Callbacks

  func receive(_ message: PhoneMessage) {
    guard case .central(_, let callback) = message else { return }
    switch callback {
    case .didUpdateState(let state): note(state)
    case .peripheral(let id, .didSendWritesWithoutResponse(let count, let isSilent)):
      return freePlaces(count, id, isSilent)
    default: break
    }
    onQueue(message) { [self] manager in handle(callback, manager) }
  }

  private func handle(_ callback: CentralCallback, _ manager: CBCentralManager) {
    let delegate = manager.delegate
    switch callback {
    case .didUpdateState(let state):
      change(to: state)
      delegate?.centralManagerDidUpdateState(manager)
      // The objects are released outside the lock, because their deinitializers take the lock.
      let released = lock.withLock { exchange(&restored, with: []) }
      withExtendedLifetime(released) {}
    case .willRestoreState(let state):
      let dictionary = restore(state)
      delegate?.centralManager(manager, willRestoreState: dictionary)
    case .didDiscover(let description, let advertisement):
      delegate?.centralManager(
        manager, didDiscover: peripheral(description), advertisementData: advertisement.dictionary,
        rssi: NSNumber(value: advertisement.rssi))
    case .didConnect(let description):
      guard let peripheral = known(description.id), peripheral.record.connect(description) else { return }
      if !description.canSendWriteWithoutResponse { peripheral.record.access { $0.writes = $0.places } }
      delegate?.centralManager(manager, didConnect: peripheral)
    case .didFailToConnect(let id, let error):
      guard let peripheral = known(id) else { return }
      peripheral.record.access { $0.disconnect() }
      delegate?.centralManager(manager, didFailToConnect: peripheral, error: error?.error)
    case .didDisconnectPeripheral(let id, let time, let isReconnecting, let error):
      guard let peripheral = known(id) else { return }
      peripheral.record.access { $0.disconnect(isReconnecting: isReconnecting) }
      delegate?.centralManager(
        manager, didDisconnectPeripheral: peripheral,
        timestamp: Date(timeIntervalSince1970: time.sinceEpoch / .seconds(1)).timeIntervalSinceReferenceDate,
        isReconnecting: isReconnecting, error: error?.error)
    case .connectionEventDidOccur(let description, let isConnected):
      delegate?.centralManager(
        manager, connectionEventDidOccur: isConnected ? .peerConnected : .peerDisconnected,
        for: peripheral(description))
    case .peripheral(let id, let callback): known(id)?.handle(callback)
    case .didRetrievePeripherals: break
    }
  }

  /// The channel whose stream came with a message; nil if the stream was taken already.
  func channel(_ channel: Int, _ psm: L2CAPPSM, of peripheral: CBPeripheral) -> CBL2CAPChannel? {
    session.takeStream(channel).map {
      CBL2CAPChannel($0, peer: peripheral, psm: psm.rawValue, port: session.port)
    }
  }

  /// Reports that the app may write again, if it could not before and the phone lets the app know.
  private func freePlaces(_ count: Int, _ id: PeripheralID, _ isSilent: Bool) {
    guard let peripheral = known(id), peripheral.record.freePlaces(count), !isSilent else { return }
    onQueue { [weak peripheral] _ in
      guard let peripheral, peripheral.canSendWriteWithoutResponse else { return }
      peripheral.delegate?.peripheralIsReady(toSendWriteWithoutResponse: peripheral)
    }
  }

  // MARK: State

  private func change(to state: ManagerState) {
    let state = CBManagerState(rawValue: state.rawValue) ?? .unknown
    // In a state below poweredOff all objects are invalid; the app discovers or retrieves them again.
    let isReset = state.rawValue < CBManagerState.poweredOff.rawValue
    let records = lock.withLock { () -> [PeripheralRecord] in
      store(state)
      if state == .poweredOn { return [] }
      (storedIsScanning, isRegistered) = (false, isRegistered && !isReset)
      defer { if isReset { known = [:] } }
      return Array(known.values)
    }
    for record in records {
      if isReset { _ = record.invalidate() } else { record.access { $0.disconnect() } }
    }
  }

  /// Makes the dictionary of `willRestoreState`, and retains its peripherals for the app.
  private func restore(_ state: RestoredCentralState) -> [String: Any] {
    lock.withLock { storedIsScanning = state.scan != nil }
    let peripherals = state.peripherals.map { restored in
      let object = peripheral(restored.peripheral)
      object.record.access { values in
        values.state = restored.state.state
        (values.mtu, values.places) = (restored.peripheral.mtu, restored.peripheral.writePlaces)
        if !restored.peripheral.canSendWriteWithoutResponse { values.writes = values.places }
        values.attributes.restore(restored.services, of: object)
      }
      return object
    }
    lock.withLock { self.restored = peripherals }
    var dictionary: [String: Any] = [:]
    if !peripherals.isEmpty { dictionary[CBCentralManagerRestoredStatePeripheralsKey] = peripherals }
    guard let scan = state.scan else { return dictionary }
    if !scan.services.isEmpty {
      dictionary[CBCentralManagerRestoredStateScanServicesKey] = scan.services.map { CBUUID($0) }
    }
    if !scan.options.isEmpty { dictionary[CBCentralManagerRestoredStateScanOptionsKey] = scan.options }
    return dictionary
  }
}
