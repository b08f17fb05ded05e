import BleperaAppLink
public import BleperaBluetooth
import BleperaLoop
import BleperaPhone
import BleperaProfileApp
import Synchronization

/// An app that is installed on a phone, whether it runs or not.
public final class App: Sendable {
  /// The preserved state that the system handed to an app at its last launch.
  public struct Restored: Hashable, Sendable {
    /// The services that stayed published.
    public var services: [BluetoothUUID] = []
    /// The centrals that are still subscribed.
    public var subscribers: [Central] = []
  }

  /// The discoveries and the value that an app in the central role has received since its last launch.
  struct Receptions {
    /// The addresses of the peripherals, one for each report.
    var discovered: [String] = []
    /// The last value.
    var value: [UInt8]?
  }

  private struct Life {
    var state = AppState.notRunning
    var restored = Restored()
    var receptions = Receptions()
    var launches = 0
    var link: InMemoryAppLink<AppMessage, PhoneMessage>?
    /// The number of services that the system has added or refused.
    var added = 0
    var isRestored = false
    /// The process of an app that is written against Core Bluetooth.
    var hosted: InProcessApp?
    /// Ends the wait for an app that does not advertise.
    var readiness: (any LoopTimer)?
    /// Not empty after the last launch has published and advertised, was refused, or has ended.
    var ready = Inbox<Bool>()
  }

  /// The app's identifier, unique on its phone.
  public let bundleIdentifier: String
  let definition: AppDefinition
  let phone: Phone
  let faults = Mutex(Faults())
  private let life = Mutex(Life())

  init(_ definition: AppDefinition, on phone: Phone) {
    self.definition = definition
    self.phone = phone
    bundleIdentifier = definition.identity.bundleIdentifier
  }

  /// Whether the app has a process.
  var isRunning: Bool { life.withLock { $0.link != nil } }

  /// The app's state now.
  public var state: AppState { life.withLock { $0.state } }
  /// The state that the system handed to the app at its last launch; empty if nothing was preserved.
  public var restored: Restored { life.withLock { $0.restored } }
  /// How many times the app was launched, by the user or by the system.
  public var launches: Int { life.withLock { $0.launches } }
  var receptions: Receptions { life.withLock { $0.receptions } }
  /// The alerts that the user is shown while the app is suspended.
  var alerts: [String] {
    phone.air.backend.perform { [self] in
      phone.system.assumeIsolated { $0.status() }.apps.first { $0.identifier == bundleIdentifier }?.central?.alerts
    } ?? []
  }

  /// Sends a value to subscribers, as `updateValue` does.
  ///
  /// - Parameter centrals: The subscribers that receive the value; nil for all.
  ///
  /// - Returns: False if the transmit queue is full; `isReadyToUpdateSubscribers` follows then. Also false for an app
  ///   that does not run or whose behavior comes from a profile, and on bluetoothd's adapters where the value would
  ///   reach other subscribers too.
  @discardableResult
  public func update(
    _ characteristic: BluetoothUUID, to value: [UInt8], onSubscribedCentrals centrals: [Central]? = nil
  ) -> Bool {
    guard definition.profile == nil, let id = definition.id(of: characteristic) else { return false }
    return phone.air.backend.perform { [self] in
      guard isRunning else { return false }
      return phone.system.assumeIsolated {
        $0.update(
          id, to: value, onSubscribedCentrals: centrals?.map { CentralID(rawValue: $0.address) }, of: bundleIdentifier)
      }
    }
  }

  /// Ends the app's process without a message to the system.
  public func crash() {
    phone.air.note(bundleIdentifier, "crashes")
    phone.air.backend.perform { [self] in vanish() }
  }

  /// Ends the process, on the loop.
  func vanish() { end()?.close() }

  // MARK: Process

  /// Starts a process of the app.
  ///
  /// - Parameter ended: Called if the process ends before it has sent anything.
  func start(into mode: LaunchMode, ended: @escaping @Sendable (String) -> Void = { _ in }) {
    let loop = phone.air.loop
    if shouldCrash(at: .everyLaunch) {
      life.withLock { life in
        life.launches += 1
        life.ready.append(true)
      }
      phone.air.note(bundleIdentifier, "crashes at launch")
      return _ = Task(executorPreference: loop.tasks) { ended("crashed") }
    }
    let ends = makeInMemoryLink()
    let launch = life.withLock { life in
      (life.restored, life.receptions) = (Restored(), Receptions())
      life.launches += 1
      life.link = ends.app
      (life.added, life.isRestored, life.ready) = (0, false, Inbox())
      return life.launches
    }
    faults.withLock { $0.late = [] }
    let systemEnd = InterceptedAppLink(base: ends.system) { [weak self] in
      self?.receive($0, over: ends.app, launch: launch)
      return true
    }
    let appEnd = InterceptedAppLink(base: ends.app) { [weak self] message in
      guard case .peripheral(_, .respond) = message else { return true }
      self?.respond(message, over: ends.app, launch: launch)
      return false
    }
    let system = phone.system
    Task(executorPreference: loop.tasks) { await system.attach(systemEnd, into: mode) }
    if let program = definition.program {
      host(program, over: ends.app, launch: launch, bySystem: mode == .background)
    } else if let profile = definition.profile {
      let app = ProfileApp(
        loop: loop, profile: profile, name: definition.identity.name, seed: definition.seed, link: appEnd)
      Task(executorPreference: loop.tasks) { await app.run() }
    } else {
      let process = ScriptedApp(definition, link: appEnd) { [weak self] message in
        guard let self, isAlive(launch), let event = event(message) else { return }
        definition.onEvent(event, self)
      }
      Task(executorPreference: loop.tasks) { process.run(on: loop) }
    }
  }

