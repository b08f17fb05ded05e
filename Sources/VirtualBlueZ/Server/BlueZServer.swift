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

    package init(
      behavior: DaemonBehavior = .init(), conditions: AirConditions = .init(), seed: UInt64 = 0,
      adapters: [AdapterDescription]
    ) {
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
  var expiries: [DeviceKey: EventSource] = [:]
  var remoteAttributes: [ObjectPath: RemoteAttribute] = [:]
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
  private var pending: [PendingChange] = []
  private let start = ContinuousClock.now

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
    completions = [:]
    await connection.close()
  }

  /// Changes the air: its conditions, an adapter's signal strength, an adapter that goes.
  package func change(_ event: AirEvent) { run(event) }

  // MARK: The air

  var now: Duration { ContinuousClock.now - start }

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
    timer = air.nextDeadline.map { deadline in
      loop.schedule(after: max(.zero, deadline - now)) { [weak self] in self?.assumeIsolated { $0.run(.tick) } }
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

  // MARK: Objects

  /// Adds one of our own interfaces; a fault there is ours, and leaves the object without it.
  func declare(_ path: ObjectPath, _ interface: InterfaceDescription, _ properties: [(String, DBusValue)] = []) {
    do throws(ObjectTreeFault) {
      try tree.add(path, interface: interface, properties: properties)
    } catch {
      assertionFailure("\(error)")
    }
  }

  /// Tells of an object that has come.
  func announce(_ path: ObjectPath) {
    flush()
    if let signal = tree.interfacesAdded(at: path) { emit(signal) }
  }

  func removeObject(_ path: ObjectPath) {
    flush()
    if let signal = tree.interfacesRemoved(at: path) { emit(signal) }
    tree.remove(path)
  }

  /// Gives a property a value, nil for none; told with the next flush. `isRepeated` tells of one that is the same too.
  func set(
    _ path: ObjectPath, _ interface: InterfaceName, _ property: MemberName, _ value: DBusValue?,
    isRepeated: Bool = false
  ) {
    guard tree.contains(path, interface: interface) else { return }
    let old = tree.value(path, interface, property)
    guard isRepeated || old != value else { return }
    do throws(ObjectTreeFault) {
      try tree.update(path, interface, property, to: value)
    } catch {
      return assertionFailure("\(error)")
    }
    // Two values of one property are two signals.
    if pending.contains(where: { $0.path == path && $0.interface == interface && $0.names(property) }) { flush() }
    if let index = pending.firstIndex(where: { $0.path == path && $0.interface == interface }) {
      pending[index].values.append((property, value))
    } else {
      pending.append(PendingChange(path: path, interface: interface, values: [(property, value)]))
    }
  }

  func flush() {
    let changes = pending
    pending = []
    for change in changes { emit(change.signal) }
  }

  private func emit(_ signal: Signal) {
    connection.assumeIsolated { connection in
      // A bus that is gone needs no signals.
      do { try connection.emit(signal) } catch { return }
    }
  }

  // MARK: Messages

  func reply(_ call: IncomingCall, _ result: Result<[DBusValue], DBusErrorReply>) {
    flush()
    connection.assumeIsolated { $0.reply(to: call, result) }
  }

  func refuse(_ call: IncomingCall, _ error: DBusErrorReply) { reply(call, .failure(error)) }

  /// Calls a program that is our client.
  func call(
    _ owner: BusName, _ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName,
    _ arguments: [DBusValue] = [], expectsReply: Bool = true, timeout: Duration = .seconds(25),
    _ completion: @escaping @Sendable (isolated BlueZServer, Result<[DBusValue], DBusFailure>) -> Void = { _, _ in }
  ) {
    flush()
    let call = MethodCall(
      destination: owner, path: path, interface: interface, member: member, arguments: arguments,
      expectsReply: expectsReply)
    connection.assumeIsolated { connection in
      _ = connection.start(call, timeout: timeout) { [weak self] result in
        self?.assumeIsolated { completion($0, result) }
      }
    }
  }

  /// Hears the signals of one interface from a program, at a path and below it, until the tokens are given back.
  func follow(
    _ owner: BusName, _ path: ObjectPath, _ interface: InterfaceName,
    _ handler: @escaping @Sendable (isolated BlueZServer, Signal) -> Void,
    token: @escaping @Sendable (isolated BlueZServer, Int) -> Void
  ) {
    let rule = MatchRule(sender: owner, interface: interface, pathNamespace: path)
    Task { await follow(rule, handler, token: token) }
  }

  private func follow(
    _ rule: MatchRule, _ handler: @escaping @Sendable (isolated BlueZServer, Signal) -> Void,
    token: @Sendable (isolated BlueZServer, Int) -> Void
  ) async {
    do throws(DBusFailure) {
      let number = try await connection.subscribe(to: rule) { [weak self] signal, _ in
        self?.assumeIsolated { handler($0, signal) }
      }
      token(self, number)
    } catch {
      // The bus is gone, and so is whoever would have sent.
    }
  }

  func unfollow(_ tokens: [Int]) {
    connection.assumeIsolated { connection in for token in tokens { connection.unsubscribe(token) } }
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
