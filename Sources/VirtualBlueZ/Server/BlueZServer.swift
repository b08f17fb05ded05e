package import DBus
package import EventLoop

/// org.bluez on a bus, with adapters that share one virtual air.
///
/// Every call, signal, timer and descriptor becomes an event of the air, and every action of the air a signal, a call
/// or an answer, in order.
package actor BlueZServer {
  package struct Options: Sendable {
    package var behavior: DaemonBehavior
    package var conditions: AirConditions
    package var seed: UInt64
    /// hci0, hci1, ...
    package var adapters: [AdapterDescription]
    /// Whether time passes by `advance` alone. Calls to programs keep the real time.
    package var isManual: Bool

    package init(
      behavior: DaemonBehavior = .init(), conditions: AirConditions = .init(), seed: UInt64 = 0,
      adapters: [AdapterDescription], isManual: Bool = false
    ) {
      self.isManual = isManual
      self.behavior = behavior
      self.conditions = conditions
      self.seed = seed
      self.adapters = adapters
    }

    /// So many adapters like those of btvirt: `00:AA:01:00:00:00`, `00:AA:01:00:00:01`, ...
    package static func adapters(_ count: Int) -> Options {
      Options(
        adapters: (0..<count).map { number in
          AdapterDescription(
            address: DeviceAddress(bits: 0x00AA_0100_0000 + UInt64(number)), name: "virtual \(number)")
        })
    }
  }

  /// Why it could not start.
  package enum Failure: Error, Hashable, Sendable {
    case nameTaken
    case bus(DBusFailure)
  }

  typealias Completion = @Sendable (isolated BlueZServer, Result<[UInt8], ClientFailure>) -> Void

  package nonisolated let connection: DBusConnection
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe connection.unownedExecutor }
  nonisolated var loop: EventLoop { connection.loop }

  let options: Options
  var air: VirtualAir
  var tree = ObjectTree()
  var adapterStates: [AdapterID: AdapterState] = [:]
  var devices: [DeviceKey: KnownDevice] = [:]
  /// When devices are forgotten, if nobody cares for them.
  var expiries = TimerQueue<DeviceKey>()
  /// When adapters are discoverable no more.
  var discoverableEnds = TimerQueue<(adapter: AdapterID, turn: Int)>()
  var remoteAttributes: [ObjectPath: RemoteAttribute] = [:]
  /// Reads of clients that are under way, and who waits for them.
  var reads: [ObjectPath: (offset: Int, calls: [IncomingCall])] = [:]
  var writesUnderWay: Set<ObjectPath> = []
  var sessions: [ObjectPath: NotifySession] = [:]
  var writers: [ObjectPath: (socket: SequencedSocket, source: EventSource)] = [:]
  var applications: [ApplicationID: RegisteredApplication] = [:]
  var notifySources: [ApplicationObject: [DeviceAddress: EventSource]] = [:]
  var registeredAdvertisements: [AdvertisementID: RegisteredAdvertisement] = [:]
  var agents: [BusName: RegisteredAgent] = [:]
  /// The one asked last first.
  var defaultAgents: [BusName] = []
  var pairingCallers: [ConnectionID: BusName] = [:]
  var completions: [OperationID: Completion] = [:]

  private var lastNumber = 0
  private var events: [AirEvent] = []
  private var isRunning = false
  private var timer: EventSource?
  /// What has changed and is not told yet.
  var pending: [PendingChange] = []
  private let start = ContinuousClock.now
  /// What `advance` has let pass.
  private var skipped = Duration.zero

  private init(connection: DBusConnection, options: Options) {
    self.connection = connection
    self.options = options
    air = VirtualAir(behavior: options.behavior, conditions: options.conditions, seed: options.seed)
  }

  /// Connects to the bus and takes the name org.bluez; the adapters are there when this returns.
  package static func open(
    _ address: BusAddress, on loop: EventLoop, options: Options
  ) async throws(Failure) -> BlueZServer {
    do {
      let connection = try await DBusConnection.open(address, on: loop)
      let server = BlueZServer(connection: connection, options: options)
      try await server.begin()
      guard try await connection.request(BluezNames.bus) else {
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
    declare(BluezNames.root, .agentManager)
    for (number, description) in options.adapters.enumerated() { addAdapter(AdapterID(number), description) }
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

  /// Lets go of everything and leaves the bus.
  package func close() async {
    timer = nil
    for advertisement in registeredAdvertisements.values { release(advertisement) }
    for (owner, agent) in agents { call(owner, agent.path, BluezNames.agent, "Release", expectsReply: false) }
    completions = [:]
    await connection.close()
  }

  /// Changes the conditions of the air.
  package func set(_ conditions: AirConditions) { run(.conditions(conditions)) }

  /// Changes what two adapters measure of each other, in dBm; nil for what the conditions say.
  package func setRSSI(between first: AdapterID, and second: AdapterID, to rssi: Int?) {
    run(.rssi(first, second, rssi))
  }

  /// Plugs one more adapter in.
  package func plug(_ id: AdapterID, _ description: AdapterDescription) {
    guard adapterStates[id] == nil else { return }
    addAdapter(id, description)
    if let path = adapterStates[id]?.path { announce(path) }
    shareCapability()
  }

  /// Pulls an adapter out: advertisements are released, applications forgotten, devices gone.
  package func unplug(_ id: AdapterID) {
    guard let path = adapterStates[id]?.path else { return }
    run(.removed(id))
    for (number, application) in applications.sorted(by: { $0.key < $1.key }) where application.adapter == id {
      forget(number)
    }
    for key in devices.keys.sorted() where key.adapter == id { forget(key) }
    removeObject(path)
    adapterStates[id] = nil
  }

  // MARK: The air

  /// Lets time pass at once: everything that becomes due happens at its own moment.
  package func advance(by duration: Duration) {
    let end = now + duration
    while let deadline = nextDeadline, deadline <= end {
      skipped += max(.zero, deadline - now)
      tick()
    }
    skipped += max(.zero, end - now)
    guard !options.isManual else { return }
    tick()
  }

  var now: Duration { options.isManual ? skipped : ContinuousClock.now - start + skipped }

  private var nextDeadline: Duration? {
    [air.nextDeadline, expiries.nextDeadline, discoverableEnds.nextDeadline].compactMap(\.self).min()
  }

  private func tick() {
    while let (_, key) = expiries.pop(at: now) { expire(key) }
    while let (_, end) = discoverableEnds.pop(at: now) { endDiscoverable(end.adapter, turn: end.turn) }
    run(.tick)
  }

  func nextNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  /// An event that comes while another one is handled waits for its turn.
  func run(_ event: AirEvent) {
    events.append(event)
    guard !isRunning else { return }
    isRunning = true
    while !events.isEmpty {
      for action in air.handle(events.removeFirst(), at: now) { perform(action) }
    }
    isRunning = false
    flush()
    guard !options.isManual else { return }
    timer = nextDeadline.map { deadline in
      loop.schedule(after: max(.zero, deadline - now)) { [weak self] in self?.assumeIsolated { $0.tick() } }
    }
  }

  func operate(_ connection: ConnectionID, _ operation: ClientOperation, _ completion: @escaping Completion) {
    let id = OperationID(nextNumber())
    completions[id] = completion
    run(.perform(id, connection, operation))
  }

  private func perform(_ action: AirAction) {
    switch action {
    case .poweredOff(let adapter): poweredOff(adapter)
    case .advertising(let id): advertisingBegan(id)
    case .advertisementRefused(let id, let refusal): refused(id, refusal)
    case .advertisementReleased(let id): released(id)
    case .heard(let adapter, let report): heard(report, at: adapter)
    case .connected(let id, let central, let peripheral): connected(id, central, peripheral)
    case .connectFailed(let adapter, let address): connectFailed(DeviceKey(adapter: adapter, address: address))
    case .disconnected(let id, let central, let peripheral): disconnected(id, central, peripheral)
    case .servicesResolved(let id), .servicesChanged(let id): servicesResolved(id)
    case .pairingQuestion(let id, let adapter, let question): ask(question, id, adapter)
    case .pairingCancelled(let id, let adapter): cancelQuestion(id, adapter)
    case .paired(let id): paired(id)
    case .published(let id, let services, let objects): published(id, services, objects)
    case .publicationRefused(let id, let refusal): refused(id, refusal)
    case .read(let id, let object, let options): read(id, object, options)
    case .write(let id, let object, let value, let options): write(id, object, value, options)
    case .subscribed(let object, let id, let isFirst, _): subscribed(object, id, isFirst: isFirst)
    case .unsubscribed(let object, let device, let isLast): unsubscribed(object, device, isLast: isLast)
    case .confirmed(let object, let device): confirmed(object, device)
    case .completed(let id, let result): completions.removeValue(forKey: id)?(self, result)
    case .valueChanged(let id, let handle, let value): valueChanged(id, handle, value)
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
    lostClient(name)
    lostSessions(of: name)
    if agents[name] != nil { removeAgent(of: name) }
  }
}
