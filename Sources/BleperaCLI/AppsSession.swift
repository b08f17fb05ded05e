import AppLink
import BlueZ
import Control
import EventLoop
import EventTrace
import Glibc
import Policy
import Preservation
import ProfileApp

/// One run of `blepera serve`: apps on the user's phone, from the start to Ctrl-C or their end.
actor AppsSession {
  enum End: Sendable {
    case interrupted
    /// The user has quit them from elsewhere.
    case quit
    /// A whole sentence.
    case failed(String)
    /// bluetoothd's own words; the machine is looked at for a better reason.
    case unexplained(String)
  }

  /// How long the radio may take to come up before its state is taken for a failure: bluetoothd may just be starting.
  private static let patience = Duration.seconds(2)
  /// The same where an adapter has to be powered on.
  private static let patienceWithPower = Duration.seconds(5)
  /// How long bluetoothd may take to put everything on the air.
  private static let patienceWithDaemon = Duration.seconds(15)
  /// How long a phone that is about to end may still seem to be there.
  private static let patienceForEnd = Duration.seconds(5)
  /// How often in a row the phone is started again without having served.
  private static let restartLimit = 3

  private nonisolated let loop = EventLoop(name: "blepera")
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  let printer: EventPrinter
  private let errors = Terminal(.error)
  private let starter: SystemStarter
  private let radio: RadioOptions
  let profiles: [NamedProfile]
  private let launch: LaunchFlag
  private let seed = TraceHeader.randomSeed

  private(set) var control: ControlConnection?
  /// Whether the trace has its first line.
  private var hasBegun = false
  private var apps: [Int: ProfileApp] = [:]
  /// How many of the profiles are launched.
  private var launched = 0
  private var running = 0
  private var isUsable = false
  private var isServing = false
  private var limits: [EventSource] = []
  private var terminated: String?
  private var restarts = 0
  private var isRestarting: Task<Void, Never>?
  private var waiter: CheckedContinuation<End, Never>?
  private(set) var end: End?
  private var keys: KeyReader?

  init(
    printer: EventPrinter, starter: SystemStarter, radio: RadioOptions, profiles: [NamedProfile], launch: LaunchFlag
  ) {
    self.printer = printer
    self.starter = starter
    self.radio = radio
    self.profiles = profiles
    self.launch = launch
  }

  /// Why it came to nothing; nil after Ctrl-C or `blepera quit`.
  func run() async -> String? {
    let signals =
      [SIGINT].map { signal in
        loop.watch(signal: signal) { [weak self] in self?.assumeIsolated { $0.interrupt() } }
      }
      + [SIGTERM, SIGHUP].map { signal in
        loop.watch(signal: signal) { [weak self] in self?.assumeIsolated { $0.die(of: signal) } }
      }
    defer { withExtendedLifetime(signals) {} }
    if let failure = await connect(isFirst: true) { return failure }
    if !printer.isJSON {
      keys = KeyReader(loop: loop) { [weak self] key in self?.assumeIsolated { $0.press(key) } }
      await keys?.start()
    }
    startLaunching()
    let end = await withCheckedContinuation { (continuation: CheckedContinuation<End, Never>) in
      if let end = self.end { continuation.resume(returning: end) } else { waiter = continuation }
    }
    limits = []
    await keys?.stop()
    await quit()
    switch end {
    case .interrupted, .quit: return nil
    case .failed(let reason): return reason
    case .unexplained(let reason): return await RadioDoctor.explain(reason, radio.radio, on: loop)
    }
  }

  // MARK: The phone

  /// Finds the phone or starts it; why it cannot be used, or nil.
  private func connect(isFirst: Bool) async -> String? {
    let begin = ContinuousClock.now
    while true {
      let process: pid_t?
      do throws(SystemStarter.Failure) { process = try await starter.start() } catch { return error.reason }
      if let process {
        let name = starter.address.name
        errors.print(
          errors.styled("The phone '\(name)' is started (process \(process), log \(starter.folder.systemLog)).", .dim))
      }
      do throws(ControlFailure) {
        try await watch()
        return process == nil && isFirst ? refusalOfOptions : nil
      } catch {
        // The kernel may close the links of a phone that is killed before what it listens at.
        guard error.isOfEndedSystem, begin.duration(to: .now) < Self.patienceForEnd else { return "\(error)" }
        try? await Task.sleep(for: .milliseconds(50))
      }
    }
  }

  private func watch() async throws(ControlFailure) {
    let control = try ControlConnection(loop: loop, address: starter.address) { [weak self] line in
      self?.assumeIsolated { $0.show(line) }
    }
    self.control = control
    if !hasBegun { try await begin(control) }
    _ = try await control.ask(ControlRequest(.events, apps: profiles.map(\.identifier)))
  }

  /// The trace's first line: what is asked for, and what the phone says of itself.
  private func begin(_ control: ControlConnection) async throws(ControlFailure) {
    let status = try await control.ask(ControlRequest(.status)).status
    hasBegun = true
    printer.begin(
      TraceHeader(
        blepera: Blepera.version, command: "serve", ios: status?.ios ?? radio.rules.version.rawValue,
        bluez: status?.bluez, pairing: radio.pairing?.rawValue, launch: launch.rawValue, seed: seed,
        phones: [.init(apps: profiles.map(\.identifier))]))
  }

  private var refusalOfOptions: String? {
    radio.given.first.map { option in
      """
      the phone '\(starter.address.name)' runs already, with settings of its own, so \(option) cannot be given: end it \
      with 'blepera shutdown', or use --system with another name.
      """
    }
  }

  private func show(_ line: [UInt8]) {
    guard end == nil, let record = EventRecord(json: line) else { return }
    // The phone's word; on a busy machine the app's own news of it may come late.
    if record.event == "poweredOn" { isUsable = true }
    printer.print(record, at: .now)
  }

  /// Takes the user's leave of what still runs.
  private func quit() async {
    guard running > 0, let control else { return }
    for profile in profiles.prefix(launched) {
      _ = try? await control.ask(ControlRequest(.quit, app: profile.identifier))
    }
  }

  // MARK: The apps

  private func startLaunching() {
    guard end == nil else { return }
    limits = [
      loop.schedule(after: radio.powerOn ? Self.patienceWithPower : Self.patience) { [weak self] in
        self?.assumeIsolated { this in
          if !this.isServing, !this.isUsable { this.finish(.unexplained("the radio cannot be used")) }
        }
      },
      loop.schedule(after: Self.patienceWithDaemon) { [weak self] in
        self?.assumeIsolated { this in
          if !this.isServing { this.finish(.unexplained("bluetoothd does not put the profile on the air")) }
        }
      },
    ]
    launchNext()
  }

  /// One app after the other, each when the one before is on the air: which comes first decides what has room there.
  private func launchNext() {
    guard end == nil else { return }
    guard launched < profiles.count else { return startServing() }
    let number = launched
    let profile = profiles[number]
    launched += 1
    let link: SocketLink<AppMessage, SystemMessage>
    do throws(ControlFailure) { link = try makeLink() } catch { return finish(.failed("\(error)")) }
    let app = ProfileApp(
      loop: loop, profile: profile.profile, name: profile.name,
      seed: TraceHeader.seed(seed, phone: 0, app: number), launch: launch.intent,
      process: OwnProcess.launch(of: profile.file, system: starter.address.name, isJSON: printer.isJSON), link: link
    ) { [weak self] news in
      self?.assumeIsolated { $0.hear(news) }
    }
    apps[number] = app
    running += 1
    Task { appEnded(number, await app.run()) }
  }

  private func makeLink() throws(ControlFailure) -> SocketLink<AppMessage, SystemMessage> {
    SocketLink(
      LineSocket(
        loop: loop, descriptor: try starter.address.connect(), maximumLine: LinkLine.maximumLength))
  }

  private func hear(_ news: ProfileApp.News) {
    switch news {
    case .state(let state): isUsable = state == .poweredOn
    case .serving:
      restarts = 0
      if !isServing { launchNext() }
    case .refused(let service, let reason):
      if !isServing { finish(.failed("service \(service) cannot be published: \(reason)")) }
    case .notAdvertised(let reason):
      if !isServing { finish(.unexplained("bluetoothd does not advertise: \(reason)")) }
    }
  }

  private func startServing() {
    guard !isServing else { return }
    isServing = true
    limits = []
    printer.hint("Serving; Ctrl-C ends it\(Key.isUsable ? ", ? lists the keys" : "").")
  }

  private func appEnded(_ number: Int, _ how: ProfileApp.End) {
    guard end == nil else { return }
    if how == .lost { return resume(number) }
    running -= 1
    switch how {
    case .refused(let reason): return finish(.failed("\(reason)."))
    case .terminated(.forceQuit), .lost: break
    case .terminated(let reason):
      terminated = "the system has terminated \(profiles[number].identifier): \(reason.text)"
    }
    if running == 0 { finish(terminated.map { .failed($0) } ?? .quit) }
  }

  /// The phone has gone without a word: it is started again, and has kept what it keeps.
  private func resume(_ number: Int) {
    if isRestarting == nil {
      restarts += 1
      guard restarts <= Self.restartLimit else {
        return finish(.failed("the phone has ended again and again; \(starter.folder.systemLog) may say why."))
      }
      errors.print(errors.styled("The phone has ended; it is started again.", .dim))
      isRestarting = Task {
        if let failure = await connect(isFirst: false) { finish(.failed(failure)) }
        isRestarting = nil
      }
    }
    Task { [isRestarting] in
      await isRestarting?.value
      guard end == nil, let app = apps[number] else { return }
      do throws(ControlFailure) {
        let link = try makeLink()
        Task { appEnded(number, await app.run(on: link)) }
      } catch {
        finish(.failed("\(error)"))
      }
    }
  }

  // MARK: The user

  /// The second time, while something does not answer, it ends at once.
  private func interrupt() {
    guard end != nil else { return finish(.interrupted) }
    keys?.assumeIsolated { $0.stop() }
    exit(130)
  }

  /// As any program does; to the apps it is the system that has ended them.
  private func die(of signal: CInt) {
    keys?.assumeIsolated { $0.stop() }
    Glibc.signal(signal, SIG_DFL)
    raise(signal)
  }

  func finish(_ end: End) {
    guard self.end == nil else { return }
    self.end = end
    waiter?.resume(returning: end)
    waiter = nil
  }
}
