import AppLink
import BlueZ
import Control
import DBus
import EventLoop
import GATT
import Glibc
import Policy
import Profile
import ProfileApp
import System

/// One run of `blepera serve`: a system and its apps in one process, from the start to Ctrl-C or a failure.
actor ServeSession {
  private enum End: Sendable {
    case interrupted
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

  private nonisolated let loop = EventLoop(name: "blepera")
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  private let printer: EventPrinter
  private let bus: BusAddress
  private let options: Peripheral.Options
  private var waiter: CheckedContinuation<End, Never>?
  private var end: End?
  private var isUsable = false
  private var isServing = false
  /// The services that are published, by their first handle: one may be told of again when another includes it.
  private var published: Set<AttributeHandle> = []
  private let rules: RuleSet
  private let launch: LaunchMode
  private var profiles: [NamedProfile] = []
  /// The apps that have not ended.
  private var running = 0
  private var system: System?
  /// How many of the profiles are launched.
  private var launched = 0
  private var limits: [EventSource] = []
  private var keys: KeyReader?
  private var terminated: String?

  init(
    printer: EventPrinter, bus: BusAddress, options: Peripheral.Options, rules: RuleSet, launch: LaunchMode
  ) {
    self.printer = printer
    self.bus = bus
    self.options = options
    self.rules = rules
    self.launch = launch
  }

  /// Why it came to nothing; nil after Ctrl-C.
  ///
  /// - Throws: `ControlFailure` where the address is taken or cannot be.
  func run(_ profiles: [NamedProfile], at address: ControlAddress) async throws(ControlFailure) -> String? {
    self.profiles = profiles
    let system = System(loop: loop, rules: rules) { [weak self] event in self?.assumeIsolated { $0.handle(event) } }
    let server = try ControlServer(loop: loop, address: address) { await system.perform($0) }
    await server.start()
    if !printer.isJSON {
      keys = KeyReader(loop: loop) { [weak self] key in self?.assumeIsolated { $0.press(key, system) } }
      await keys?.start()
    }
    let signals = [SIGINT, SIGTERM, SIGHUP].map { signal in
      loop.watch(signal: signal) { [weak self] in self?.assumeIsolated { $0.interrupt() } }
    }
    Task {
      do {
        try await system.start(bus: bus, options: options)
        startLaunching(on: system)
      } catch {
        finish(.unexplained("\(error)"))
      }
    }
    let end = await withCheckedContinuation { (continuation: CheckedContinuation<End, Never>) in
      if let end = self.end { continuation.resume(returning: end) } else { waiter = continuation }
    }
    limits = []
    await server.close()
    await keys?.stop()
    await system.shutDown()
    withExtendedLifetime(signals) {}
    switch end {
    case .interrupted: return nil
    case .failed(let reason): return reason
    case .unexplained(let reason): return await explain(reason)
    }
  }

  private func startLaunching(on system: System) {
    limits = [
      loop.schedule(after: options.powersOn ? Self.patienceWithPower : Self.patience) { [weak self] in
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
    running = profiles.count
    self.system = system
    launchNext()
  }

  /// One app after the other, each when the one before is on the air: which comes first decides what has room there.
  private func launchNext() {
    guard let system, launched < profiles.count else { return startServing() }
    let profile = profiles[launched]
    launched += 1
    let link = makeInMemoryLink()
    let app = ProfileApp(loop: loop, profile: profile.profile, name: profile.name, link: link.app)
    Task { [launch] in await system.attach(link.system, into: launch) }
    Task { await app.run() }
  }

  /// Whether all the apps that have been launched so far have published everything.
  private var isPublished: Bool {
    published.count >= profiles.prefix(launched).map(\.profile.services.count).reduce(0, +)
  }

  private var isAdvertising: Bool { profiles[..<launched].last?.profile.advertisement != nil }

  /// The second time, while something does not answer, it ends at once.
  private func interrupt() {
    guard end != nil else { return finish(.interrupted) }
    keys?.assumeIsolated { $0.stop() }
    exit(130)
  }

  private func finish(_ end: End) {
    guard self.end == nil else { return }
    self.end = end
    waiter?.resume(returning: end)
    waiter = nil
  }

  private func handle(_ event: SystemEvent) {
    // What is taken back at the end is no news.
    guard end == nil else { return }
    printer.print(event)
    switch event {
    case .radio(let state):
      if case .poweredOn = state { isUsable = true } else { isUsable = false }
    case .published(_, let handles):
      published.insert(handles.start)
      if !isServing, !isAdvertising, isPublished { launchNext() }
    // On the air, or by the rules not: there is nothing more to wait for.
    case .advertising, .advertisingWithheld, .silent, .advertisingStopped:
      if !isServing, isPublished { launchNext() }
    case .terminated(let app, let cause): terminated = "the system has terminated \(app): \(cause.text)"
    case .ended:
      running -= 1
      if running == 0 { finish(.failed(terminated ?? "every app has ended")) }
    case .publishingFailed(let service, let reason):
      if !isServing { finish(.failed("service \(service) cannot be published: \(reason)")) }
    case .advertisingFailed(let failure):
      if !isServing { finish(.unexplained("bluetoothd does not advertise: \(failure)")) }
    case .busLost: finish(.failed("the message bus has closed the connection; start blepera again once it is back"))
    default: break
    }
  }

  private func startServing() {
    guard !isServing else { return }
    isServing = true
    printer.hint("Serving; Ctrl-C ends it\(Key.isUsable ? ", ? lists the keys" : "").")
  }

  private func press(_ key: Key, _ system: System) {
    guard end == nil else { return }
    switch key {
    case .command(let command):
      Task { [printer] in
        let reply = await system.perform(ControlRequest(command))
        if let error = reply.error { printer.hint(error) }
      }
    case .screen: Task { await system.switchScreen() }
    case .quit: finish(.interrupted)
    case .help: for line in Key.list { printer.hint(line) }
    }
  }

  /// The doctor's reason where it finds one, otherwise `reason`.
  private func explain(_ reason: String) async -> String {
    let report = await MachineProbe.look(bus: bus, on: loop)
    let findings = Diagnosis.findings(of: report, adapter: options.adapter, powersOn: options.powersOn)
    if let found = Diagnosis.reason(findings) { return found }
    let note = findings.first { $0.subject == "kernel" && $0.severity == .note }
    let hint = note.map { "\($0.state); \($0.advice ?? "")" } ?? "see bluetoothd's log (journalctl -u bluetooth)"
    return "\(reason); \(hint)"
  }
}
