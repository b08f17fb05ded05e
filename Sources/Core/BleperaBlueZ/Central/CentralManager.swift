import BleperaBlueZProtocol
package import BleperaDBus
import BleperaEventLoop
import BleperaLoop
import BleperaRadio

/// The central role over bluetoothd: scans, connects, and uses the services of peripherals.
///
/// Events are reported on the loop's thread, in order.
package actor CentralManager: LoopActor {
  /// The limit for connecting and for discovering services. bluetoothd itself gives up connecting after about 20 s.
  package static let connectTimeout = Duration.seconds(30)
  /// ATT allows 30 s (Core Specification, Vol 3, Part F, 3.3.3).
  private static let requestTimeout = Duration.seconds(35)
  /// The Security Manager allows 30 s for each step (Core Specification, Vol 3, Part H, 3.4).
  private static let pairingTimeout = Duration.seconds(90)

  package nonisolated let connection: DBusConnection
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe connection.unownedExecutor }
  package nonisolated var isOnLoop: Bool { connection.isOnLoop }
  private nonisolated var loop: EventLoop { connection.loop }

  private let report: @Sendable (CentralManagerEvent) -> Void
  private var observer: DaemonObserver?
  private var daemon: DaemonState
  private var inventory = CentralInventory()
  private var machine = ScanMachine()
  private var retry: EventSource?
  /// Tasks that wait for a device's services or for its disconnection, by number.
  private var waiters: [Int: Waiter] = [:]
  private var lastWaiter = 0
  /// The values signaled while a read is under way: the last signal with the read's own value is not reported.
  private var reads: [ObjectPath: [[UInt8]]] = [:]

  /// Calls under way, by number.
  private var calls: [Int: Call] = [:]
  private var lastCall = 0
  private typealias Reply = Result<[DBusValue], CentralFailure>

  private struct Call {
    let path: ObjectPath
    let continuation: CheckedContinuation<Reply, Never>
    /// The waiter that ignores all events before the reply.
    let waiter: Int?
  }

  private struct Waiter {
    let device: ObjectPath
    /// The outcome that was reached before the task began to wait.
    var outcome: Outcome?
    var continuation: CheckedContinuation<Outcome, Never>?
  }

  /// The outcome of waiting for a connection's next state.
  private enum Outcome {
    case resolved
    case disconnected
    case neither
  }

  /// - Parameter adapter: `hci1`; nil for the first powered adapter, or the first.
  package init(
    connection: DBusConnection, adapter: String? = nil, report: @escaping @Sendable (CentralManagerEvent) -> Void
  ) {
    self.connection = connection
    daemon = DaemonState(wanted: adapter)
    self.report = report
  }

  /// Reads bluetoothd's objects and follows their changes; the first event reports the state of the radio.
  package func start() async throws(DBusFailure) {
    let observer = DaemonObserver(connection: connection, report: callback { this, event in this.observe(event) })
    self.observer = observer
    try await observer.start()
  }

  /// Disconnects from the bus; bluetoothd then stops our discovery and ends our subscriptions.
  package func close() async { await connection.close() }

  // MARK: Scanning

  /// Starts a scan with the filter, and restarts it after interruptions; nil stops scanning.
  package func scan(_ filter: ScanFilter?) { run(.want(filter)) }

  /// Removes the device from bluetoothd, so that its next advertisement is reported as its first; false if the device
  /// is unknown or its removal would end a connection or a bond.
  ///
  /// - Parameter evenPaired: also removes a bond.
  @discardableResult
  package func forget(_ device: ObjectPath, evenPaired: Bool = false) -> Bool {
    guard let adapter = device.parent, let found = inventory.devices[device] else { return false }
    guard found.isForgettable || evenPaired && !found.isConnected else { return false }
    start(at: adapter, BlueZName.adapter, "RemoveDevice", [.objectPath(device)]) { _ in }
    return true
  }

  /// Removes all devices of the adapter in use that have no connection or bond, so that only devices that are on the
  /// air from now on are reported.
  package func removeUnpairedDevices() {
    for device in inventory.devices.values where isOurs(device) && device.isForgettable { forget(device.path) }
  }

  /// The devices that the adapter in use knows.
  package var devices: [FoundDevice] {
    inventory.sortedDevices.filter { isOurs($0) }
  }

  /// The device at that path, whose address changes if it pairs and was private; nil if unknown.
  package func device(at path: ObjectPath) -> FoundDevice? { inventory.devices[path] }

  /// The device with that address; nil if the adapter in use does not know it.
  package func device(_ address: String) -> FoundDevice? {
    inventory.devices.values.first { isOurs($0) && $0.address == address }
  }

  // MARK: Connecting

  /// Connects and waits until the services are known.
  package func connect(to device: ObjectPath) async throws(CentralFailure) {
    let waiter = addWaiter(for: device)
    defer { waiters[waiter] = nil }
    do throws(CentralFailure) {
      _ = try await ask(at: device, BlueZName.device, "Connect", timeout: Self.connectTimeout, before: waiter)
    } catch {
      // bluetoothd would keep trying.
      if case .timedOut = error { start(at: device, BlueZName.device, "Disconnect", []) { _ in } }
      throw error
    }
    // bluetoothd may reply before it reports that the device is connected.
    try await waitForServices(of: device, waiter)
  }

  /// Waits until the services of a connected device are known.
  package func waitForServices(of device: ObjectPath) async throws(CentralFailure) {
    let waiter = addWaiter(for: device)
    defer { waiters[waiter] = nil }
    try await waitForServices(of: device, waiter)
  }

  private func waitForServices(of device: ObjectPath, _ waiter: Int) async throws(CentralFailure) {
    guard let found = inventory.devices[device] else { throw .notConnected }
    if !found.isResolved, await outcome(of: waiter) != .resolved {
      throw inventory.devices[device]?.isConnected == true ? .timedOut(Self.connectTimeout) : .notConnected
    }
    // bluetoothd may signal `ServicesResolved` before the objects of the services, in the same turn of its loop, and
    // sends what it has to signal before it replies (`g_dbus_send_message` in BlueZ's gdbus/object.c).
    _ = try await ask(at: device, .properties, "GetAll", [.string(BlueZName.device.rawValue)])
  }

  /// Begins to note what happens to the device, so that nothing is missed before `outcome(of:)`.
  private func addWaiter(for device: ObjectPath) -> Int {
    lastWaiter += 1
    waiters[lastWaiter] = Waiter(device: device)
    return lastWaiter
  }

  /// Waits for the next outcome.
  private func outcome(of waiter: Int) async -> Outcome {
    if let outcome = waiters[waiter]?.outcome { return outcome }
    let limit = loop.schedule(after: Self.connectTimeout, callback { $0.wake(waiter, .neither) })
    defer { limit.cancel() }
    return await withCheckedContinuation { waiters[waiter]?.continuation = $0 }
  }

  /// Disconnects; the connection has ended when this method returns. Requests without a response end at once.
  package func disconnect(from device: ObjectPath) async throws(CentralFailure) {
    // bluetoothd fails such requests as if the device had responded with an error, before it reports the disconnection.
    endCalls(to: device)
    _ = try await ask(at: device, BlueZName.device, "Disconnect")
    guard inventory.devices[device]?.isConnected == true else { return }
    let waiter = addWaiter(for: device)
    defer { waiters[waiter] = nil }
    guard await outcome(of: waiter) == .disconnected else { throw .timedOut(Self.connectTimeout) }
  }

  /// bluetoothd keeps a trusted device.
  package func setTrusted(_ device: ObjectPath, _ isTrusted: Bool) async throws(CentralFailure) {
    let arguments = [.string(BlueZName.device.rawValue), .string("Trusted"), DBusValue.variant(.boolean(isTrusted))]
    _ = try await ask(at: device, .properties, "Set", arguments)
  }

  /// Pairs with a connected device; bluetoothd's agents answer the pairing requests.
  package func pair(with device: ObjectPath) async throws(CentralFailure) {
    _ = try await ask(at: device, BlueZName.device, "Pair", timeout: Self.pairingTimeout)
  }

  /// Pairs with a connected device without asking anybody: by Just Works, which needs neither a display nor a keyboard.
  ///
  /// Linux has bluetoothd confirm each pairing by Just Works, on both sides: legacy pairing since its commit
  /// 92516cd97fd4, Secure Connections since ffee202a78c2, both of April 2020. bluetoothd asks the machine's default
  /// agent: that may be another program's, or there is none. Where the program that calls Pair has an agent, bluetoothd
  /// agrees without asking it (`device_confirm_passkey` in BlueZ's src/device.c), so that no object is at its path.
  package func pairWithoutAsking(_ device: ObjectPath) async throws(CentralFailure) {
    let path = DBusValue.objectPath(BlueZRadio.agentPath)
    _ = try await ask(at: BlueZName.root, BlueZName.agentManager, "RegisterAgent", [path, .string("NoInputNoOutput")])
    defer { start(at: BlueZName.root, BlueZName.agentManager, "UnregisterAgent", [path]) { _ in } }
    try await pair(with: device)
  }

  /// The services of a connected device, in the order of their handles.
  package func services(of device: ObjectPath) -> [FoundService] { inventory.services(of: device) }

  /// The adapter in use.
  package var adapter: Adapter? { inventory.adapter(named: daemon.wanted) }

  // MARK: Calls to bluetoothd

  /// Calls bluetoothd, and waits for its reply. A call to an attribute ends with its device's connection too:
  /// bluetoothd 5.82 does not reply to a read that required pairing where that ended the connection.
  ///
  /// - Parameter waiter: the waiter for what happens after the reply.
  func ask(
    at path: ObjectPath, _ interface: InterfaceName, _ member: MemberName, _ arguments: [DBusValue] = [],
    timeout: Duration = requestTimeout, before waiter: Int? = nil
  ) async throws(CentralFailure) -> [DBusValue] {
    guard daemon.owner != nil else { throw .noRadio }
    lastCall += 1
    let number = lastCall
    let call = MethodCall.toDaemon(at: path, interface, member, arguments)
    return try await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        calls[number] = Call(path: path, continuation: continuation, waiter: waiter)
        let completion = callback { (this: isolated CentralManager, result: Result<[DBusValue], DBusFailure>) in
          this.end(number, result.mapError { CentralFailure($0) })
        }
        connection.assumeIsolated { _ = $0.start(call, timeout: timeout, completion) }
      }
    } onCancel: {
      Task { await self.end(number, .failure(.bus(.cancelled))) }
    }.get()
  }

  private func end(_ number: Int, _ reply: Reply) {
    guard let call = calls.removeValue(forKey: number) else { return }
    if let waiter = call.waiter { waiters[waiter]?.outcome = nil }
    call.continuation.resume(returning: reply)
  }

  private func start(
    at path: ObjectPath, _ interface: InterfaceName, _ member: MemberName, _ arguments: [DBusValue],
    _ completion: @escaping @Sendable (Result<[DBusValue], DBusFailure>) -> Void
  ) {
    connection.assumeIsolated { connection in
      _ = connection.start(.toDaemon(at: path, interface, member, arguments), completion)
    }
  }

  // MARK: Events of bluetoothd

  private func observe(_ event: DaemonObserver.Event) {
    switch event {
    case .daemon(let owner, _):
      // After bluetoothd has started, nothing is reported before its adapters are known.
      if daemon.ownerChanged(to: owner) { replaceInventory(with: CentralInventory()) }
    case .objects(let objects): replaceInventory(with: CentralInventory(managedObjects: objects))
    case .signal(let signal): for change in inventory.apply(signal) { handle(change) }
    case .busLost: report(.busLost)
    }
  }

  private func replaceInventory(with new: CentralInventory) {
    let old = inventory
    let oldAdapter = adapter?.path
    inventory = new
    for device in old.sortedDevices where device.path.parent == oldAdapter {
      if device.isConnected, new.devices[device.path]?.isConnected != true {
        wake(device.path, .disconnected)
        report(.disconnected(device))
      }
      if new.devices[device.path] == nil { report(.vanished(device)) }
    }
    adaptersChanged()
    for device in new.sortedDevices where isOurs(device) {
      if device.isConnected, old.devices[device.path]?.isConnected != true { report(.connected(device)) }
    }
  }

  /// Devices of other adapters are not reported.
  private func isOurs(_ device: FoundDevice) -> Bool { device.path.parent == adapter?.path }

  private func handle(_ change: CentralInventory.Change) {
    switch change {
    case .adapters: adaptersChanged()
    case .appeared(let device): if isOurs(device) { report(.appeared(device)) }
    case .advertised(let device): if isOurs(device) { report(.advertised(device)) }
    case .vanished(let device): if isOurs(device) { report(.vanished(device)) }
    case .connected(let device): if isOurs(device) { report(.connected(device)) }
    case .resolved(let device): wake(device.path, .resolved)
    case .disconnected(let device):
      wake(device.path, .disconnected)
      if isOurs(device) { report(.disconnected(device)) }
    case .servicesChanged(let device): report(.servicesChanged(device: device))
    case .value(let characteristic, let value):
      if reads[characteristic]?.append(value) == nil { report(.value(characteristic: characteristic, value)) }
    }
  }

  private func wake(_ device: ObjectPath, _ outcome: Outcome) {
    for (number, waiter) in waiters where waiter.device == device { wake(number, outcome) }
    if outcome == .disconnected { endCalls(to: device) }
  }

  /// Ends the calls to attributes of the device.
  private func endCalls(to device: ObjectPath) {
    for (number, call) in calls where device.isAncestor(of: call.path) { end(number, .failure(.notConnected)) }
  }

  private func wake(_ waiter: Int, _ outcome: Outcome) {
    waiters[waiter]?.outcome = outcome
    let continuation = waiters[waiter]?.continuation
    waiters[waiter]?.continuation = nil
    continuation?.resume(returning: outcome)
  }

  private func adaptersChanged() {
    let adapter = daemon.owner == nil ? nil : adapter
    if let state = daemon.adapterChanged(to: adapter) { report(.radio(state)) }
    run(.adapterChanged(adapter.flatMap { $0.isPowered ? $0.path : nil }))
  }

  private func run(_ event: ScanMachine.Event) {
    for action in machine.handle(event) { perform(action) }
  }

  private func perform(_ action: ScanMachine.Action) {
    switch action {
    case .start(let adapter, let filter):
      start(at: adapter, BlueZName.adapter, "SetDiscoveryFilter", [filter.properties]) { _ in }
      start(
        at: adapter, BlueZName.adapter, "StartDiscovery", [],
        callback { this, result in
          switch result {
          case .success: this.run(.started(adapter))
          case .failure(let failure): this.run(.failed(adapter, failure))
          }
        })
    case .stop(let adapter):
      start(at: adapter, BlueZName.adapter, "StopDiscovery", [], callback { this, _ in this.run(.stopped(adapter)) })
    case .retry(let delay): retry = loop.schedule(after: delay, callback { $0.run(.retryDue) })
    case .didStart: report(.scanning)
    case .didFail(let failure): report(.scanningFailed(failure))
    }
  }
}

