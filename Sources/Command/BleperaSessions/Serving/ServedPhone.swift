package import BleperaAppLink
package import BleperaBluetooth
package import BleperaEventLoop
import BleperaLoop
package import BleperaPhone
package import BleperaPreservation
package import BleperaProfileApp
import BleperaRules
import Glibc

/// Starts a phone on its radio.
package typealias RadioStarter = @Sendable (EmulatedPhone) async throws -> Void

/// A phone with its control socket and its apps, in this process and over AppLink.
package actor ServedPhone: LoopActor {
  package struct Settings: Sendable {
    /// The options of `blepera serve`, with defaults.
    package var options: [String] = []
    /// The hosts at the HCI of the air; nil if the air has no HCI.
    package var hosts: @Sendable () -> [String]? = { nil }
    package var phone = PhoneSettings()
    /// Whether the observer receives no reads, writes, updates and confirmations.
    package var omitsValues = false
    /// The seed of the random number generator.
    package var seed: UInt64 = 0
    package var store: any PreservationStore = InMemoryPreservationStore()
    /// Launches apps that have their own processes; nil if there are none.
    package var processes: ProcessLauncher?
    package var launch = LaunchMode.foreground
    /// The apps in this process.
    package var apps: [ProfileAppRunner.App] = []
    package var staysWithoutApps = ProfileAppRunner.StayWithoutApps.never

    package init() {}
  }

  private nonisolated let loop: EventLoop
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
  package nonisolated var isOnLoop: Bool { loop.isCurrent }

  private let settings: Settings
  private let startRadio: RadioStarter
  private let observe: @Sendable (PhoneEvent, String?) -> Void
  private let report: @Sendable (ProfileAppRunner.Event) -> Void
  private let shutdown: (@Sendable () -> Void)?
  private var server: ControlServer?
  private var isReporting = true
  private var isEnding = false
  /// The causes for which the phone terminated apps, by bundle identifier.
  private var causes: [String: TerminationCause] = [:]

  private static let shuttingDown = ControlReply(error: "the phone is shutting down.")

  private lazy var phone: EmulatedPhone = EmulatedPhone(
    loop: loop, settings: settings.phone, seed: settings.seed, store: settings.store,
    launcher: RunnerLauncher(settings.processes, hasApps: !settings.apps.isEmpty) { [weak self] app, mode in
      self?.assumeIsolated { $0.runner.assumeIsolated { $0.relaunch(app.bundleIdentifier, mode) } } ?? false
    }
  ) { [weak self] event, app in
    self?.assumeIsolated { $0.handle(event, of: app) }
  }

  private lazy var runner: ProfileAppRunner = ProfileAppRunner(
    loop: loop, apps: settings.apps, launch: settings.launch, staysWithoutApps: settings.staysWithoutApps
  ) { [phone, loop] mode throws(ProfileAppRunner.ConnectionFailure) in
    let link = makeInMemoryLink()
    Task(executorPreference: loop.tasks) { [phone] in await phone.attach(link.system, into: mode) }
    return link.app
  } report: { [weak self] event in
    self?.assumeIsolated { this in
      if this.isReporting { this.report(event) }
    }
  }

  /// - Parameters:
  ///   - startRadio: starts the phone on its radio.
  ///   - observe: receives every event, with the app that it concerns, until `stopReporting`, on the loop's thread.
  ///   - report: receives the events of the runner, on the loop's thread.
  ///   - shutdown: called for `blepera shutdown`; nil if the phone ends with the command that has started it.
  package init(
    loop: EventLoop, settings: Settings, startRadio: @escaping RadioStarter,
    observe: @escaping @Sendable (PhoneEvent, String?) -> Void,
    report: @escaping @Sendable (ProfileAppRunner.Event) -> Void = { _ in }, shutdown: (@Sendable () -> Void)? = nil
  ) {
    self.loop = loop
    self.settings = settings
    self.startRadio = startRadio
    self.observe = observe
    self.report = report
    self.shutdown = shutdown
  }

  // MARK: The control socket

  /// Acquires the phone's name; requests and apps are received after `listen`.
  package func claim(_ address: ControlAddress, isService: Bool = false) throws(ControlFailure) {
    server = try ControlServer(loop: loop, address: address, isService: isService) { [weak self] socket, line in
      self?.assumeIsolated { $0.attach(socket, line) }
    } watching: { [weak self] isWatched in
      self?.assumeIsolated { $0.reportValues(areWatched: isWatched) }
    } currentState: { [weak self] in
      self?.assumeIsolated { $0.currentState } ?? []
    } perform: { [weak self] request in
      await self?.perform(request) ?? Self.shuttingDown
    }
  }

  package func listen() async { await server?.start() }

  /// Accepts no more clients; a new client starts another phone, which waits for the name.
  func stopListening() async { await server?.stopListening() }

  /// Answers the pending requests, and releases the name.
  package func closeSocket() async {
    await server?.settle()
    await server?.close()
  }

  private func attach(_ socket: LineSocket, _ line: [UInt8]) {
    guard isReporting, !isEnding else { return socket.close() }
    let peer = socket.peer?.process
    let link = SocketAppLink<PhoneMessage, AppMessage>(app: socket, first: line)
    phone.assumeIsolated { $0.attach(link, peer: peer) }
  }

  package func perform(_ request: ControlRequest) async -> ControlReply {
    guard isReporting, !isEnding else { return Self.shuttingDown }
    guard request.command == .shutdown, let shutdown else {
      var reply = await phone.perform(request)
      reply.status?.options = settings.options
      reply.status?.hosts = settings.hosts()
      return reply
    }
    shutdown()
    return .done
  }

  private var currentState: [EventRecord] {
    phone.assumeIsolated { $0.currentStateEvents }.map { EventRecord($0.event, of: $0.app) }
  }

  // MARK: The phone

  func startPhone() async throws {
    reportValues(areWatched: false)
    try await startRadio(phone)
  }

  /// Switches the events of values on if somebody reads them.
  private func reportValues(areWatched: Bool) {
    phone.assumeIsolated { $0.reportValues(areWatched || !settings.omitsValues) }
  }

  /// Starts the radio and launches the apps.
  package func start() async {
    do {
      try await startPhone()
      if isReporting { await runner.start() }
    } catch {
      if isReporting { report(.unexplained("\(error)")) }
    }
  }

  /// The numbers of running apps and of apps that are only preserved.
  package var appCounts: (running: Int, preserved: Int) { phone.assumeIsolated { $0.appCounts } }

  /// Whether an app advertises, scans or connects.
  package var isUsedByApps: Bool { phone.assumeIsolated { $0.isUsedByApps } }

  /// Switches the screen, and returns whether it is on now.
  package func switchScreen() async -> Bool { await phone.switchScreen() }

  package func stopReporting() async {
    isReporting = false
    await runner.stop()
  }

  /// Ends the phone and takes everything off the air.
  ///
  /// - Parameters:
  ///   - reporting: whether the ends of the apps are reported.
  ///   - quitting: whether the user quits the apps in this process; otherwise their state is preserved.
  package func shutDown(reporting: Bool = false, quitting: Bool = false) async {
    isEnding = true
    if !reporting { await stopReporting() }
    for app in settings.apps where quitting {
      _ = await phone.perform(ControlRequest(.quit, app: app.profile.identifier))
    }
    await phone.shutDown()
  }

  private func handle(_ event: PhoneEvent, of app: String?) {
    switch event {
    // Closing the radio at the end is intentional.
    case .radio, .radioEnded: if isEnding { return }
    default: break
    }
    if let server {
      server.assumeIsolated { $0.report(EventRecord(event, of: app), of: app, isFrequent: event.isValue) }
    }
    guard isReporting, !(settings.omitsValues && event.isValue) else { return }
    observe(event, app)
    switch event {
    case .terminated(let app, let cause): causes[app] = cause
    case .ended(let app):
      let cause = causes[app]
      runner.assumeIsolated { $0.appRemoved(app, cause) }
    case .radioEnded(let reason): report(.failed(reason))
    default: break
    }
  }
}

