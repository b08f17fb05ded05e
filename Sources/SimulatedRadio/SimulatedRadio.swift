package import BlueZ
import DBus
import EventLoop
import GATT
package import VirtualBlueZ

/// The radio of a phone on a simulated air. To the system it is what `Peripheral` is on a virtual bluetoothd: the same
/// state machine keeps what is wanted registered, and the same objects say what that is; there is no bus between.
package actor SimulatedRadio: PhoneRadio {
  /// From a call to what it does, as a bus and a daemon would need.
  private static let latency = Duration.milliseconds(1)
  private static let root: ObjectPath = "/org/blepera"

  nonisolated let air: SimulatedAir
  nonisolated let adapter: AdapterID
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe air.loop.asUnownedSerialExecutor() }

  let pairing: PairingMode
  private let report: @Sendable (PeripheralEvent) -> Void
  var isOn = false
  /// As it was told last.
  private var radio: RadioState?
  package internal(set) var hasBus = true
  var hasDaemon = true
  /// The adapter, while it is pulled out.
  var unplugged: AdapterDescription?
  /// Tells what was asked of one bluetoothd from what is asked of the next.
  var session = 0
  /// Bytes of values that are not on the air yet.
  var unsentSize = 0
  var isSwitchedOff = false
  /// Whether it has ended: nothing is told any more.
  private var isGone = false
  private var machine = RegistrationMachine()
  var subscribers = SubscriberTable()
  var applications: [Int: GATTApplication] = [:]
  private var advertisements: [Int: BlueZ.AdvertisementContent] = [:]
  /// What the air has of these, with the attempt that it was registered by.
  var published: [Int: (id: ApplicationID, attempt: Int)] = [:]
  var advertised: [Int: (id: AdvertisementID, attempt: Int)] = [:]
  /// What the attributes of an application on the air are, by its number for them.
  var objects: [ApplicationID: (number: Int, paths: [ObjectPath])] = [:]
  var requests: [Int: (id: RequestID?, isRead: Bool)] = [:]
  var lastRequest = 0
  var mtus: [ObjectPath: Int] = [:]
  var links: [ObjectPath: ConnectionID] = [:]
  /// Of the centrals that have been connected.
  var addresses: [ObjectPath: DeviceAddress] = [:]
  /// Whom the adapter has a key of.
  var bonds: Set<DeviceAddress> = []
  private var timers: [Int: any LoopTimer] = [:]
  private var lastTimer = 0
  private var settleWaiters: [CheckedContinuation<Void, Never>] = []

  package init(
    air: SimulatedAir, adapter: AdapterID, pairing: PairingMode = .justWorks,
    report: @escaping @Sendable (PeripheralEvent) -> Void
  ) {
    self.air = air
    self.adapter = adapter
    self.pairing = pairing
    self.report = report
  }

  package func start() {
    air.assumeIsolated { $0.attach(self, to: adapter) }
    begin()
  }

  /// bluetoothd and the adapter are there.
  func begin() {
    ask { this in
      let capability = PairingCapability(rawValue: this.pairing.capability)
      this.run(.set(this.adapter, .capability(capability)))
      this.bonds = this.air.assumeIsolated { $0.air.adapters[this.adapter]?.bonds } ?? []
      this.powerChanged(this.air.assumeIsolated { $0.air.adapters[this.adapter]?.isPowered } ?? false)
      let connections = this.air.assumeIsolated { $0.air.connections.values.sorted { $0.id < $1.id } }
      for connection in connections where connection.peripheral == this.adapter { this.greet(connection.id) }
    }
  }

  /// Leaves without a word, as a process that is killed: what it had registered goes.
  package func vanish() {
    isGone = true
    timers = [:]
    air.assumeIsolated { [adapter, advertised, published] air in
      air.attach(nil, to: adapter)
      for (_, entry) in advertised.sorted(by: { $0.key < $1.key }) { air.withdraw(entry.id) }
      for (_, entry) in published.sorted(by: { $0.key < $1.key }) { air.unpublish(entry.id) }
    }
    advertised = [:]
    published = [:]
    wakeWaiters()
  }

  func tell(_ event: PeripheralEvent) {
    if !isGone { report(event) }
  }

  func run(_ event: AirEvent) { air.assumeIsolated { $0.run(event) } }

  /// Tells what has become of the radio, where it has become something else.
  func radioChanged() {
    let name = adapter.description
    let state: RadioState =
      switch (hasDaemon, unplugged) {
      case (false, _): .noDaemon
      case (true, .some): .noAdapter(wanted: name)
      case (true, nil): isOn ? .poweredOn(adapter: name) : .poweredOff(adapter: name)
      }
    if state != radio {
      radio = state
      tell(.radio(state))
    }
    run(.stationChanged(isUsable ? .init(adapter: BlueZName.root.appending(name), isPowered: isOn) : nil))
  }

  /// What is asked of bluetoothd; it hears of it if it is still there.
  private func ask(_ body: @escaping @Sendable (isolated SimulatedRadio) -> Void) {
    later { [session] in if $0.session == session { body($0) } }
  }

  /// Does it a little later, after what was to be done before.
  func later(after delay: Duration = latency, _ body: @escaping @Sendable (isolated SimulatedRadio) -> Void) {
    guard !isGone else { return }
    lastTimer += 1
    let number = lastTimer
    timers[number] = air.loop.schedule(after: delay) { [weak self] in
      self?.assumeIsolated { this in
        // One that is let go of while it runs is not to take what it runs in with it.
        let timer = this.timers.removeValue(forKey: number)
        body(this)
        withExtendedLifetime(timer) {}
      }
    }
  }

  // MARK: Publishing

  package func publish(_ number: Int, _ services: [GATTApplication.Service]) {
    let isNew = applications[number] == nil
    forgetSubscribers(of: number)
    applications[number] = GATTApplication(root: Self.root.appending("app\(number)"), services: services)
    run(.want(.application(number)))
    if !isNew { run(.renew(.application(number))) }
  }

  package func unpublish(_ number: Int) { run(.unwant(.application(number))) }

  package func advertise(_ contents: [BlueZ.AdvertisementContent]) {
    let gone = advertisements.keys.filter { $0 >= contents.count }
    let changed = contents.indices.filter { advertisements[$0] != contents[$0] }
    for number in changed { advertisements[number] = contents[number] }
    run(
      .replace(
        unwanted: gone.sorted().map { Registration.advertisement($0) },
        wanted: contents.indices.map { Registration.advertisement($0) },
        stale: changed.map { Registration.advertisement($0) }))
  }

  package func settle() async {
    guard !machine.isSettled, !isGone else { return }
    let limit = air.loop.schedule(after: .seconds(2)) { [weak self] in self?.assumeIsolated { $0.wakeWaiters() } }
    await withCheckedContinuation { settleWaiters.append($0) }
    limit.cancel()
  }

  package func shutDown() async {
    advertise([])
    for number in applications.keys.sorted() { unpublish(number) }
    await settle()
    if isSwitchedOff { run(.set(adapter, .powered(true))) }
    vanish()
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
    case .register(let item, _, let attempt): ask { $0.register(item, attempt) }
    case .unregister(let item, _, let attempt):
      if case .application(let number) = item { forgetSubscribers(of: number) }
      ask { $0.unregister(item, attempt) }
    case .retry(let item, let attempt, let delay): later(after: delay) { $0.run(.retryDue(item, attempt)) }
    case .didRegister(.application(let number)): tell(.published(application: number))
    case .didRegister(.advertisement(let number)): tell(.advertising(advertisement: number))
    case .didFail(.application(let number), let failure, let count):
      tell(.publishingFailed(application: number, failure, count: count))
    case .didFail(.advertisement(let number), let failure, let count):
      tell(.advertisingFailed(advertisement: number, failure, count: count))
    case .didLose(.application(let number)): forgetSubscribers(of: number)
    case .didLose(.advertisement(let number)): tell(.advertisingLost(advertisement: number))
    case .didUnregister(.application(let number)):
      applications[number] = nil
      tell(.unpublished(application: number))
    case .didUnregister(.advertisement(let number)):
      advertisements[number] = nil
      tell(.advertisingStopped(advertisement: number))
    }
  }

  private func register(_ item: Registration, _ attempt: Int) {
    switch item {
    case .application(let number):
      guard let application = applications[number] else { return }
      let call = MethodCall(
        destination: nil, path: application.root, interface: .objectManager, member: "GetManagedObjects")
      guard case .reply(let values)? = application.tree.respond(to: call) else {
        preconditionFailure("an application manages its objects")
      }
      do throws(PublicationRefusal) {
        let reader = try ApplicationReader(values.first)
        let id = air.assumeIsolated { $0.newApplication(on: adapter) }
        published[number] = (id, attempt)
        objects[id] = (number, reader.objects.map(\.path))
        run(.publish(id, on: adapter, reader.services))
      } catch {
        run(.failed(item, attempt, .remote(BlueZError.failed.reply(error.rawValue))))
      }
    case .advertisement(let number):
      guard let content = advertisements[number] else { return }
      let path = Self.root.appending("advertisement\(number)")
      let call = MethodCall(
        destination: nil, path: path, interface: .properties, member: "GetAll",
        arguments: [.string(BlueZName.advertisement.rawValue)])
      guard case .reply(let values)? = AdvertisementObject.tree(at: path, content: content).respond(to: call),
        let wanted = VirtualBlueZ.AdvertisementContent(properties: values.first?.asProperties ?? [:])
      else { preconditionFailure("an advertisement has properties that bluetoothd takes") }
      let id = air.assumeIsolated { $0.newAdvertisement(on: adapter) }
      advertised[number] = (id, attempt)
      run(.advertise(id, on: adapter, wanted))
    }
  }

  private func unregister(_ item: Registration, _ attempt: Int) {
    switch item {
    case .application(let number):
      if let entry = published.removeValue(forKey: number) {
        objects[entry.id] = nil
        air.assumeIsolated { $0.unpublish(entry.id) }
      }
    case .advertisement(let number):
      if let entry = advertised.removeValue(forKey: number) { air.assumeIsolated { $0.withdraw(entry.id) } }
    }
    run(.unregistered(item, attempt))
  }
}