  /// How long an app that is written against Core Bluetooth may take until it advertises, before it counts as launched.
  private static let hostedLaunchTime = Duration.seconds(1)

  private func host(
    _ program: @escaping InProcessApp.Program, over link: InMemoryAppLink<AppMessage, PhoneMessage>, launch: Int,
    bySystem: Bool
  ) {
    life.withLock { $0.hosted }?.end()
    let managers = bySystem ? phone.system.assumeIsolated { $0.managersInUse(of: bundleIdentifier) } : nil
    let hosted = InProcessApp(definition.identity, launchedFor: managers, on: phone, link: link) {
      [weak self] message in
      guard let self, answerDelay > .zero, case .peripheral(_, .respond) = message else { return true }
      respond(message, over: link, launch: launch)
      return false
    }
    let timer = phone.air.loop.schedule(after: Self.hostedLaunchTime) { [weak self] in self?.becomeReady() }
    life.withLock {
      $0.hosted = hosted
      $0.readiness = timer
    }
    hosted.launch(program)
  }

  /// Returns when the app has published and advertised, was refused, or has ended.
  func waitUntilReady() async { await life.withLock { $0.ready }.wait() }

  private func becomeReady() { life.withLock { $0.ready }.append(true) }

  /// Whether the process of that launch still runs.
  func isAlive(_ launch: Int) -> Bool { life.withLock { $0.link != nil && $0.launches == launch } }

  /// Follows what the system sends to the app.
  private func receive(_ message: PhoneMessage, over link: InMemoryAppLink<AppMessage, PhoneMessage>, launch: Int) {
    guard isAlive(launch) else { return }
    switch message {
    case .didChangeState(let state):
      life.withLock { $0.state = state }
      if state != .suspended { sendLateResponses(over: link) }
    case .refused(let reason):
      phone.air.fail(.phone("\(bundleIdentifier): \(reason)"))
      _ = end()
    // A program that is notified of its end ends afterwards.
    case .willTerminate(let cause): _ = end(withProgram: !cause.isAnnounced(to: state))
    case .peripheral(_, let callback): receive(callback)
    case .central(_, .didDiscover(let peripheral, _)):
      guard let address = phone.system.assumeIsolated({ $0.address(of: peripheral.id) }) else { return }
      life.withLock { $0.receptions.discovered.append(address.rawValue) }
    case .central(_, .peripheral(_, .didUpdateValue(_, let value, error: nil))):
      life.withLock { $0.receptions.value = value }
    case .central(_, .didUpdateState): if !definition.isPeripheral { becomeReady() }
    case .welcome, .central: break
    }
  }

  private func receive(_ callback: PeripheralManagerCallback) {
    switch callback {
    case .didReceiveRead, .didReceiveWrite: if shouldCrash(at: .nextRequest) { crash() }
    case .willRestoreState(let state):
      let restored = restored(from: state)
      life.withLock {
        $0.restored.services += restored.services
        $0.restored.subscribers += restored.subscribers
        $0.isRestored = true
      }
    case .didUpdateState:
      if life.withLock({ $0.isRestored }) || !definition.advertises && definition.serviceCount == 0 { becomeReady() }
    case .didAddService:
      let added = life.withLock { life in
        life.added += 1
        return life.added
      }
      if !definition.advertises, added == definition.serviceCount { becomeReady() }
    case .didStartAdvertising: becomeReady()
    case .didSubscribe, .didUnsubscribe, .didUpdateValue, .isReadyToUpdateSubscribers, .didPublishL2CAPChannel,
      .didUnpublishL2CAPChannel, .didOpenL2CAPChannel:
      break
    }
  }

  private func end(withProgram: Bool = true) -> InMemoryAppLink<AppMessage, PhoneMessage>? {
    defer { becomeReady() }
    if withProgram { life.withLock { $0.hosted }?.end() }
    return life.withLock { life in
      defer { (life.state, life.link) = (.notRunning, nil) }
      return life.link
    }
  }
}

/// An end of a link whose messages are inspected before they are sent.
private struct InterceptedAppLink<Outgoing: Sendable, Incoming: Sendable>: AppLinkEnd, StreamCarrier {
  let base: InMemoryAppLink<Outgoing, Incoming>
  /// Returns false for a message that must not be sent now.
  let intercept: @Sendable (Outgoing) -> Bool

  func receive(on loop: any ActorLoop, _ handler: @escaping @Sendable (Incoming?) -> Void) {
    base.receive(on: loop, handler)
  }

  func send(_ message: Outgoing) { if intercept(message) { base.send(message) } }

  func close() { base.close() }

  func passStream(on loop: any ActorLoop) -> (any ByteStream)? { base.passStream(on: loop) }

  func takeStream() -> (any ByteStream)? { base.takeStream() }
}