/// The attributes of connected devices.
extension CentralManager {
  /// Reads the whole value of a characteristic or descriptor, of any length.
  package func read(_ attribute: ObjectPath, descriptor: Bool = false) async throws(CentralFailure) -> [UInt8] {
    let interface = descriptor ? BlueZName.gattDescriptor : BlueZName.gattCharacteristic
    // bluetoothd signals the value that is read as if it were notified, before it replies.
    reads[attribute] = reads[attribute] ?? []
    var own: [UInt8]?
    defer {
      var values = reads.removeValue(forKey: attribute) ?? []
      if let index = values.lastIndex(where: { $0 == own }) { values.remove(at: index) }
      for value in values { report(.value(characteristic: attribute, value)) }
    }
    own = try await ask(at: attribute, interface, "ReadValue", [.properties([])]).first?.byteArray
    return own ?? []
  }

  package func write(_ value: [UInt8], toDescriptor descriptor: ObjectPath) async throws(CentralFailure) {
    _ = try await ask(at: descriptor, BlueZName.gattDescriptor, "WriteValue", [.bytes(value), .properties([])])
  }

  /// The type of a write.
  package enum WriteKind: String, Sendable {
    /// A Write Request: the device responds.
    case request
    /// A Write Command: the device does not respond.
    case command
  }

  package func write(
    _ value: [UInt8], to characteristic: ObjectPath, _ kind: WriteKind = .request
  ) async throws(CentralFailure) {
    _ = try await ask(
      at: characteristic, BlueZName.gattCharacteristic, "WriteValue",
      [.bytes(value), .properties([("type", .string(kind.rawValue))])])
  }

  /// Subscribes; values are reported as events.
  package func subscribe(to characteristic: ObjectPath) async throws(CentralFailure) {
    _ = try await ask(at: characteristic, BlueZName.gattCharacteristic, "StartNotify")
  }

  package func unsubscribe(from characteristic: ObjectPath) async throws(CentralFailure) {
    _ = try await ask(at: characteristic, BlueZName.gattCharacteristic, "StopNotify")
  }
}
