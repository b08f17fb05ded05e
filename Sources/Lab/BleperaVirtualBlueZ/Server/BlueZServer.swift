package import BleperaAir
import BleperaBlueZProtocol
import BleperaBluetooth
package import BleperaDBus
package import BleperaEventLoop
import BleperaHost
import BleperaLoop

/// org.bluez on a bus, with adapters on a virtual air that other participants may share.
///
/// Converts calls, signals, timers and file descriptors to events of the air, and actions of the air to signals, calls
/// and replies, in order.
package actor BlueZServer {
  package struct Options: Sendable {
    package var behavior: DaemonBehavior
    package var conditions: AirConditions
    package var seed: UInt64
    package var adapters: [AdapterDescription]
    /// By default hci0, hci1, ...
    package var names: [String]
    /// How many service discoveries fail at first; like bluetoothd, the server then sets `ServicesResolved` of a device
    /// without services (`gatt_client_ready_cb` in BlueZ's src/device.c).
    package var failingDiscoveries = 0
    /// Whether an agent without input and output agrees to pairings for which no program has an agent.
    package var agrees = false

    package init(
      behavior: DaemonBehavior = .init(), conditions: AirConditions = .init(), seed: UInt64 = 0,
      adapters: [AdapterDescription]
    ) {
      self.behavior = behavior
      self.conditions = conditions
      self.seed = seed
      self.adapters = adapters
      names = adapters.indices.map { "hci\($0)" }
    }

    /// Options with `count` adapters like those of btvirt: `00:AA:01:00:00:00`, `00:AA:01:00:00:01`, ...
    package static func adapters(_ count: Int) -> Options {
      Options(
        adapters: (0..<count).map { number in
          AdapterDescription(
            address: DeviceAddress(bits: 0x00AA_0100_0000 + UInt64(number)), name: "virtual \(number)")
        })
    }
  }

  /// Why the server could not start.
  package enum Failure: Error, Hashable, Sendable {
    case nameTaken
    case bus(DBusFailure)
  }

  typealias Completion = @Sendable (isolated BlueZServer, Result<[UInt8], ProcedureFailure>) -> Void

  package nonisolated let connection: DBusConnection
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe connection.unownedExecutor }
  nonisolated var loop: EventLoop { connection.loop }
  nonisolated let sharedAir: SharedAir

  let options: Options
  var tree = ObjectTree(listsImplied: true)
  var adapterStates: [AdapterID: BlueZAdapterState] = [:]
  var devices: [DeviceKey: KnownDevice] = [:]
  var remoteAttributes: [ObjectPath: RemoteAttribute] = [:]
  /// Reads in progress and the calls that wait for them.
  var reads: [ObjectPath: (offset: Int, calls: [IncomingCall])] = [:]
  var writesUnderWay: Set<ObjectPath> = []
  var sessions: [ObjectPath: NotifySession] = [:]
  var writers: [ObjectPath: (socket: SequencedSocket, source: EventSource)] = [:]
  var applications: [ApplicationID: RegisteredApplication] = [:]
  var notifySources: [ApplicationObject: [DeviceAddress: EventSource]] = [:]
  var registeredAdvertisements: [AdvertisementID: RegisteredAdvertisement] = [:]
  var monitors: [MonitorRoot: RegisteredMonitors] = [:]
  var agents: [BusName: RegisteredAgent] = [:]
  /// The most recent request first.
  var defaultAgents: [BusName] = []
  var pairingCallers: [ConnectionID: BusName] = [:]
  /// Changes that are not signaled yet.
  var pending: [PendingChange] = []
  private var isClosed = false
  /// The number of service discoveries; see ``Options/failingDiscoveries``.
  var discoveries = 0

  private init(connection: DBusConnection, options: Options, sharedAir: SharedAir) {
    self.connection = connection
    self.options = options
    self.sharedAir = sharedAir
  }

  /// Connects to the bus and requests the name org.bluez; the adapters exist when `open` returns.
  ///
  /// - Parameter air: the air for the adapters, on the same loop, which may have its own clock; nil creates an air with
  ///   the conditions and the seed of the options.
  package static func open(
    _ address: BusAddress, on loop: EventLoop, options: Options, air: SharedAir? = nil
  ) async throws(Failure) -> BlueZServer {
    do {
      let connection = try await DBusConnection.open(address, on: loop)
      let server = BlueZServer(
        connection: connection, options: options,
        sharedAir: air ?? SharedAir(loop: loop, conditions: options.conditions, seed: options.seed))
      try await server.begin()
      guard try await connection.request(BlueZName.bus) else {
        await server.close()
        throw Failure.nameTaken
      }
      return server
    } catch let failure as Failure {
      throw failure
    } catch let failure as DBusFailure {
      throw .bus(failure)
    } catch {
      throw .bus(.disconnected)
    }
  }

  private func begin() async throws(DBusFailure) {
    declare(.root, .objectManager)
    declare(BlueZName.root, .agentManager)
    addAdapters()
    await connection.export(at: .root) { [weak self] call in self?.assumeIsolated { $0.receive(call) } }
    _ = try await connection.subscribe(
      to: MatchRule(sender: .bus, interface: .bus, member: "NameOwnerChanged")
    ) { [weak self] signal, _ in
      guard signal.arguments.last?.text?.isEmpty == true,
        let name = signal.arguments.first?.text.flatMap({ BusName($0) }), name.isUnique
      else { return }
      self?.assumeIsolated { $0.lost(name) }
    }
  }

  private func addAdapters() {
    for (name, description) in zip(options.names, options.adapters) {
      let description = description.behaving(as: options.behavior)
      let id = sharedAir.assumeIsolated { $0.addAdapter(description) }
      declareAdapter(id, description, named: name)
    }
    shareCapability()
  }

  private func removeAdapters() {
    for id in adapterStates.keys.sorted() {
      sharedAir.assumeIsolated {
        $0.attach(nil, to: id)
        $0.run(.removed(id))
      }
    }
  }

  /// Ends all activity, removes the adapters from the air and disconnects from the bus.
  package func close() async {
    // bluetoothd powers its adapters off before it ends.
    for adapter in adapterStates.keys.sorted() { setPowered(adapter, false) }
    for advertisement in registeredAdvertisements.values { release(advertisement) }
    for root in monitors.keys { releaseMonitors(of: root) }
    for (owner, agent) in agents { call(owner, "Release", of: BlueZName.agent, at: agent.path, expectsReply: false) }
    isClosed = true
    removeAdapters()
    await connection.close()
  }

  /// Changes the conditions of the air.
  package func set(_ conditions: AirConditions) { run(.conditions(conditions)) }

  /// Plugs in another adapter.
  package func plug(_ id: AdapterID, _ description: AdapterDescription) {
    guard adapterStates[id] == nil else { return }
    let description = description.behaving(as: options.behavior)
    run(.added(id, description))
    declareAdapter(id, description, named: id.description)
    if let path = adapterStates[id]?.path { announce(path) }
    shareCapability()
  }

  /// Unplugs an adapter: releases its advertisements and forgets its applications and devices.
  package func unplug(_ id: AdapterID) {
    guard let path = adapterStates[id]?.path else { return }
    for root in monitors.keys where root.adapter == id { releaseMonitors(of: root) }
    for advertisement in registeredAdvertisements.filter({ $0.value.adapter == id }).keys.sorted() {
      released(advertisement)
    }
    run(.removed(id))
    for (number, application) in applications.sorted(by: { $0.key < $1.key }) where application.adapter == id {
      forget(number)
    }
    for key in devices.keys.sorted() where key.adapter == id { forget(key) }
    removeObject(path)
    refuseWaiting(id)
    adapterStates[id] = nil
    sharedAir.assumeIsolated { $0.attach(nil, to: id) }
  }

  // MARK: The air

  /// The current state of the air.
  var air: VirtualAir { sharedAir.assumeIsolated { $0.air } }

  /// The connection as its central has it, which is an adapter of the server.
  func centralLink(_ id: ConnectionID) -> HostLink? {
    peripheral(id).flatMap { air.hosts[$0.adapter]?.links[id] }
  }

  /// The ATT_MTU in bytes, on which the central's host has agreed.
  func mtu(of id: ConnectionID) -> Int {
    centralLink(id)?.mtu ?? ATTMTU.range.lowerBound
  }

  nonisolated var now: Duration { sharedAir.loop.now }

  /// Runs `body` after `delay`, unless the timer is released before.
  func later(
    after delay: Duration, _ body: @escaping @Sendable (isolated BlueZServer) -> Void
  ) -> any LoopTimer {
    sharedAir.loop.schedule(after: max(.zero, delay)) { [weak self] in
      self?.assumeIsolated { this in
        body(this)
        this.flush()
      }
    }
  }

  func run(_ event: AirEvent) {
    sharedAir.assumeIsolated { $0.run(event) }
    // Changes during a turn are signaled at the end of the turn.
    if !sharedAir.assumeIsolated({ $0.isRunning }) { flush() }
  }

  func operate(_ connection: ConnectionID, _ operation: GATTProcedure, _ completion: @escaping Completion) {
    guard let adapter = peripheral(connection)?.adapter ?? adapterStates.keys.min() else { return }
    operate(for: adapter, { .host(adapter, .perform($0, connection, operation)) }, completion)
  }

  func operate(
    for adapter: AdapterID, _ event: (OperationID) -> AirEvent, _ completion: @escaping Completion
  ) {
    sharedAir.assumeIsolated { sharedAir in
      sharedAir.operate(for: adapter, event) { [weak self] result in
        self?.assumeIsolated { if !$0.isClosed { completion($0, result.map(\.bytes)) } }
      }
    }
  }

  func perform(_ action: AirAction) {
    switch action {
    case .linkLayer(let adapter, let event): take(event, at: adapter)
    case .host(let adapter, let action): take(action, at: adapter)
    }
  }

  private func take(_ event: LinkLayerEvent, at adapter: AdapterID) {
    switch event {
    case .poweredOff: poweredOff(adapter)
    case .advertising(let id): advertisingBegan(id)
    case .advertisementRefused(let id): refused(id, .notRegistered)
    case .received(let report): received(report, at: adapter)
    case .connected(let id, let opening): connected(id, opening, at: adapter)
    case .connectFailed(let address): connectFailed(DeviceKey(adapter: adapter, address: address))
    case .removed, .added, .advertisementReleased, .rssi, .link: break
    }
  }

  private func take(_ action: HostAction, at adapter: AdapterID) {
    switch action {
    case .disconnected(let id, _): disconnected(id)
    case .servicesResolved(let id): discovered(over: id)
    case .servicesChanged(let id, let range): servicesResolved(id, changed: range)
    case .pairingRequest(let id, let question): ask(question, id, adapter)
    case .pairingCancelled(let id): cancelQuestion(id, adapter)
    case .paired(let id): paired(id, adapter)
    case .mtuChanged(let id): if air.hosts[adapter]?.links[id]?.isCentral == true { mtuExchanged(over: id) }
    case .published(let id, let services, let objects): published(id, services, objects)
    case .publicationRefused(let id, let refusal, let begun): refused(id, refusal, begun)
    case .read(let id, let object, let options): read(object, options, for: id, at: adapter)
    case .write(let id, let object, let value, let options):
      write(value, to: object, options, for: id, at: adapter)
    case .subscribed(let object, let id, let isFirst, _): subscribed(object, id, isFirst: isFirst)
    case .unsubscribed(let object, let device, let isLast): unsubscribed(object, device, isLast: isLast)
    case .confirmed(let object, let device): confirmed(object, device)
    case .valueChanged(let id, let handle, let value): valueChanged(id, handle, value)
    // The stack joins prepared writes, and its adapters have no channels.
    case .completed, .preparedWrite, .channelOpened, .channelChanged, .secured, .keyUnknown: break
    }
  }

  private func lost(_ name: BusName) {
    for (id, advertisement) in registeredAdvertisements.sorted(by: { $0.key < $1.key })
    where advertisement.owner == name {
      forget(id)
    }
    for (id, application) in applications.sorted(by: { $0.key < $1.key }) where application.owner == name {
      forget(id)
    }
    for root in monitors.keys where root.owner == name { forgetMonitors(of: root) }
    lostClient(name)
    lostSessions(of: name)
    if agents[name] != nil { removeAgent(of: name) }
  }
}
