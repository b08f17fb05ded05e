package import DBus
import EventLoop

/// The peripheral side of bluetoothd: publishes applications and advertisements and keeps them there, and passes on
/// what centrals do.
///
/// Events come on the loop's thread, in order.
package actor Peripheral {
  package struct Options: Sendable {
    /// `hci1`; nil for the first powered adapter, or the first.
    package var adapter: String?
    /// Power the adapter on when it appears.
    package var powersOn = false
    package var pairing = PairingMode.justWorks

    package init() {}
  }

  static let root: ObjectPath = "/org/blepera"
  static let agentPath = root.appending("agent")
  /// An answer of bluetoothd to a registration; it asks back and talks to the kernel meanwhile.
  private static let registrationTimeout = Duration.seconds(10)

  package nonisolated let connection: DBusConnection
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe connection.unownedExecutor }
  nonisolated var loop: EventLoop { connection.loop }

  let options: Options
  private let report: @Sendable (PeripheralEvent) -> Void

  /// The unique name of bluetoothd; nil while there is none.
  var daemon: BusName?
  /// Whether it has been looked for, so that nil means that there is none.
  var hasLooked = false
  var inventory = Inventory()
  var radio: RadioState?
  /// The devices whose connection was told.
  var connected: Set<ObjectPath> = []
  var subscribers = SubscriberTable()
  private var machine = RegistrationMachine()
  var applications: [Int: GATTApplication] = [:]
  var advertisements: [Int: (content: AdvertisementContent, tree: ObjectTree)] = [:]
  private var retries: [Registration: EventSource] = [:]
  var requests: [Int: (call: IncomingCall, request: AttributeRequest)] = [:]
  var lastRequest = 0
  var mtus: [ObjectPath: Int] = [:]
  var poweringOn: ObjectPath?
  /// Whether we switched the adapter off, so that it is to be on again at the end.
  var isSwitchedOff = false
  var retry: EventSource?
  private var settleWaiters: [CheckedContinuation<Void, Never>] = []

  package init(
    connection: DBusConnection, options: Options, report: @escaping @Sendable (PeripheralEvent) -> Void
  ) {
    self.connection = connection
    self.options = options
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
    await connection.export(at: Self.root) { [weak self] call in self?.assumeIsolated { $0.receive(call) } }
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
      // The bus has checked the sender of what it delivers; ours is the unique name.
      _ = try await connection.subscribe(to: rule) { [weak self] signal, sender in
        self?.assumeIsolated { this in
          guard sender == this.daemon else { return }
          this.apply(signal)
        }
      }
    }
    // Taken in the bus's order, so that a change after the answer comes after it here too.
    await connection.startFindingOwner(of: BlueZName.bus) { [weak self] result in
      guard case .success(let owner) = result else { return }
      self?.assumeIsolated { $0.daemonChanged(to: owner) }
    }
  }

  package func device(at path: ObjectPath) -> RemoteDevice {
    inventory.devices[path] ?? RemoteDevice(path: path, address: path.deviceAddress ?? path.rawValue)
  }

  /// The bytes that one notification to the device carries at most: its ATT_MTU less 3.
  package func maximumUpdateValueLength(of device: ObjectPath) -> Int { (mtus[device] ?? 23) - 3 }

  func note(mtu: Int, of device: ObjectPath) { mtus[device] = mtu }

  func tell(_ event: PeripheralEvent) { report(event) }

  // MARK: Publishing

  /// Publishes an application, or other services in the place of its old ones.
  package func publish(_ number: Int, _ services: [GATTApplication.Service]) {
    let isNew = applications[number] == nil
    forgetSubscribers(of: number)
    applications[number] = GATTApplication(root: path(.application(number)), services: services)
    run(.want(.application(number)))
    if !isNew { run(.renew(.application(number))) }
  }

  package func unpublish(_ number: Int) { run(.unwant(.application(number))) }

  /// Puts advertisements on the air in the place of those there, numbered from 0. One whose content stays is left
  /// alone; of the others all that go are taken away before any comes.
  package func advertise(_ contents: [AdvertisementContent]) {
    let gone = advertisements.keys.filter { $0 >= contents.count }
    let changed = contents.indices.filter { advertisements[$0]?.content != contents[$0] }
    for number in changed {
      let tree = AdvertisementObject.tree(at: path(.advertisement(number)), content: contents[number])
      advertisements[number] = (contents[number], tree)
    }
    run(
      .replace(
        unwanted: gone.sorted().map { Registration.advertisement($0) },
        wanted: contents.indices.map { Registration.advertisement($0) },
        stale: changed.map { Registration.advertisement($0) }))
  }

  /// Takes everything back and closes the connection; at most two seconds.
  package func shutDown() async {
    advertise([])
    for number in applications.keys.sorted() { unpublish(number) }
    await settle()
    if isSwitchedOff, let adapter = inventory.adapter(named: wantedAdapter) {
      _ = try? await connection.call(Self.powerCall(adapter.path, isOn: true), timeout: .seconds(2))
    }
    await connection.close()
  }

  /// Waits until bluetoothd has done what it was asked; at most two seconds.
  package func settle() async {
    guard !machine.isSettled, daemon != nil else { return }
    let limit = loop.schedule(after: .seconds(2)) { [weak self] in self?.assumeIsolated { $0.wakeWaiters() } }
    await withCheckedContinuation { settleWaiters.append($0) }
    limit.cancel()
  }

  private func wakeWaiters() {
    let waiters = settleWaiters
    settleWaiters = []
    for waiter in waiters { waiter.resume() }
  }

  func run(_ event: RegistrationMachine.Event) {
    for action in machine.handle(event) { perform(action) }
    if machine.isSettled { wakeWaiters() }
  }

  private func perform(_ action: RegistrationMachine.Action) {
    switch action {
    case .register(let item, let adapter, let attempt):
      start(item, adapter, "Register", [.objectPath(path(item)), .properties([])]) { this, result in
        switch result {
        case .success: this.run(.registered(item, attempt))
        case .failure(let failure): this.run(.failed(item, attempt, failure))
        }
      }
    case .unregister(let item, let adapter, let attempt):
      if case .application(let number) = item { forgetSubscribers(of: number) }
      start(item, adapter, "Unregister", [.objectPath(path(item))]) { this, _ in
        this.run(.unregistered(item, attempt))
      }
    case .retry(let item, let attempt, let delay):
      retries[item] = loop.schedule(after: delay) { [weak self] in
        self?.assumeIsolated { $0.run(.retryDue(item, attempt)) }
      }
    case .didRegister(.application(let number)): report(.published(application: number))
    case .didRegister(.advertisement(let number)): report(.advertising(advertisement: number))
    case .didFail(.application(let number), let failure, let count):
      report(.publishingFailed(application: number, failure, count: count))
    case .didFail(.advertisement(let number), let failure, let count):
      report(.advertisingFailed(advertisement: number, failure, count: count))
    case .didLose(.application(let number)): forgetSubscribers(of: number)
    case .didLose(.advertisement(let number)): report(.advertisingLost(advertisement: number))
    case .didUnregister(let item): finish(item)
    }
  }

  private func finish(_ item: Registration) {
    retries[item] = nil
    switch item {
    case .application(let number):
      applications[number] = nil
      report(.unpublished(application: number))
    case .advertisement(let number):
      advertisements[number] = nil
      report(.advertisingStopped(advertisement: number))
    }
  }

  private func start(
    _ item: Registration, _ adapter: ObjectPath, _ verb: String, _ arguments: [DBusValue],
    _ completion: @escaping @Sendable (isolated Peripheral, Result<[DBusValue], DBusFailure>) -> Void
  ) {
    let (interface, noun): (InterfaceName, String) =
      switch item {
      case .application: (BlueZName.gattManager, "Application")
      case .advertisement: (BlueZName.advertisingManager, "Advertisement")
      }
    let call = MethodCall(
      destination: BlueZName.bus, path: adapter, interface: interface, member: MemberName(stringLiteral: verb + noun),
      arguments: arguments)
    connection.assumeIsolated {
      _ = $0.start(call, timeout: Self.registrationTimeout) { [weak self] result in
        self?.assumeIsolated { completion($0, result) }
      }
    }
  }

  func path(_ item: Registration) -> ObjectPath {
    switch item {
    case .application(let number): Self.root.appending("app\(number)")
    case .advertisement(let number): Self.root.appending("advertisement\(number)")
    }
  }
}
