import BleperaBlueZProtocol
package import BleperaBluetooth
package import BleperaDBus
import BleperaEventLoop
import BleperaLoop
package import BleperaRadio

/// A phone's radio on bluetoothd: translates the phone's services and packets into registrations, maintains them, and
/// reports what centrals do.
///
/// What bluetoothd cannot do is listed in `BlueZLimitation`.
package actor BlueZRadio: PhoneRadio {
  package struct Options: Sendable {
    /// `hci1`; nil for the first powered adapter, or the first.
    package var adapter: String?
    /// Whether to power on the adapter when it appears.
    package var powersOn = false
    package var pairing = PairingMode.justWorks
    /// Whether `shutDown` removes the bonds that centrals have made since `start`.
    package var forgetsBonds = false

    package init() {}
  }

  static let root: ObjectPath = "/org/blepera"
  static let agentPath = root.appending("agent")
  /// The timeout of a registration: bluetoothd calls the application and the kernel before it replies.
  private static let registrationTimeout = Duration.seconds(10)
  /// The limit of `settle` and of each step of `shutDown`.
  static let settleTimeout = Duration.seconds(2)

  package nonisolated let connection: DBusConnection
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe connection.unownedExecutor }
  nonisolated var loop: EventLoop { connection.loop }

  let options: Options
  let report: @Sendable (RadioEvent) -> Void

  private var observer: DaemonObserver?
  /// The unique name of bluetoothd; nil while it is not running.
  var daemon: BusName?
  var inventory = Inventory() { didSet { subscribedCentrals = [:] } }
  var state: RadioState?
  /// The devices whose connection has been reported.
  var connected: Set<ObjectPath> = []
  var isDefaultAgent = false
  /// The devices that have bonded since `start`.
  var bondsMade: Set<ObjectPath> = []
  var subscribers = SubscriberTable() { didSet { subscribedCentrals = [:] } }
  /// The subscribers of characteristics, until `inventory`, `subscribers` or `mtus` changes.
  var subscribedCentrals: [ObjectPath: [RadioCentral]] = [:]
  var streams = NotifyStreams()
  /// Our ends of the streams that have not ended.
  var sockets: [NotifyStreams.ID: (socket: SequencedSocket, source: EventSource)] = [:]
  /// The updates that wait until bluetoothd has received what was sent before.
  var waitingUpdates: [WaitingUpdate] = []
  var updateRetry: EventSource?
  /// The requests of centrals whose unsubscription is not reported yet.
  var waitingCalls: [WaitingCall] = []
  private var machine = RegistrationMachine()
  var applications = ApplicationTable(root: root)
  var air = BlueZAir()
  private var retries: [Registration: EventSource] = [:]
  var requests: [RequestID: IncomingCall] = [:]
  var channels: [L2CAPPSM: BlueZChannel] = [:]
  var lastRequest = 0
  /// The known ATT_MTU of each connected device, in bytes.
  var mtus: [ObjectPath: Int] = [:] { didSet { subscribedCentrals = [:] } }
  /// The adapter that `powersOn` has handled since it appeared.
  var poweringOn: ObjectPath?
  var powerRetry: EventSource?
  /// Whether `switchPower` has switched the adapter off, so that `shutDown` switches it on again.
  var isSwitchedOff = false
  private var settleWaiters: [CheckedContinuation<Void, Never>] = []

  package init(
    connection: DBusConnection, options: Options = Options(),
    report: @escaping @Sendable (RadioEvent) -> Void
  ) {
    self.connection = connection
    self.options = options
    self.report = report
  }

  package func start() async throws(RadioFailure) {
    // Replies for unknown objects, to bluetoothd only: other callers learn nothing.
    await export(at: Self.root) { this, call in
      this.reply(call, .failure(DBusErrorReply(name: .unknownObject, message: "no object at \(call.call.path)")))
    }
    await export(at: Self.agentPath) { this, call in this.respond(to: call, as: Self.agentTree) { $0.answer(call) } }
    let observer = DaemonObserver(connection: connection, report: callback { this, event in this.observe(event) })
    self.observer = observer
    do {
      try await observer.start()
    } catch { throw RadioFailure(error) }
  }

  // MARK: Services

  /// bluetoothd's own: Generic Access, Generic Attribute and Device Information.
  package nonisolated var stackServices: Set<BluetoothUUID> {
    Set([0x1800, 0x1801, 0x180A].map { BluetoothUUID($0 as UInt16) })
  }

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
        run(.remove(.application(number)))
      case .add(let number, let predecessors):
        let path = path(.application(number))
        let handler = authorized { this, call in
          guard let application = this.applications.applications[number] else { return }
          this.respond(to: call, as: application.tree) { $0.receive(call, number, application) }
        }
        connection.assumeIsolated { $0.export(at: path, handler) }
        run(.add(.application(number), after: predecessors.map { .application($0) }))
      }
    }
  }

  // MARK: Shutdown

  package func shutDown() async {
    advertise(nil)
    for number in applications.current {
      forgetSubscribers(of: number)
      run(.remove(.application(number)))
    }
    for psm in channels.keys { unpublishChannel(psm) }
    await settle()
    await forgetBonds()
    if isSwitchedOff, let adapter {
      _ = try? await connection.call(.power(adapter.path, isOn: true), timeout: Self.settleTimeout)
    }
    await connection.close()
  }

  package func settle() async {
    guard !machine.isSettled, daemon != nil else { return }
    let limit = loop.schedule(after: Self.settleTimeout, callback { $0.resumeSettleWaiters() })
    await withCheckedContinuation { settleWaiters.append($0) }
    limit.cancel()
  }

  private func resumeSettleWaiters() {
    let waiters = settleWaiters
    settleWaiters = []
    for waiter in waiters { waiter.resume() }
  }

  // MARK: Registrations

  func run(_ event: RegistrationMachine.Event) {
    for action in machine.handle(event) { perform(action) }
    if machine.isSettled { resumeSettleWaiters() }
  }

  func isRegistered(_ item: Registration) -> Bool { machine.isRegistered(item) }

  private func perform(_ action: RegistrationMachine.Action) {
    switch action {
    case .register(let item, let adapter, let attempt):
      let verb: MemberName = item.isAdvertisement ? "RegisterAdvertisement" : "RegisterApplication"
      request(item, verb, adapter, [.objectPath(path(item)), .properties([])]) { this, result in
        switch result {
        case .success: this.run(.registered(item, attempt))
        case .failure(let failure): this.run(.failed(item, attempt, failure))
        }
      }
    case .unregister(let item, let adapter, let attempt):
      if case .application(let number) = item { forgetSubscribers(of: number) }
      let verb: MemberName = item.isAdvertisement ? "UnregisterAdvertisement" : "UnregisterApplication"
      request(item, verb, adapter, [.objectPath(path(item))]) { this, _ in this.run(.unregistered(item, attempt)) }
    case .retry(let item, let attempt, let delay):
      retries[item] = loop.schedule(after: delay, callback { $0.run(.retryDue(item, attempt)) })
    case .didRegister(.application(let number)):
      for service in applications.applications[number]?.services ?? [] { report(.published(service.handles.start)) }
    case .didFail(.application(let number), let failure, let count):
      for service in applications.applications[number]?.services ?? [] {
        let reason = notPublishable(service.definition) ?? "\(failure)"
        report(.publishingFailed(service.handles.start, RadioFailure(reason, isFinal: failure.isFinal), count: count))
      }
    case .didLose(.application(let number)): forgetSubscribers(of: number)
    case .didUnregister(.application(let number)):
      retries[.application(number)] = nil
      forgetSubscribers(of: number)
      unexport(at: path(.application(number)))
      applications.forget(number)
    case .didRegister(.advertisement): reportIfOnAir()
    case .didFail(.advertisement, let failure, let count): advertisingFailed(failure, count: count)
    case .didLose(.advertisement): advertisementLost()
    case .didUnregister(.advertisement(let number)):
      retries[.advertisement(number)] = nil
      advertisementStopped(number)
    }
  }

  /// Why this release refuses a service, where its own error does not say it; nil if it should not.
  private func notPublishable(_ service: ServiceDefinition) -> String? {
    let encrypted: CharacteristicProperties = [.notifyEncryptionRequired, .indicateEncryptionRequired]
    guard let version, DaemonQuirk.lacksNotifyPermissions.applies(to: version),
      let characteristic = service.characteristics.first(where: { !$0.properties.isDisjoint(with: encrypted) }),
      let fixed = DaemonQuirk.lacksNotifyPermissions.fixedIn
    else { return nil }
    return "\(characteristic.uuid) requires encryption for notifications, which bluetoothd can demand from \(fixed) "
      + "on, and this is \(version)"
  }

  private func request(
    _ item: Registration, _ member: MemberName, _ adapter: ObjectPath, _ arguments: [DBusValue],
    _ completion: @escaping @Sendable (isolated BlueZRadio, Result<[DBusValue], DBusFailure>) -> Void
  ) {
    let interface = item.isAdvertisement ? BlueZName.advertisingManager : BlueZName.gattManager
    let call = MethodCall.toDaemon(adapter, interface, member, arguments)
    let completion = callback(completion)
    connection.assumeIsolated { _ = $0.start(call, timeout: Self.registrationTimeout, completion) }
  }

  func path(_ item: Registration) -> ObjectPath {
    switch item {
    case .application(let number): Self.root.appending("app\(number)")
    case .advertisement(let number): Self.root.appending("advertisement\(number)")
    }
  }
}

extension RadioFailure {
  init(_ failure: DBusFailure) { self.init("\(failure)", isFinal: failure.isFinal) }
}
