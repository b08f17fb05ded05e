import BleperaAppLink
import BleperaBlueZ
package import BleperaBluetooth
package import BleperaEventLoop
import BleperaLoop
import BleperaPhone
import BleperaPreservation
import BleperaProfile
package import BleperaProfileApp
import BleperaRadio
import BleperaRecording
import BleperaRules
import Glibc

/// One run of `blepera serve`: apps on the user's phone, from the start to Ctrl-C or the end of all apps.
package actor ServeSession: ControllableSession, LoopActor {
  enum End: Sendable {
    case interrupted
    /// The user has quit the apps elsewhere.
    case quit
    /// A whole sentence.
    case failed(String)
    /// The session failed for the radio's own reason; the machine is examined for a better one.
    case unexplained(String)
  }

  /// The time that the phone has to quit the apps at the end.
  private static let quitTimeout = Duration.milliseconds(1500)
  /// The time that apps have to report the end of a phone which has ended the connection for events.
  private static let linkTimeout = Duration.seconds(1)
  /// The time that a phone which is shutting down may still seem to be running.
  private static let shutdownTimeout = Duration.seconds(5)
  /// The limit of consecutive restarts of the phone without serving in between.
  private static let restartLimit = 3

  package nonisolated let loop = EventLoop(name: "blepera")
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
  package nonisolated var isOnLoop: Bool { loop.isCurrent }

  let starter: PhoneStarter
  private let radio: RadioSettings
  let profiles: [NamedProfile]
  private let launch: LaunchMode
  private let isJSON: Bool
  private let isText: Bool?
  let observe: SessionObserver
  private let endProcess: ProcessEnder
  private let seed = TraceHeader.randomSeed

  private(set) var control: ControlConnection?
  /// The number of connections for requests and events so far.
  private var connections = 0
  private var runner: ProfileAppRunner?
  private var hasBegun = false
  /// Whether all apps have been on the air.
  private var hasServed = false
  /// The phone's status before the apps were launched.
  private var before: PhoneStatus?
  private var restarts = 0
  private var restart: Task<Void, Never>?
  let end = SessionEnd<End>()
  private let service: ServiceReport?

  /// - Parameters:
  ///   - isJSON: whether relaunched apps print JSON.
  ///   - isText: whether `observe` receives the phone's events as text, and not as records; nil if nobody reads them.
  package init(
    starter: PhoneStarter, radio: RadioSettings, profiles: [NamedProfile], launch: LaunchMode, isJSON: Bool,
    isText: Bool? = false, endProcess: @escaping ProcessEnder, observe: @escaping SessionObserver
  ) {
    self.starter = starter
    self.radio = radio
    self.profiles = profiles
    self.launch = launch
    self.isJSON = isJSON
    self.isText = isText
    self.observe = observe
    self.endProcess = endProcess
    service = ServiceReport(on: loop)
  }

  /// Returns the reason that the session failed, a sentence; nil after Ctrl-C or `blepera quit`.
  package func run() async -> String? {
    let signals = loop.watchTermination { [weak self] signal in
      self?.assumeIsolated { signal == SIGINT ? $0.interrupt() : $0.terminate(bySignal: signal) }
    }
    defer { withExtendedLifetime(signals) {} }
    // A separate task connects, so that Ctrl-C need not wait for the phone.
    Task {
      if let failure = await connect(isFirst: true) { return end.finish(.failed(failure)) }
      if let failure = await radioFailure { return end.finish(.failed(failure)) }
      await launchApps()
    }
    let reason = await end.wait()
    service?.stopping()
    await runner?.stop()
    let failure = await quitApps()
    await restoreForeground(after: reason)
    if case .interrupted = reason, failure == nil, hasServed { observe(.forceQuit) }
    switch reason {
    case .interrupted, .quit: return failure
    case .failed(let reason): return reason
    case .unexplained(let reason): return await RadioDoctor.explain(reason, radio, on: loop)
    }
  }

  // MARK: The phone

  /// Connects to the phone and starts it if needed. Returns the reason that the phone cannot be used, or nil.
  private func connect(isFirst: Bool) async -> String? {
    let begin = loop.now
    while end.reason == nil {
      let process: pid_t?
      do throws(PhoneStarter.Failure) {
        process = try await starter.start(on: loop) { [observe] in
          observe(.note("The phone's service has ended; waiting until it is started again."))
        }
      } catch { return error.reason }
      if let process {
        observe(.phoneStarted(name: starter.address.name, process: process, log: starter.folder.systemLog))
      }
      do throws(ControlFailure) {
        try await watch()
        return process == nil && isFirst ? refusalOfOptions : nil
      } catch {
        // The kernel may close the links of a killed phone before its listening socket.
        guard error.isOfEndedPhone, loop.now - begin < Self.shutdownTimeout else { return "\(error)" }
        try? await loop.sleep(for: .milliseconds(50))
      }
    }
    return nil
  }

  private func watch() async throws(ControlFailure) {
    connections += 1
    let control = try ControlConnection(loop: loop, address: starter.address) { [weak self] events in
      self?.assumeIsolated { $0.show(events) }
    } ended: { [weak self, connections] in
      self?.assumeIsolated { $0.connectionEnded(connections) }
    }
    self.control = control
    if !hasBegun { try await begin(control) }
    // The phone may close a connection that makes no request.
    let request = isText.map { ControlRequest(.events, apps: profiles.map(\.identifier), isText: $0) }
    _ = try await control.ask(request ?? ControlRequest(.status))
  }

  /// Reports the settings of the command and of the phone.
  private func begin(_ control: ControlConnection) async throws(ControlFailure) {
    let status = try await control.ask(ControlRequest(.status)).status
    hasBegun = true
    before = status
    observe(
      .began(
        TraceHeader(
          command: "serve", ios: status?.ios ?? radio.phone.rules.version.rawValue,
          radio: radio.controller == nil && status?.controller == nil ? .bluez : .controller,
          settings: (status?.options ?? radio.given) + [launch.option],
          phones: [.init(apps: profiles.map(\.identifier))])))
  }

  /// The time that the radio of a phone has until it is on.
  private static let radioTimeout = Duration.seconds(2)

  /// The reason that apps cannot be served; nil if they can. A launched app takes the foreground from another app, so
  /// apps are not launched while the radio is off. Apps of a service wait for the radio.
  private var radioFailure: String? {
    get async {
      if starter.address.isService { return nil }
      let begin = loop.now
      while end.reason == nil, let control, before?.apps.contains(where: { $0.state == .foreground }) == true,
        let status = try? await control.ask(ControlRequest(.status)).status, status.radio != .poweredOn
      {
        guard loop.now - begin < Self.radioTimeout else {
          return await RadioDoctor.explain("the radio is not available", radio, on: loop)
        }
        try? await loop.sleep(for: .milliseconds(100))
      }
      return nil
    }
  }

  /// Returns the foreground to the app that lost it to apps which could not be served.
  private func restoreForeground(after end: End) async {
    switch end {
    case .interrupted, .quit: return
    case .failed, .unexplained: break
    }
    let ours = Set(profiles.map(\.identifier))
    guard runner != nil, !hasServed, launch == .foreground, let control,
      let app = before?.apps.first(where: { $0.state == .foreground && !ours.contains($0.identifier) })
    else { return }
    _ = try? await control.ask(ControlRequest(.foreground, app: app.identifier), within: Self.quitTimeout)
  }

  private var refusalOfOptions: String? {
    let options = (before?.options ?? []) + (before?.adapter.map { ["--adapter \($0)"] } ?? [])
    guard let other = radio.given.first(where: { !options.contains($0) }) else { return nil }
    return """
      the phone '\(starter.address.name)' is already running with its own settings, so \(other.prefix { $0 != " " }) \
      cannot be changed: end the phone with 'blepera shutdown', or choose another name with --system.
      """
  }

  private func show(_ events: ControlConnection.Events) {
    guard end.reason == nil else { return }
    switch events {
    case .record(let record): observe(.record(record))
    case .lines(let lines): observe(.lines(lines))
    }
  }

  /// Connects again to a phone that has ended only the connection for requests and events, which happens if events wait
  /// for too long.
  private func connectionEnded(_ number: Int) {
    guard runner != nil else { return }
    Task {
      try? await loop.sleep(for: Self.linkTimeout)
      guard end.reason == nil, restart == nil, number == connections else { return }
      observe(.failed("the phone '\(starter.address.name)' has ended the connection for events; some may be missing."))
      reconnect()
      await restart?.value
    }
  }

  /// Force-quits the apps that still run. Returns a sentence if the phone does not respond, otherwise nil.
  private func quitApps() async -> String? {
    guard let control, let runner else { return nil }
    let begin = loop.now
    let requests = await runner.runningApps.map { profile in
      Task { _ = try? await control.ask(ControlRequest(.quit, app: profile.identifier), within: Self.quitTimeout) }
    }
    for request in requests { await request.value }
    guard loop.now - begin >= Self.quitTimeout else { return nil }
    return "the phone '\(starter.address.name)' does not respond, so it may still have the apps."
  }

  // MARK: The apps

  private func launchApps() async {
    guard end.reason == nil else { return }
    let apps = profiles.enumerated().map { number, profile in
      ProfileAppRunner.App(
        profile: profile, seed: TraceHeader.seed(seed, phone: 0, app: number),
        process: OwnProcess.launch(of: profile.file, system: starter.address.name, isJSON: isJSON))
    }
    let runner = ProfileAppRunner(
      loop: loop, apps: apps, launch: launch, powersOn: radio.options.powersOn,
      waitsForRadio: starter.address.isService
    ) { [loop, address = starter.address] _ throws(ProfileAppRunner.ConnectionFailure) in
      do throws(ControlFailure) {
        return SocketAppLink<AppMessage, PhoneMessage>(
          LineSocket(
            loop: loop, descriptor: try address.connect(), maximumLine: JSONLine.maximumLength,
            receivesDescriptors: true))
      } catch { throw ProfileAppRunner.ConnectionFailure(reason: "\(error)") }
    } report: { [weak self] event in
      self?.assumeIsolated { $0.handle(event) }
    }
    self.runner = runner
    await runner.start()
  }

  private func handle(_ event: ProfileAppRunner.Event) {
    guard end.reason == nil else { return }
    switch event {
    case .serving:
      hasServed = true
      service?.ready()
      observe(.serving)
    case .waitingForRadio:
      service?.ready()
      observe(.note("Bluetooth is off, or has no adapter; waiting until it is on. 'blepera doctor' has the reason."))
    case .appServing: restarts = 0
    case .linkLost(let number): reconnect(number)
    case .quit: end.finish(.quit)
    // A user has requested the termination: a phone on bluetoothd has no memory pressure of its own.
    case .terminated(let app, let cause):
      observe(.note("The phone has terminated \(app): \(cause.text)."))
      end.finish(.quit)
    case .failed(let reason): end.finish(.failed(reason))
    case .unexplained(let reason): end.finish(.unexplained(reason))
    }
  }

  /// Restarts a phone that has ended unexpectedly; the phone restores its state from disk.
  private func reconnect(_ number: Int) {
    if restart == nil {
      restarts += 1
      guard restarts <= Self.restartLimit else {
        return end.finish(.failed("the phone has ended unexpectedly several times; see \(starter.folder.systemLog)."))
      }
      if !starter.address.isService { observe(.phoneRestarting) }
      reconnect()
    }
    Task { [restart] in
      await restart?.value
      guard end.reason == nil else { return }
      await runner?.reconnect(number)
    }
  }

  private func reconnect() {
    restart = Task {
      if let failure = await connect(isFirst: false) { end.finish(.failed(failure)) }
      restart = nil
    }
  }

  // MARK: The user

  /// Ends the session; a second time ends the process at once.
  package func interrupt() {
    if end.reason != nil { endProcess(.status(130)) }
    end.finish(.interrupted)
  }

  /// Ends the process by the signal, which the phone treats as the end of the apps by the system.
  private func terminate(bySignal signal: CInt) {
    service?.stopping()
    endProcess(.signal(signal))
  }
}
