import AppLink
import BlueZ
import DBus
import EventLoop
import GATT
import Glibc
import Profile
import ProfileApp
import System

/// One run of `blepera serve`: a system and an app on it in one process, from the start to Ctrl-C or a failure.
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
  private var expected: Profile?

  init(printer: EventPrinter, bus: BusAddress, options: Peripheral.Options) {
    self.printer = printer
    self.bus = bus
    self.options = options
  }

  /// Why it came to nothing; nil after Ctrl-C.
  func run(_ profile: Profile, name: String) async -> String? {
    expected = profile
    let signals = [SIGINT, SIGTERM, SIGHUP].map { signal in
      loop.watch(signal: signal) { [weak self] in self?.assumeIsolated { $0.finish(.interrupted) } }
    }
    let system = System(loop: loop) { [weak self] event in self?.assumeIsolated { $0.handle(event) } }
    do {
      try await system.start(bus: bus, options: options)
    } catch {
      return await explain("\(error)")
    }
    let limit = loop.schedule(after: options.powersOn ? Self.patienceWithPower : Self.patience) { [weak self] in
      self?.assumeIsolated { this in
        if !this.isServing, !this.isUsable { this.finish(.unexplained("the radio cannot be used")) }
      }
    }
    let lastLimit = loop.schedule(after: Self.patienceWithDaemon) { [weak self] in
      self?.assumeIsolated { this in
        if !this.isServing { this.finish(.unexplained("bluetoothd does not put the profile on the air")) }
      }
    }
    let link = makeInMemoryLink()
    let app = ProfileApp(loop: loop, profile: profile, name: name, link: link.app)
    Task { await system.attach(link.system) }
    Task { await app.run() }
    let end = await withCheckedContinuation { (continuation: CheckedContinuation<End, Never>) in
      if let end = self.end { continuation.resume(returning: end) } else { waiter = continuation }
    }
    limit.cancel()
    lastLimit.cancel()
    // A second Ctrl-C while bluetoothd does not answer ends at once.
    let impatience = loop.watch(signal: SIGINT) { exit(130) }
    await system.shutDown()
    withExtendedLifetime((signals, impatience)) {}
    switch end {
    case .interrupted: return nil
    case .failed(let reason): return reason
    case .unexplained(let reason): return await explain(reason)
    }
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
      if expected?.advertisement == nil, published.count == expected?.services.count { startServing() }
    case .advertising: startServing()
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
    printer.hint("Serving; Ctrl-C ends it.")
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
