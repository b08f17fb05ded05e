import AppLink
import BlueZ
import DBus
import EventLoop
import EventTrace
import GATT
import Policy
import Profile
import ProfileApp
import System

/// A system and its apps in this process: launches one app after the other, and tells when all of them serve, or why
/// they do not.
actor Phone {
  enum News: Sendable {
    /// Everything is published, and on the air or by the rules not. Told once.
    case serving
    /// The user has quit all of its apps.
    case quit
    /// A whole sentence. Before it serves, or when nothing is left that could.
    case failed(String)
    /// bluetoothd's own words; the machine may be looked at for a better reason.
    case unexplained(String)
  }

  /// How long the radio may take to come up before its state is taken for a failure: bluetoothd may just be starting.
  private static let patience = Duration.seconds(2)
  /// The same where an adapter has to be powered on.
  private static let patienceWithPower = Duration.seconds(5)
  /// How long bluetoothd may take to put everything on the air.
  private static let patienceWithDaemon = Duration.seconds(15)

  private nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  private let bus: BusAddress
  private let options: Peripheral.Options
  private let rules: RuleSet
  private let intervalAdvice: String
  private let launch: LaunchMode
  private let profiles: [NamedProfile]
  private let seeds: [UInt64]
  private let report: @Sendable (SystemEvent, String?) -> Void
  private let tell: @Sendable (News) -> Void

  private(set) lazy var system = System(
    loop: loop, rules: rules, intervalAdvice: intervalAdvice,
    launcher: PhoneLauncher { [weak self] app in self?.assumeIsolated { $0.relaunch(app) } ?? false }
  ) { [weak self] event, app in
    self?.assumeIsolated { $0.handle(event, of: app) }
  }
  private var isUsable = false
  private var isServing = false
  /// Nothing is told any more.
  private var hasEnded = false
  /// The services that are published, by their first handle: one may be told of again when another includes it.
  private var published: Set<AttributeHandle> = []
  /// The apps that have not ended.
  private var running = 0
  /// How many of the profiles are launched.
  private var launched = 0
  private var limits: [EventSource] = []
  private var terminated: String?
  private var hasQuit = false

  /// - Parameters:
  ///   - intervalAdvice: what to do where bluetoothd passes over intervals.
  ///   - seeds: what the random values of each app are drawn from.
  ///   - report: hears every event until the phone ends, with the bundle identifier of the app that it is of, on the
  ///     loop's thread.
  ///   - tell: hears what comes of it, on the loop's thread, after the event that it follows from.
  init(
    loop: EventLoop, bus: BusAddress, options: Peripheral.Options, rules: RuleSet, launch: LaunchMode,
    profiles: [NamedProfile], seeds: [UInt64], intervalAdvice: String = System.intervalAdvice,
    report: @escaping @Sendable (SystemEvent, String?) -> Void, tell: @escaping @Sendable (News) -> Void
  ) {
    self.loop = loop
    self.intervalAdvice = intervalAdvice
    self.bus = bus
    self.options = options
    self.rules = rules
    self.launch = launch
    self.profiles = profiles
    self.seeds = seeds
    self.report = report
    self.tell = tell
  }

  /// Connects to the bus and launches the apps; `tell` hears how that goes.
  func start() async {
    do {
      try await system.start(bus: bus, options: options)
      startLaunching()
    } catch {
      end(.unexplained("\(error)"))
    }
  }

  /// What is taken back from now on is no news.
  func mute() {
    hasEnded = true
    limits = []
  }

  /// Takes everything off the air.
  func shutDown() async {
    mute()
    await system.shutDown()
  }

  private func startLaunching() {
    guard !hasEnded else { return }
    limits = [
      loop.schedule(after: options.powersOn ? Self.patienceWithPower : Self.patience) { [weak self] in
        self?.assumeIsolated { this in
          if !this.isServing, !this.isUsable { this.end(.unexplained("the radio cannot be used")) }
        }
      },
      loop.schedule(after: Self.patienceWithDaemon) { [weak self] in
        self?.assumeIsolated { this in
          if !this.isServing { this.end(.unexplained("bluetoothd does not put the profile on the air")) }
        }
      },
    ]
    running = profiles.count
    launchNext()
  }

  /// One app after the other, each when the one before is on the air: which comes first decides what has room there.
  private func launchNext() {
    guard launched < profiles.count else { return startServing() }
    launched += 1
    start(launched - 1, into: launch)
  }

  private func start(_ number: Int, into mode: LaunchMode) {
    let link = makeInMemoryLink()
    let profile = profiles[number]
    let app = ProfileApp(
      loop: loop, profile: profile.profile, name: profile.name, seed: seeds[number], link: link.app)
    Task { [system] in await system.attach(link.system, into: mode) }
    Task { await app.run() }
  }

  private func relaunch(_ app: AppIdentity) -> Bool {
    guard let number = profiles.firstIndex(where: { $0.identifier == app.bundleIdentifier }) else { return false }
    start(number, into: .relaunched)
    return true
  }

  /// Whether all the apps that have been launched so far have published everything.
  private var isPublished: Bool {
    published.count >= profiles.prefix(launched).map(\.profile.services.count).reduce(0, +)
  }

  private var isAdvertising: Bool { profiles[..<launched].last?.profile.advertisement != nil }

  private func handle(_ event: SystemEvent, of app: String?) {
    guard !hasEnded else { return }
    report(event, app)
    switch event {
    case .radio(let state):
      if case .poweredOn = state { isUsable = true } else { isUsable = false }
    case .published(_, let handles):
      published.insert(handles.start)
      if !isServing, !isAdvertising, isPublished { launchNext() }
    // On the air, or by the rules not: there is nothing more to wait for.
    case .advertising, .advertisingWithheld, .silent, .advertisingStopped:
      if !isServing, isPublished { launchNext() }
    case .terminated(_, .forceQuit): hasQuit = true
    case .terminated(let app, let cause): terminated = "the system has terminated \(app): \(cause.text)"
    case .ended:
      running -= 1
      if running == 0 { end(terminated.map { .failed($0) } ?? (hasQuit ? .quit : .failed("every app has ended"))) }
    case .publishingFailed(let service, let reason):
      if !isServing { end(.failed("service \(service) cannot be published: \(reason)")) }
    case .advertisingFailed(let failure):
      if !isServing { end(.unexplained("bluetoothd does not advertise: \(failure)")) }
    case .busLost: end(.failed("the message bus has closed the connection; start blepera again once it is back"))
    default: break
    }
  }

  private func startServing() {
    guard !isServing else { return }
    isServing = true
    tell(.serving)
  }

  private func end(_ news: News) {
    guard !hasEnded else { return }
    mute()
    tell(news)
  }
}
