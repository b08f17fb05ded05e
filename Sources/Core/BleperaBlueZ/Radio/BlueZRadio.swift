import BleperaBlueZProtocol
package import BleperaBluetooth
package import BleperaDBus
import BleperaEventLoop
import BleperaLoop
package import BleperaRadio

/// A phone's radio on bluetoothd: translates the phone's services and packets into registrations, maintains them, and
/// reports what centrals do.
///
/// `BlueZLimitation` lists the limitations of bluetoothd.
package actor BlueZRadio: PhoneRadio {
  package struct Options: Sendable {
    /// `hci1`; nil for the first powered adapter, or the first.
    package var adapter: String?
    /// Whether to power on the adapter when it appears.
    package var powersOn = false
    package var pairing = PairingMode.justWorks
    /// Where the leases of handles are kept; nil for nowhere.
    package var handleMemory: HandleMemory?
    /// Keeps the adapter from other phones of the machine; nil where there are none.
    package var claimAdapter: (@Sendable (_ run: String) -> Result<any AdapterClaim, AdapterInUse>)?
    /// Whether the kernel gets the packets as they are, where this process may do that.
    package var isExact = false
    /// Where changes of the kernel's settings are kept that stay when this process is killed; nil for nowhere.
    package var kernelMemory: KernelMemory?
    /// Whether `shutDown` removes the bonds that centrals have made since `start`.
    package var forgetsBonds = false

    package init() {}
  }

  static let root: ObjectPath = "/org/blepera"
  static let agentPath = root.appending("agent")
  /// The timeout of a registration: bluetoothd calls the application and the kernel before it replies.
  static let registrationTimeout = Duration.seconds(10)
  /// The limit of `settle` and of each step of `shutDown`.
  static let settleTimeout = Duration.seconds(2)

  package private(set) var connection: DBusConnection
  nonisolated let loop: EventLoop
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
  package nonisolated var isOnLoop: Bool { loop.isCurrent }
  /// Opens a connection to the bus that has ended; nil where the radio then ends.
  private let reconnect: Reconnect?
  private var isShutDown = false

  let options: Options
  let report: @Sendable (RadioEvent) -> Void

  private var observer: DaemonObserver?
  var daemon: DaemonState
  var devices = DeviceTable()
  var agent = PairingAgent()
  var subscribers = SubscriberTable()
  var streams = NotifyStreams()
  var updates = UpdateQueue()
  private(set) var machine = RegistrationMachine()
  var handles = BlueZHandles()
  var applications = ApplicationTable(root: root)
  var air = BlueZAir()
  var kernel: BlueZKernel
  private var timers: [BlueZTimer: EventSource] = [:]
  var requests = RequestTable()
  var channels: [L2CAPPSM: BlueZChannel] = [:]
  var role = BlueZCentralRole()
  private var settleWaiters: [CheckedContinuation<Void, Never>] = []

  package typealias Reconnect = @Sendable () async throws(DBusFailure) -> DBusConnection

  package init(
    connection: DBusConnection, options: Options = Options(), reconnect: Reconnect? = nil,
    report: @escaping @Sendable (RadioEvent) -> Void
  ) {
    self.connection = connection
    loop = connection.loop
    self.reconnect = reconnect
    self.options = options
    daemon = DaemonState(wanted: options.adapter)
    kernel = BlueZKernel(memory: options.kernelMemory)
    self.report = report
  }

  package func start() async throws(RadioFailure) {
    do {
      try await attach()
    } catch { throw RadioFailure(error) }
  }

  /// Exports everything on the connection and follows bluetoothd.
  private func attach() async throws(DBusFailure) {
    // Replies for unknown objects, to bluetoothd only: other callers learn nothing.
    export(at: Self.root) { this, call in
      this.reply(call, .failure(DBusErrorReply(name: .unknownObject, message: "no object at \(call.call.path)")))
    }
    export(at: Self.agentPath) { this, call in this.respond(to: call, as: Self.agentTree) { $0.answer(call) } }
    for number in applications.applications.keys { export(application: number) }
    for number in air.objects.keys { export(advertisement: number) }
    let bus = try? await connection.call(.toBus("GetId")).first?.text
    daemon.attach(to: bus)
    let observer = DaemonObserver(connection: connection, report: callback { this, event in this.observe(event) })
    self.observer = observer
    try await observer.start()
  }

  /// The message bus has ended, and all registrations with it. Tries to connect until there is a bus again.
  func busLost() {
    let reason = "the message bus has closed the connection"
    guard reconnect != nil, !isShutDown else { return report(.ended(reason)) }
    requests.removeAll()
    updates = UpdateQueue()
    forgetCentralRole(isBusLost: true)
    report(.interrupted(reason))
    scheduleReconnection()
  }

  private static let reconnectionDelay = Duration.milliseconds(500)

  private func scheduleReconnection() {
    guard !isShutDown else { return }
    schedule(.reconnection, after: Self.reconnectionDelay) { this in Task { await this.connect() } }
  }

  private func connect() async {
    guard let reconnect, !isShutDown, let new = try? await reconnect() else { return scheduleReconnection() }
    guard !isShutDown else { return await new.close() }
    connection = new
    do throws(DBusFailure) {
      try await attach()
    } catch {
      // The bus has ended again; the observer reports that end if it has begun to follow the bus.
      guard connection === new else { return }
      await new.close()
      scheduleReconnection()
    }
  }

  // MARK: Services

  package nonisolated var stackServices: Set<BluetoothUUID> { ServiceDefinition.ownedByDaemon }

  package func publish(_ services: [RadioService]) { apply(applications.publish(services)) }

  package func remove(service: AttributeHandle) {
    // Subscriptions end first, while the service is still known.
    if let number = applications.number(ofServiceAt: service) { forgetSubscribers(of: number) }
    apply(applications.remove(serviceAt: service))
  }

  private func apply(_ changes: [ApplicationTable.Change]) {
    for change in changes {
      switch change {
      case .remove(let number):
        forgetSubscribers(of: number)
        remove(application: number)
      case .add(let number, let predecessors): add(application: number, after: predecessors)
      }
    }
    leaseHandles()
  }

  /// Exports an application, which is registered once its handles are leased.
  func add(application number: Int, after predecessors: [Int]) {
    export(application: number)
    handles.wait(number, after: predecessors)
  }

  private func export(application number: Int) {
    export(at: path(.application(number))) { this, call in
      guard let application = this.applications.applications[number] else { return }
      this.respond(to: call, as: application.tree) { $0.receive(call, number, application) }
    }
  }

  func remove(application number: Int) {
    if handles.stopWaiting(number) != nil, handles.waitingApplications.isEmpty { run(.expectsApplications(false)) }
    guard machine.knows(.application(number)) else { return perform(.didUnregister(.application(number))) }
    run(.remove(.application(number)))
  }

  // MARK: Timers

  func schedule(
    _ timer: BlueZTimer, after delay: Duration, _ body: @escaping @Sendable (isolated BlueZRadio) -> Void
  ) {
    timers[timer] = loop.schedule(
      after: delay,
      callback { this in
        this.timers[timer] = nil
        body(this)
      })
  }

  func cancel(_ timer: BlueZTimer) { timers[timer] = nil }

  func isScheduled(_ timer: BlueZTimer) -> Bool { timers[timer] != nil }

  // MARK: Shutdown

  package func shutDown() async {
    isShutDown = true
    cancel(.reconnection)
    advertise(nil)
    for number in applications.current {
      forgetSubscribers(of: number)
      remove(application: number)
    }
    for psm in channels.keys { unpublishChannel(psm) }
    await settle()
    await shutDownCentralRole()
    if options.forgetsBonds { _ = await removeBonds(with: nil) }
    kernel.restoreDefaultInterval()
    kernel.keeper = nil
    cancel(.keeper)
    if daemon.isSwitchedOff, let adapter {
      _ = try? await connection.call(.power(adapter.path, isOn: true), timeout: Self.settleTimeout)
    }
    await connection.close()
  }

  private var isSettled: Bool { machine.isSettled && !handles.isLeasing && kernel.exact.isSettled }

  package func settle() async {
    guard !isSettled, daemon.owner != nil else { return }
    let limit = loop.schedule(after: Self.settleTimeout, callback { $0.resumeSettleWaiters() })
    await withCheckedContinuation { settleWaiters.append($0) }
    limit.cancel()
  }

  func resumeIfSettled() {
    if isSettled { resumeSettleWaiters() }
  }

  private func resumeSettleWaiters() {
    let waiters = settleWaiters
    settleWaiters = []
    for waiter in waiters { waiter.resume() }
  }

  // MARK: Registrations

  func run(_ event: RegistrationMachine.Event) {
    for action in machine.handle(event) { perform(action) }
    resumeIfSettled()
  }

  func isRegistered(_ item: Registration) -> Bool { machine.isRegistered(item) }

  private func perform(_ action: RegistrationMachine.Action) {
    switch action {
    case .register(let item, let adapter, let attempt):
      let verb: MemberName = item.isAdvertisement ? "RegisterAdvertisement" : "RegisterApplication"
      request(verb, of: item, on: adapter, [.properties([])]) { this, result in
        switch result {
        case .success: this.run(.registered(item, attempt))
        case .failure(let failure): this.run(.failed(item, attempt, failure))
        }
      }
    case .unregister(let item, let adapter, let attempt):
      if case .application(let number) = item { forgetSubscribers(of: number) }
      let verb: MemberName = item.isAdvertisement ? "UnregisterAdvertisement" : "UnregisterApplication"
      request(verb, of: item, on: adapter) { this, _ in this.run(.unregistered(item, attempt)) }
    case .retry(let item, let attempt, let delay):
      schedule(.registration(item), after: delay) { $0.run(.retryDue(item, attempt)) }
    case .didRegister(.application(let number)):
      for service in applications.applications[number]?.services ?? [] { report(.published(service.handles.start)) }
    case .didFail(.application(let number), let failure, let count):
      if moves(number, after: failure, count: count) { return }
      for service in applications.applications[number]?.services ?? [] {
        let reason = notPublishable(service.definition) ?? "\(failure)"
        report(.publishingFailed(service.handles.start, RadioFailure(reason, isFinal: failure.isFinal), count: count))
      }
    case .didLose(.application(let number)): forgetSubscribers(of: number)
    case .didUnregister(.application(let number)):
      cancel(.registration(.application(number)))
      handles.forget(number)
      forgetSubscribers(of: number)
      unexport(at: path(.application(number)))
      applications.forget(number)
    case .didRegister(.advertisement):
      countOthers()
      reportIfOnAir()
    case .didFail(.advertisement, let failure, let count): advertisingFailed(failure, count: count)
    case .didLose(.advertisement): advertisementLost()
    case .didUnregister(.advertisement(let number)):
      cancel(.registration(.advertisement(number)))
      advertisementStopped(number)
      countOthers()
    }
  }

  /// Why bluetoothd refuses a service, where its own error does not say it; nil if it should not.
  func notPublishable(_ service: ServiceDefinition) -> String? {
    if let own = ServiceDefinition.ownedByHost.first(where: { $0.bits == service.uuid.bits }) {
      return "bluetoothd publishes \(own) itself"
    }
    let encrypted: CharacteristicProperties = [.notifyEncryptionRequired, .indicateEncryptionRequired]
    guard let version, DaemonQuirk.lacksNotifyPermissions.applies(to: version),
      let characteristic = service.characteristics.first(where: { !$0.properties.isDisjoint(with: encrypted) }),
      let fixed = DaemonQuirk.lacksNotifyPermissions.fixedIn
    else { return nil }
    return "\(characteristic.uuid) requires encryption for notifications, which bluetoothd can demand from \(fixed) "
      + "on, and this is \(version)"
  }

  private func request(
    _ member: MemberName, of item: Registration, on adapter: ObjectPath, _ options: [DBusValue] = [],
    _ completion: @escaping @Sendable (isolated BlueZRadio, Result<[DBusValue], DBusFailure>) -> Void
  ) {
    let interface = item.isAdvertisement ? BlueZName.advertisingManager : BlueZName.gattManager
    let call = MethodCall.toDaemon(at: adapter, interface, member, [.objectPath(path(item))] + options)
    start(call, timeout: Self.registrationTimeout, completion)
  }

  func path(_ item: Registration) -> ObjectPath {
    switch item {
    case .application(let number): Self.root.appending("app\(number)")
    case .advertisement(let number): Self.root.appending("advertisement\(number)")
    }
  }
}

/// The tasks that the radio does later; each has at most one timer.
enum BlueZTimer: Hashable, Sendable {
  case reconnection
  /// The agent is registered again.
  case agent
  case power
  case lease
  /// Streams that were unread are looked at again.
  case updates
  case keeper
  case exactPackets
  case connectionReport
  case registration(Registration)
  /// The next attempt to connect to a peripheral.
  case attempt(ObjectPath)
  /// The services of a peripheral, some of which have changed, are read.
  case services(ObjectPath)
}

extension RadioFailure {
  init(_ failure: DBusFailure) { self.init("\(failure)", isFinal: failure.isFinal) }
}
