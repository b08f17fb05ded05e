import BleperaAppLink
import BleperaBluetooth
package import BleperaLoop
package import BleperaPreservation
package import BleperaRadio
import BleperaRules
import FoundationEssentials

/// The emulated phone. What is published and advertised belongs to the phone; apps ask for it over AppLink. The rules
/// (`Policy`) decide what is on the air and which app may run and respond; the phone carries that out on its radio.
///
/// An app is in `apps` from its first `hello` or its restoration until the rules remove it; `services`, `requests` and
/// `restored` hold entries of these apps only. Everything happens on the loop, so that a call into the radio, which
/// runs there too, is a function call.
package actor EmulatedPhone: LoopActor {
  package nonisolated let loop: any ActorLoop
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
  package nonisolated var isOnLoop: Bool { loop.isCurrent }

  /// Receives every event, with the bundle identifier of the app that the event concerns; nil for the phone itself.
  package typealias Observer = @Sendable (PhoneEvent, String?) -> Void

  /// Makes the radio, with the closure that receives the radio's events.
  package typealias RadioMaker = (@escaping @Sendable (RadioEvent) -> Void) -> any PhoneRadio

  private let observer: Observer
  private var reportsValues = true
  private let beginning: Duration
  /// Launches apps; nil where the phone cannot launch apps.
  let launcher: (any AppLauncher)?
  /// The phone's own services; nil where only apps publish services.
  var phoneServices: PhoneServices?
  private(set) var radio: (any PhoneRadio)?
  var policy: Policy

  var apps = AppTable()
  var services = PublishedServices()
  var centrals = CentralIdentifiers()
  var channels = ChannelTable()
  var requests = PendingRequests()
  var restored: RestoredSubscribers
  /// By the addresses of the devices; kept until the next pairing with the device, or until the user forgets it.
  var bondProblems: [String: BondProblem] = [:]
  var advertising = AdvertisingProgress()
  var power: PhonePower
  var updates = UpdateDelivery()
  var saving: SavingState
  var launches = Launches()
  private(set) var central: CentralRole
  /// The restoration identifiers with which no service can be added: see `PhoneDefect.restoreIdentifierStuck`.
  var stuckIdentifiers: Set<String> = []

  private var events = WorkQueue<Policy.Event>()
  private var clock = DeadlineClock()
  private var centralClock = DeadlineClock()
  private var memoryPressure: MemoryPressure?
  /// Whether the phone is shut down: apps that end afterwards are preserved as they were.
  var isShutDown = false

  /// - Parameters:
  ///   - seed: for what happens by chance.
  ///   - store: where the state of apps is preserved for the phone's next start.
  ///   - launcher: launches apps again.
  ///   - observer: called on the loop's thread, in order.
  package init(
    loop: any ActorLoop, settings: PhoneSettings = PhoneSettings(), seed: UInt64 = 0,
    store: any PreservationStore = InMemoryPreservationStore(), launcher: (any AppLauncher)? = nil,
    observer: @escaping Observer
  ) {
    self.loop = loop
    beginning = loop.now
    self.observer = observer
    saving = SavingState(store)
    self.launcher = launcher
    restored = RestoredSubscribers(staleLimit: settings.staleLimit)
    memoryPressure = MemoryPressure(rate: settings.memoryPressure, seed: seed)
    power = PhonePower(unusable: settings.unusableState)
    phoneServices = settings.phoneServices ? PhoneServices() : nil
    policy = Policy(rules: settings.rules)
    central = CentralRole(settings.rules)
    central.random = SplitMix64(seed: seed)
  }

  /// The phone's time, since its start.
  var now: Duration { loop.now - beginning }

  /// The loop's time of day.
  var timestamp: Timestamp { Timestamp(sinceEpoch: loop.timeOfDay) }
  /// The loop's date.
  var today: Date { Date(timeIntervalSince1970: loop.timeOfDay / .seconds(1)) }

  func report(_ event: PhoneEvent, of app: AppID? = nil) {
    observer(event, app.flatMap { apps[$0]?.identity.bundleIdentifier })
  }

  /// Reports an event of which there may be thousands a second, where somebody reads such events.
  func reportValue(_ event: @autoclosure () -> PhoneEvent, of app: AppID?) {
    if reportsValues { report(event(), of: app) }
  }

  /// Sets whether the observer receives reads, writes, updates and confirmations (`PhoneEvent.isValue`).
  package func reportValues(_ areReported: Bool) { reportsValues = areReported }

  /// Starts the phone on a radio, and publishes preserved services again.
  package func start(on make: RadioMaker) async throws(RadioFailure) {
    let radio = make { [weak self] event in
      self?.assumeIsolated { $0.handle(event) }
    }
    self.radio = radio
    for event in defectEvents { report(event) }
    setDefects(central.rules.defects)
    policy.requestTimeLimit = radio.requestTimeLimit
    publishOpenServices()
    awaitMemoryPressure()
    restoreSavedState()
    try await radio.start()
  }

  /// Terminates a suspended app by chance, again and again.
  private func awaitMemoryPressure() {
    guard let time = memoryPressure?.next() else { return }
    memoryPressure?.timer = loop.schedule(after: time) { [weak self] in
      self?.assumeIsolated { phone in
        let suspended = phone.apps.ids.filter { phone.policy.state(of: $0) == .suspended }
        let app = phone.memoryPressure?.choose(among: suspended).map(phone.identifier)
        // As if the user had asked for it, so that a trace shows why.
        if let app { Task { await phone.perform(ControlRequest(.terminate, app: app)) } }
        phone.awaitMemoryPressure()
      }
    }
  }

  /// Removes everything from the air and shuts the radio down; the preserved state is kept.
  package func shutDown() async {
    await awaitPowerCommands()
    if saving.failure != nil { preserve() }
    saveNow()
    isShutDown = true
    memoryPressure?.timer?.cancel()
    launches.failAll("the phone was shut down")
    for app in apps.values {
      resume(app)
      app.link?.send(.willTerminate(.shutDown))
      app.link?.close()
    }
    await radio?.shutDown()
  }

  /// Returns when the radio has completed its pending operations, or after two seconds.
  package func settle() async { await radio?.settle() }

  /// Calls the radio, on the loop that it shares with the phone.
  func withRadio<Value: Sendable>(_ body: @Sendable (isolated any PhoneRadio) -> Value) -> Value? {
    // Not `map`: a closure of an actor checks where it runs, as it does not know who calls it.
    guard let radio else { return nil }
    return radio.assumeIsolated { body($0) }
  }

  // MARK: Rules

  /// Passes events to the rules and performs their actions. Events that these cause are handled after the others. Then
  /// the last plan is advertised, so that simultaneous changes of several apps are one change on the air.
  func feed(_ new: Policy.Event...) { feed(new) }

  func feed(_ new: [Policy.Event]) {
    handle(new)
    advertiseNextPlan()
  }

  /// Handles events without advertising their plan: `advertiseNextPlan` must follow.
  func handle(_ new: [Policy.Event]) {
    events.add(new)
    guard events.begin() else { return }
    while let event = events.next() {
      for action in policy.handle(event, at: now, isLast: events.isEmpty) { perform(action) }
    }
  }

  func advertiseNextPlan() {
    if !events.isInProgress, let plan = advertising.takePlan() { advertise(plan) }
  }

  private func perform(_ action: Policy.Action) {
    switch action {
    case .setState(let app, let state, let reason): setState(of: app, to: state, reason)
    case .terminate(let app, let cause): terminate(app, cause)
    case .deliver(let app, let event): deliver(event, to: app)
    case .queue(let app, let event):
      if let notice = notice(event) { report(.queued(app: identifier(app), notice), of: app) }
      preserveLater()
    case .refuse(_, let event, let error, let rule):
      if let request = requests.refuse(event) { finish(request, .failure(error), rule: rule) }
    case .drop(let app, let event, let reason):
      if let rule = reason.rule, let notice = notice(event) {
        report(.dropped(app: identifier(app), notice, rule), of: app)
      }
      requests.drop(event)
    case .withholdAdvertising(let app, let rule):
      report(.advertisingWithheld(app: identifier(app), rule), of: app)
      answerAdvertising(of: app, error: nil)
    case .relaunch(let app, let reason): relaunch(app, reason)
    case .restore(let app): reportRestored(app)
    case .giveUp(let app): report(.relaunchGivenUp(app: identifier(app)), of: app)
    case .forget(let app): forget(app)
    case .forgetManager(let app, let manager): forget(manager, of: app)
    case .clearDatabase: clearDatabase()
    case .air(let plan): advertising.plan = plan
    case .schedule(let time):
      clock.deadline = time
      startDeadlineTimer()
    }
  }

  private func startDeadlineTimer() {
    clock.startTimer { deadline in
      timer(at: deadline) { phone in
        if phone.clock.timerEnded(at: phone.now) { phone.feed(.deadline) }
        phone.startDeadlineTimer()
      }
    }
  }

  private func timer(
    at time: Duration, _ body: @escaping @Sendable (isolated EmulatedPhone) -> Void
  ) -> any LoopTimer {
    loop.schedule(after: max(.zero, time - now), callback(body))
  }

  // MARK: The central role

  /// Changes the central role, and performs what follows from the change after what follows from earlier changes.
  ///
  /// - Parameter isPerformed: false where what follows waits for the next change.
  func use(isPerformed: Bool = true, _ change: (inout CentralRole) -> Void) {
    change(&central)
    guard isPerformed, central.outputs.begin() else { return }
    while let output = central.outputs.next() { perform(output) }
    centralClock.deadline = central.deadline
    startCentralTimer()
  }

  private func startCentralTimer() {
    centralClock.startTimer { deadline in
      timer(at: deadline) { phone in
        let now = phone.now
        if phone.centralClock.timerEnded(at: now) { phone.use { $0.passDeadline(at: now) } }
        phone.startCentralTimer()
      }
    }
  }

  // MARK: Messages

  /// Sends a manager a message that needs no response: at once if the app runs, otherwise when it runs again.
  func notify(_ manager: ManagerID, of app: AppID, _ message: PhoneMessage, _ kind: NoticeKind) {
    feed(.notice(app, requests.add(message), kind, manager: manager))
  }

  func notify(
    _ manager: ManagerID, of app: AppID, _ callback: PeripheralManagerCallback, _ kind: NoticeKind = .callback
  ) {
    notify(manager, of: app, .peripheral(manager.name, callback), kind)
  }

  /// The part of a queued message that events report; nil for callbacks that concern the app alone.
  private func notice(_ event: EventID) -> PhoneEvent.Notice? {
    switch requests.message(event) {
    case .peripheral(_, .didSubscribe(let central, _))?: .subscribed(centrals.address(of: central.id).rawValue)
    case .peripheral(_, .didUnsubscribe(let central, _))?: .unsubscribed(centrals.address(of: central.id).rawValue)
    case .central(_, let callback)?:
      .callback(callback.name, callback.peripheral.flatMap { central.known[$0]?.address })
    default: nil
    }
  }

  func identifier(_ id: AppID) -> String { apps[id]?.identity.bundleIdentifier ?? "\(id.rawValue)" }
}
