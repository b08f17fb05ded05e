package import BleperaAppLink
package import BleperaBlueZ
import BleperaDBus
import BleperaEventLoop
import BleperaLoop
import BleperaPhone
package import BleperaBluetooth
package import BleperaPreservation
package import BleperaRules
import Glibc

/// One run of `blepera system`: the emulated phone, from the start to a signal, `blepera shutdown` or idleness.
package actor PhoneSession {
  package struct Options: Sendable {
    package var radio = BlueZRadio.Options()
    package var rules = RuleSet.newest
    package var relaunch = RelaunchOptions()
    /// How long the phone stays for preserved apps while no app runs; nil for no limit.
    package var linger: Duration?
    package var staleLimit: Duration?
    /// `unsupported` or `unauthorized`, for a phone whose apps cannot use Bluetooth.
    package var unusableState: ManagerState?
    /// Whether the phone publishes an iPhone's own services too.
    package var phoneServices = false
    /// Whether reads, writes and updates are left out for the observer; `blepera serve` reports those of its apps.
    package var omitsValues = false

    package init() {}
  }

  private enum End: Sendable {
    case requested
    case idle
    /// A whole sentence.
    case failed(String)
  }

  /// How long a phone that `serve` has started waits for its first app.
  private static let firstAppTimeout = Duration.seconds(10)

  private nonisolated let loop = EventLoop(name: "blepera system")
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  private let options: Options
  private let observe: SessionObserver
  private var server: ControlServer?
  private var phone: Phone?
  private var waiter: CheckedContinuation<End, Never>?
  private var end: End?
  private var idleTimer: EventSource?
  private var idleSince: ContinuousClock.Instant?
  private var hasHadApps = false

  package init(options: Options, observe: @escaping SessionObserver) {
    self.options = options
    self.observe = observe
  }

  /// Returns why the session failed, a sentence; nil if it was ended or idle.
  ///
  /// - Parameter ready: called once apps can connect.
  package func run(
    _ folder: StateFolder, at address: ControlAddress, ready: () -> Void
  ) async throws(ControlFailure) -> String? {
    let store: FilePreservationStore
    let server = try ControlServer(loop: loop, address: address) { [weak self] socket, line in
      self?.assumeIsolated { $0.attach(socket, line) }
    } currentState: { [weak self] in
      self?.assumeIsolated { $0.currentState } ?? []
    } perform: { [weak self] request in
      await self?.perform(request) ?? Self.shuttingDown
    }
    self.server = server
    do throws(PreservationFailure) {
      try folder.prepare()
      store = FilePreservationStore(folder: folder)
      try Self.check(store)
    } catch {
      await server.close()
      return "\(error)"
    }
    let phone = Phone(
      loop: loop, rules: options.rules, store: store,
      launcher: ProcessLauncher(loop: loop, folder: folder, options: options.relaunch), staleLimit: options.staleLimit,
      phoneServices: options.phoneServices,
      unusableState: options.unusableState
    ) { [weak self] event, app in
      self?.assumeIsolated { $0.handle(event, of: app) }
    }
    self.phone = phone
    let signals = [SIGINT, SIGTERM, SIGHUP].map { signal in
      loop.watch(signal: signal) { [weak self] in self?.assumeIsolated { $0.interrupt() } }
    }
    do {
      try await phone.start(bus: .system, options: options.radio, on: loop)
      await server.start()
      watchIdleness()
      ready()
    } catch {
      end = .failed(await RadioDoctor.explain("\(error)", options.radio, on: loop))
    }
    let end = await withCheckedContinuation { (continuation: CheckedContinuation<End, Never>) in
      if let end = self.end { continuation.resume(returning: end) } else { waiter = continuation }
    }
    idleTimer = nil
    // A new client starts another phone, which waits for the name.
    await server.stopListening()
    await phone.shutDown()
    await server.close()
    withExtendedLifetime(signals) {}
    guard case .failed(let reason) = end else { return nil }
    return reason
  }

  /// Damaged state is quarantined when the phone loads it; any other failure prevents the start.
  private static func check(_ store: FilePreservationStore) throws(PreservationFailure) {
    do throws(PreservationFailure) {
      _ = try store.read()
    } catch {
      if case .corrupt = error { return }
      throw error
    }
  }

  private static let shuttingDown = ControlReply(error: "the phone is shutting down.")

  // MARK: Requests and events

  private func attach(_ socket: LineSocket, _ line: [UInt8]) {
    guard let phone, end == nil else { return socket.close() }
    let link = SocketLink<PhoneMessage, AppMessage>(app: socket, first: line)
    let peer = socket.peer?.process
    // Without the preference each message would wake a thread of Swift's pool first.
    Task(executorPreference: loop.tasks) { await phone.attach(link, peer: peer) }
  }

  private func perform(_ request: ControlRequest) async -> ControlReply {
    guard let phone, end == nil else { return Self.shuttingDown }
    guard request.command == .shutdown else { return await phone.perform(request) }
    finish(.requested)
    return .done
  }

  private var currentState: [EventRecord] {
    phone?.assumeIsolated { $0.currentStateEvents.map { Self.timed(EventRecord($0), at: .now) } } ?? []
  }

  private static func timed(_ record: EventRecord, at time: Timestamp) -> EventRecord {
    var record = record
    record.time = time.date
    return record
  }

  private func handle(_ event: PhoneEvent, of app: String?) {
    switch event {
    case .read, .write, .notified, .confirmed:
      if !options.omitsValues { observe(.phone(EventRecord(event, of: app), number: 0)) }
      report(event, of: app, isFrequent: true)
      return
    // Closing the connection at the end is intentional.
    case .radio, .radioEnded: if end != nil { return }
    default: break
    }
    observe(.phone(EventRecord(event, of: app), number: 0))
    report(event, of: app, isFrequent: false)
    if case .radioEnded(let reason) = event { finish(.failed(reason)) }
    watchIdleness()
  }

  private func report(_ event: PhoneEvent, of app: String?, isFrequent: Bool) {
    let now = Timestamp.now
    server?.assumeIsolated {
      $0.report(event.line(of: app, at: now), of: app, isFrequent: isFrequent)
    }
  }

  /// Ends the session; a second time ends the process at once.
  private func interrupt() {
    guard end != nil else { return finish(.requested) }
    exit(130)
  }

  private func finish(_ end: End) {
    guard self.end == nil else { return }
    self.end = end
    waiter?.resume(returning: end)
    waiter = nil
  }

  // MARK: Idleness

  /// Checks, after an event has taken effect, whether the phone has anything left to do.
  private func watchIdleness() {
    guard let linger = options.linger, end == nil else { return }
    Task {
      guard let load = await phone?.appCounts, end == nil else { return }
      guard load.running == 0 else {
        hasHadApps = true
        idleTimer = nil
        idleSince = nil
        return
      }
      let since = idleSince ?? .now
      idleSince = since
      let limit = load.preserved > 0 ? linger : hasHadApps ? .zero : Self.firstAppTimeout
      let rest = limit - since.duration(to: .now)
      idleTimer = loop.schedule(after: max(.zero, rest)) { [weak self] in
        self?.assumeIsolated { $0.endIfIdle() }
      }
    }
  }

  private func endIfIdle() {
    idleTimer = nil
    guard let phone, end == nil, phone.assumeIsolated({ $0.appCounts.running }) == 0 else { return }
    finish(.idle)
  }
}
