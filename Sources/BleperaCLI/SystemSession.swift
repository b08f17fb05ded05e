import AppLink
import BlueZ
import Control
import DBus
import EventLoop
import EventTrace
import Glibc
import Policy
import Preservation
import System

/// One run of `blepera system`: the emulated phone, from the start to a signal, `blepera shutdown`, or the end of what
/// it is there for.
actor SystemSession {
  struct Options: Sendable {
    var radio = Peripheral.Options()
    var rules = RuleSet.newest
    /// How long it stays for what is preserved once no app runs; nil for ever, whatever there is.
    var linger: Duration?
    var staleLimit: Duration?
  }

  private enum End: Sendable {
    case asked
    /// Nothing is left to do.
    case idle
    /// A whole sentence.
    case failed(String)
  }

  /// How long one that `serve` has started waits for its first app.
  private static let patience = Duration.seconds(10)

  private nonisolated let loop = EventLoop(name: "blepera system")
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  private let printer: EventPrinter
  private let options: Options
  private var server: ControlServer?
  private var system: System?
  private var waiter: CheckedContinuation<End, Never>?
  private var end: End?
  private var idleTimer: EventSource?
  private var idleSince: ContinuousClock.Instant?
  private var hasHadApps = false

  init(printer: EventPrinter, options: Options) {
    self.printer = printer
    self.options = options
  }

  /// Why it came to nothing; nil where it was ended or had nothing left to do.
  ///
  /// - Parameter ready: called once apps can link themselves to it.
  func run(_ folder: StateFolder, at address: ControlAddress, ready: () -> Void) async throws(ControlFailure) -> String?
  {
    let store: FilePreservationStore
    let server = try ControlServer(loop: loop, address: address) { [weak self] socket, line in
      self?.assumeIsolated { $0.link(socket, line) }
    } greeting: { [weak self] in
      self?.assumeIsolated { $0.greeting } ?? []
    } answer: { [weak self] request in
      await self?.answer(request) ?? ControlReply(error: "the phone is being shut down.")
    }
    self.server = server
    do throws(PreservationFailure) {
      try folder.prepare()
      store = FilePreservationStore(folder: folder)
      try Self.look(at: store)
    } catch {
      await server.close()
      return "\(error)"
    }
    let system = System(
      loop: loop, rules: options.rules, store: store, launcher: ProcessLauncher(loop: loop, folder: folder),
      staleLimit: options.staleLimit
    ) { [weak self] event, app in
      self?.assumeIsolated { $0.hear(event, of: app) }
    }
    self.system = system
    let signals = [SIGINT, SIGTERM, SIGHUP].map { signal in
      loop.watch(signal: signal) { [weak self] in self?.assumeIsolated { $0.interrupt() } }
    }
    do {
      try await system.start(bus: .system, options: options.radio)
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
    // Whoever comes now starts another one, which waits for the name.
    await server.stopListening()
    await system.shutDown()
    await server.close()
    withExtendedLifetime(signals) {}
    guard case .failed(let reason) = end else { return nil }
    return reason
  }

  /// What is damaged is set aside when the system loads it; anything else stands in its way.
  private static func look(at store: FilePreservationStore) throws(PreservationFailure) {
    do throws(PreservationFailure) {
      _ = try store.read()
    } catch {
      if case .damaged = error { return }
      throw error
    }
  }

  // MARK: What comes

  private func link(_ socket: LineSocket, _ line: [UInt8]) {
    guard let system, end == nil else { return socket.close() }
    let link = SocketLink<SystemMessage, AppMessage>(socket, first: line) {
      .refused(reason: "what the app says is no message: \($0)")
    }
    let peer = socket.peer?.process
    Task { await system.attach(link, peer: peer) }
  }

  private func answer(_ request: ControlRequest) async -> ControlReply {
    guard let system, end == nil else { return ControlReply(error: "the phone is being shut down.") }
    guard request.command == .shutdown else { return await system.perform(request) }
    finish(.asked)
    return .done
  }

  private var greeting: [[UInt8]] { system?.assumeIsolated { $0.standing.map { Self.line(EventRecord($0)) } } ?? [] }

  private static func line(_ record: EventRecord) -> [UInt8] {
    var record = record
    record.time = Timestamp.now.date
    return Array((record.json + "\n").utf8)
  }

  private func hear(_ event: SystemEvent, of app: String?) {
    let record = EventRecord(event, of: app)
    switch event {
    // That the connection is closed at the end is no news.
    case .radio, .busLost: if end != nil { return }
    default: break
    }
    printer.print(record, at: .now)
    if let server { server.assumeIsolated { $0.tell({ Self.line(record) }, of: app) } }
    if case .busLost = event {
      finish(.failed("the message bus has closed the connection; start blepera again once it is back"))
    }
    watchIdleness()
  }

  /// The second time, while something does not answer, it ends at once.
  private func interrupt() {
    guard end != nil else { return finish(.asked) }
    exit(130)
  }

  private func finish(_ end: End) {
    guard self.end == nil else { return }
    self.end = end
    waiter?.resume(returning: end)
    waiter = nil
  }

  // MARK: Having nothing to do

  /// After an event, when what comes of it has come.
  private func watchIdleness() {
    guard let linger = options.linger, end == nil else { return }
    Task {
      guard let load = await system?.load, end == nil else { return }
      guard load.running == 0 else {
        hasHadApps = true
        idleTimer = nil
        idleSince = nil
        return
      }
      let since = idleSince ?? .now
      idleSince = since
      // Before the first app it is being started for one.
      let limit = load.preserved > 0 ? linger : hasHadApps ? .zero : Self.patience
      let rest = limit - since.duration(to: .now)
      idleTimer = loop.schedule(after: max(.zero, rest)) { [weak self] in
        self?.assumeIsolated { $0.endIfIdle() }
      }
    }
  }

  private func endIfIdle() {
    idleTimer = nil
    guard let system, end == nil, system.assumeIsolated({ $0.load.running }) == 0 else { return }
    finish(.idle)
  }
}
