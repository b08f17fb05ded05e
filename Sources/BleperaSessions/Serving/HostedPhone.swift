import BleperaAppLink
import BleperaBluetooth
import BleperaEventLoop
import BleperaLoop
import BleperaPhone
import BleperaProfileApp
import BleperaRules
import Glibc

/// Starts a phone on its radio.
typealias RadioStarter = @Sendable (Phone) async throws -> Void

/// A phone and its apps: those in this process, and others over AppLink.
actor HostedPhone {
  private nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  private let startRadio: RadioStarter
  private let powersOn: Bool
  private let observe: @Sendable (EventRecord) -> Void
  private let report: @Sendable (AppHost.Event) -> Void
  private let rules: RuleSet
  private let phoneServices: Bool
  private let memoryPressure: MemoryPressure?
  private let launch: LaunchMode
  private let apps: [AppHost.App]
  private let processes: ProcessLauncher?
  private var isReporting = true
  /// Why the phone terminated an app, by bundle identifier.
  private var causes: [String: TerminationCause] = [:]

  private lazy var phone: Phone = Phone(
    loop: loop, rules: rules,
    launcher: HostLauncher(processes) { [weak self] app in
      self?.assumeIsolated { $0.host.assumeIsolated { $0.relaunch(app.bundleIdentifier) } } ?? false
    }, phoneServices: phoneServices, memoryPressure: memoryPressure
  ) { [weak self] event, app in
    self?.assumeIsolated { $0.handle(event, of: app) }
  }

  private lazy var host: AppHost = AppHost(loop: loop, apps: apps, launch: launch, powersOn: powersOn) {
    [phone] mode throws(AppHost.ConnectionFailure) in
    let link = makeInMemoryLink()
    Task(executorPreference: self.loop.tasks) { [phone] in await phone.attach(link.system, into: mode) }
    return link.app
  } report: { [weak self] event in
    self?.assumeIsolated { this in
      if this.isReporting { this.report(event) }
    }
  }

  /// - Parameters:
  ///   - processes: launches apps that have processes of their own; nil where there are none.
  ///   - powersOn: whether the radio may have to be powered on first.
  ///   - startRadio: starts the phone on its radio.
  ///   - observe: receives every event until `stopReporting`, on the loop's thread.
  ///   - report: receives the host's events, on the loop's thread.
  init(
    loop: EventLoop, rules: RuleSet, phoneServices: Bool = false, memoryPressure: MemoryPressure? = nil,
    launch: LaunchMode, apps: [AppHost.App], processes: ProcessLauncher? = nil, powersOn: Bool = false,
    startRadio: @escaping RadioStarter,
    observe: @escaping @Sendable (EventRecord) -> Void, report: @escaping @Sendable (AppHost.Event) -> Void
  ) {
    self.loop = loop
    self.startRadio = startRadio
    self.powersOn = powersOn
    self.rules = rules
    self.phoneServices = phoneServices
    self.memoryPressure = memoryPressure
    self.launch = launch
    self.apps = apps
    self.processes = processes
    self.observe = observe
    self.report = report
  }

  /// Starts the radio and launches the apps.
  func start() async {
    do {
      try await startRadio(phone)
      if isReporting { await host.start() }
    } catch {
      if isReporting { report(.unexplained("\(error)")) }
    }
  }

  func perform(_ request: ControlRequest) async -> ControlReply { await phone.perform(request) }

  /// Serves an app of another process.
  func attach(_ socket: LineSocket, _ line: [UInt8]) {
    let peer = socket.peer?.process
    let link = SocketLink<PhoneMessage, AppMessage>(app: socket, first: line)
    Task(executorPreference: self.loop.tasks) { [phone] in await phone.attach(link, peer: peer) }
  }

  func toggleScreen() async { await phone.switchScreen() }

  func stopReporting() async {
    isReporting = false
    await host.stop()
  }

  /// Ends the phone and takes everything off the air.
  func shutDown() async {
    await stopReporting()
    await phone.shutDown()
  }

  private func handle(_ event: PhoneEvent, of app: String?) {
    guard isReporting else { return }
    observe(EventRecord(event, of: app))
    switch event {
    case .terminated(let app, let cause): causes[app] = cause
    case .ended(let app):
      let cause = causes[app]
      host.assumeIsolated { $0.appRemoved(app, cause) }
    case .radioEnded(let reason): report(.failed(reason))
    default: break
    }
  }
}

/// Relaunches the apps of a phone, in this process or in their own.
private final class HostLauncher: AppLauncher {
  private let processes: ProcessLauncher?
  private let relaunch: @Sendable (AppIdentity) -> Bool

  /// - Parameter relaunch: called on the loop's thread; false if the host has no such app.
  init(_ processes: ProcessLauncher?, _ relaunch: @escaping @Sendable (AppIdentity) -> Bool) {
    self.processes = processes
    self.relaunch = relaunch
  }

  func kept(_ process: LaunchDescription) -> LaunchDescription? { processes?.kept(process) }

  func launch(
    _ app: AppIdentity, _ process: LaunchDescription?, ended: @escaping @Sendable (String) -> Void
  ) throws(LaunchFailure) -> pid_t? {
    if relaunch(app) { return nil }
    guard let processes else { throw LaunchFailure(reason: "the phone has no such app") }
    return try processes.launch(app, process, ended: ended)
  }

  func end(_ process: pid_t) { processes?.end(process) }
  func stop(_ process: pid_t) { processes?.stop(process) }
  func resume(_ process: pid_t) { processes?.resume(process) }
}