/// Relaunches the apps of a phone, in this process or in their own processes.
private final class RunnerLauncher: AppLauncher {
  private let processes: ProcessLauncher?
  private let hasApps: Bool
  private let relaunch: @Sendable (AppIdentity, LaunchMode) -> Bool

  /// - Parameters:
  ///   - hasApps: whether this process has apps, which need no description of a process.
  ///   - relaunch: called on the loop's thread; false if the runner has no such app.
  init(
    _ processes: ProcessLauncher?, hasApps: Bool, _ relaunch: @escaping @Sendable (AppIdentity, LaunchMode) -> Bool
  ) {
    self.processes = processes
    self.hasApps = hasApps
    self.relaunch = relaunch
  }

  func storable(_ process: LaunchDescription) -> LaunchDescription? { processes?.storable(process) }

  func isLaunchedByUserOnly(_ process: LaunchDescription?) -> Bool {
    if process == nil, hasApps { return false }
    return processes?.isLaunchedByUserOnly(process) ?? false
  }

  func launch(
    _ app: AppIdentity, _ process: LaunchDescription?, byUser: Bool, ended: @escaping @Sendable (String) -> Void
  ) throws(LaunchFailure) -> pid_t? {
    if relaunch(app, byUser ? .foreground : .background) { return nil }
    guard let processes else { throw LaunchFailure(reason: "the phone has no such app") }
    return try processes.launch(app, process, byUser: byUser, ended: ended)
  }

  func end(_ process: pid_t) { processes?.end(process) }
  func stop(_ process: pid_t, isOwn: Bool) { processes?.stop(process, isOwn: isOwn) }
  func resume(_ process: pid_t) { processes?.resume(process) }
}
