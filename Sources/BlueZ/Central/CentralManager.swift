package import DBus
import EventLoop

/// The central side of bluetoothd: hears what is advertised, connects, and uses what is served. Pairing is left to
/// bluetoothd's agents.
///
/// Events come on the loop's thread, in order.
package actor CentralManager {
  /// How long bluetoothd may take to connect and to list the services. It gives up a connection itself after 20 s or so.
  package static let connectTimeout = Duration.seconds(30)
  /// ATT allows 30 s (Core Specification, Vol 3, Part F, 3.3.3).
  private static let requestTimeout = Duration.seconds(35)
  /// The Security Manager allows 30 s for each step (Core Specification, Vol 3, Part H, 3.4).
  private static let pairingTimeout = Duration.seconds(90)

  package nonisolated let connection: DBusConnection
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe connection.unownedExecutor }
  private nonisolated var loop: EventLoop { connection.loop }

  private let wantedAdapter: String?
  private let report: @Sendable (CentralManagerEvent) -> Void
  private var daemon: BusName?
  private var inventory = CentralInventory()
  private var radio: RadioState?
  private var machine = ScanMachine()
  private var retry: EventSource?
  /// Who waits for a device's services, or for the end of its connection.
  private var waiters: [ObjectPath: [CheckedContinuation<Outcome, Never>]] = [:]

  /// What comes of a connection.
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
    wantedAdapter = adapter
    self.report = report
  }

  /// Looks at what bluetoothd has and follows it from then on; the first event tells the state of the radio.
  package func start() async throws(DBusFailure) {
    await connection.onDisconnect { [weak self] in
      self?.assumeIsolated { this in
        this.daemonChanged(to: nil)
        this.report(.busLost)
      }
    }
    _ = try await connection.subscribe(
      to: MatchRule(sender: .bus, interface: .bus, member: "NameOwnerChanged", arg0: BlueZName.bus.rawValue)
    ) { [weak self] signal, _ in
      let owner = signal.arguments.last?.text.flatMap { BusName($0) }
      self?.assumeIsolated { $0.daemonChanged(to: owner) }
    }
    for rule in [
      MatchRule(sender: BlueZName.bus, interface: .objectManager),
      MatchRule(sender: BlueZName.bus, interface: .properties, pathNamespace: BlueZName.root),
    ] {
      _ = try await connection.subscribe(to: rule) { [weak self] signal, sender in
        self?.assumeIsolated { this in
          guard sender == this.daemon else { return }
          this.apply(signal)
        }
      }
    }
    await connection.startFindingOwner(of: BlueZName.bus) { [weak self] result in
      guard case .success(let owner) = result else { return }
      self?.assumeIsolated { $0.daemonChanged(to: owner) }
    }
  }

  /// Leaves the bus; bluetoothd then stops listening for us and ends our subscriptions.
  package func close() async { await connection.close() }

  // MARK: Listening

  /// Hears what the filter lets through from now on, again after whatever interrupts it; nil hears nothing.
  package func scan(_ filter: ScanFilter?) { run(.want(filter)) }

  /// Has bluetoothd forget the device, so that its next advertisement is told as if it were the first; false where
  /// that would cost something, or the device is not there.
  ///
  /// - Parameter evenPaired: forgets a bond too.
  @discardableResult
  package func forget(_ device: ObjectPath, evenPaired: Bool = false) -> Bool {
    guard let adapter = device.parent, let found = inventory.devices[device] else { return false }
    guard found.isForgettable || evenPaired && !found.isConnected else { return false }
    start(adapter, BlueZName.adapter, "RemoveDevice", [.objectPath(device)]) { _ in }
    return true
  }

  /// Has bluetoothd forget all that it has heard with the adapter in use and that costs nothing, so that only what is on
  /// the air from now on is told.
  package func forgetStrangers() {
    for device in inventory.devices.values where isOurs(device) && device.isForgettable { forget(device.path) }
  }

  /// What the adapter in use knows of.
  package var devices: [FoundDevice] {
    inventory.devices.values.filter { isOurs($0) }.sorted { $0.path < $1.path }
  }

  /// The device of that address, where the adapter in use knows it.
  package func device(_ address: String) -> FoundDevice? {
    inventory.devices.values.first { isOurs($0) && $0.address == address }
  }

  // MARK: Connecting

  /// Connects and waits until the services are known.
  package func connect(to device: ObjectPath) async throws(CentralFailure) {
    do throws(CentralFailure) {
      _ = try await ask(device, BlueZName.device, "Connect", timeout: Self.connectTimeout)
    } catch {
      // bluetoothd would go on trying.
      if case .timedOut = error { start(device, BlueZName.device, "Disconnect", []) { _ in } }
      throw error
    }
    if inventory.devices[device]?.isResolved == true { return }
    // bluetoothd may answer before it tells that the device is connected.
    guard inventory.devices[device] != nil else { throw .notConnected }
    guard await wait(for: device, .resolved) else {
      throw inventory.devices[device]?.isConnected == true ? .timedOut(Self.connectTimeout) : .notConnected
    }
  }

  /// Whether it has come to that; false where something else has come first, or nothing in time.
  private func wait(for device: ObjectPath, _ wanted: Outcome) async -> Bool {
    let limit = loop.schedule(after: Self.connectTimeout) { [weak self] in
      self?.assumeIsolated { $0.wake(device, .neither) }
    }
    defer { limit.cancel() }
    return await withCheckedContinuation { waiters[device, default: []].append($0) } == wanted
  }

  /// Disconnects; the connection is gone when this returns.
  package func disconnect(from device: ObjectPath) async throws(CentralFailure) {
    _ = try await ask(device, BlueZName.device, "Disconnect")
    guard inventory.devices[device]?.isConnected == true else { return }
    guard await wait(for: device, .disconnected) else { throw .timedOut(Self.connectTimeout) }
  }

  /// Pairs with a connected device, as bluetoothd's agents answer.
  package func pair(with device: ObjectPath) async throws(CentralFailure) {
    _ = try await ask(device, BlueZName.device, "Pair", timeout: Self.pairingTimeout)
  }

  /// The services of a connected device, in the order of their handles.
  package func services(of device: ObjectPath) -> [FoundService] { inventory.services(of: device) }

  /// The adapter in use.
  package var adapter: Adapter? { inventory.adapter(named: wantedAdapter) }

  // MARK: Asking bluetoothd

  func ask(
    _ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName, _ arguments: [DBusValue] = [],
    timeout: Duration = requestTimeout
  ) async throws(CentralFailure) -> [DBusValue] {
    guard daemon != nil else { throw .noRadio }
    do throws(DBusFailure) {
      return try await connection.call(Self.call(path, interface, member, arguments), timeout: timeout)
    } catch {
      throw CentralFailure(error)
    }
  }

  private static func call(
    _ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName, _ arguments: [DBusValue]
  ) -> MethodCall {
    MethodCall(destination: BlueZName.bus, path: path, interface: interface, member: member, arguments: arguments)
  }

  private func start(
    _ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName, _ arguments: [DBusValue],
    _ completion: @escaping @Sendable (Result<[DBusValue], DBusFailure>) -> Void
  ) {
    connection.assumeIsolated { connection in
      _ = connection.start(Self.call(path, interface, member, arguments), completion)
    }
  }

  // MARK: What bluetoothd tells

  private func daemonChanged(to owner: BusName?) {
    guard owner != daemon || radio == nil else { return }
    let hadDaemon = daemon != nil
    daemon = owner
    if owner == nil || hadDaemon { replaceInventory(with: CentralInventory()) }
    guard owner != nil else { return }
    start(.root, .objectManager, "GetManagedObjects", []) { [weak self] result in
      self?.assumeIsolated { this in
        guard this.daemon == owner, case .success(let values) = result, let objects = values.first else { return }
        this.replaceInventory(with: CentralInventory(managedObjects: objects))
      }
    }
  }

  private func replaceInventory(with new: CentralInventory) {
    let old = inventory.devices
    let oldAdapter = adapter?.path
    inventory = new
    for device in old.values.sorted(by: { $0.path < $1.path }) where device.path.parent == oldAdapter {
      if device.isConnected, new.devices[device.path]?.isConnected != true {
        wake(device.path, .disconnected)
        report(.disconnected(device))
      }
      if new.devices[device.path] == nil { report(.vanished(device)) }
    }
    adaptersChanged()
    for device in new.devices.values.sorted(by: { $0.path < $1.path }) where isOurs(device) {
      if device.isConnected, old[device.path]?.isConnected != true { report(.connected(device)) }
    }
  }

  private func apply(_ signal: Signal) {
    for change in inventory.apply(signal) { tell(change) }
  }

  /// Of what other adapters hear nothing is told.
  private func isOurs(_ device: FoundDevice) -> Bool { device.path.parent == adapter?.path }

  private func tell(_ change: CentralInventory.Change) {
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
    case .value(let characteristic, let value): report(.value(characteristic: characteristic, value))
    }
  }

  private func wake(_ device: ObjectPath, _ outcome: Outcome) {
    for waiter in waiters.removeValue(forKey: device) ?? [] { waiter.resume(returning: outcome) }
  }

  private func adaptersChanged() {
    let adapter = daemon == nil ? nil : adapter
    let state: RadioState =
      switch adapter {
      case _ where daemon == nil: .noDaemon
      case nil: .noAdapter(wanted: wantedAdapter)
      case let adapter?: adapter.isPowered ? .poweredOn(adapter: adapter.name) : .poweredOff(adapter: adapter.name)
      }
    if state != radio {
      radio = state
      report(.radio(state))
    }
    run(.adapterChanged(adapter.flatMap { $0.isPowered ? $0.path : nil }))
  }

  private func run(_ event: ScanMachine.Event) {
    for action in machine.handle(event) { perform(action) }
  }

  private func perform(_ action: ScanMachine.Action) {
    switch action {
    case .start(let adapter, let filter):
      start(adapter, BlueZName.adapter, "SetDiscoveryFilter", [filter.properties]) { _ in }
      start(adapter, BlueZName.adapter, "StartDiscovery", []) { [weak self] result in
        self?.assumeIsolated { this in
          switch result {
          case .success: this.run(.started(adapter))
          case .failure(let failure): this.run(.failed(adapter, failure))
          }
        }
      }
    case .stop(let adapter): start(adapter, BlueZName.adapter, "StopDiscovery", []) { _ in }
    case .retry(let delay):
      retry = loop.schedule(after: delay) { [weak self] in self?.assumeIsolated { $0.run(.retryDue) } }
    case .didStart: report(.scanning)
    case .didFail(let failure): report(.scanningFailed(failure))
    }
  }
}
