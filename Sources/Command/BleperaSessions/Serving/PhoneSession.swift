package import BleperaAppLink
package import BleperaBlueZ
import BleperaBluetooth
import BleperaController
import BleperaDBus
import BleperaEventLoop
import BleperaLoop
package import BleperaPhone
package import BleperaPreservation
import BleperaProfileApp
import BleperaRecording
import Glibc

/// One run of `blepera system`: the emulated phone, from the start to a signal, `blepera shutdown` or idleness.
package actor PhoneSession: LoopActor {
  package struct Options: Sendable {
    package var radio = BlueZRadio.Options()
    /// The controller of a phone with a host of its own; nil for a phone on bluetoothd.
    package var controller: ControllerSettings?
    /// The options of `blepera serve`, with defaults.
    package var settings: [String] = []
    package var phone = PhoneSettings()
    package var relaunch = RelaunchOptions()
    /// The time that the phone stays for preserved apps while no app runs; nil for no limit.
    package var linger: Duration?
    /// The path of the log that is this process's output, which is rotated when it is too long; nil if there is none.
    package var log: String?
    /// Whether the process may report to a service manager: `blepera serve` has not started it.
    package var mayBeService = true
    /// Whether the observer receives no reads, writes and updates; `blepera serve` reports them for its apps.
    package var omitsValues = false

    package init() {}
  }

  private enum End: Sendable {
    case requested
    case idle
    /// A whole sentence.
    case failed(String)
  }

  private nonisolated let loop = EventLoop(name: "blepera system")
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
  package nonisolated var isOnLoop: Bool { loop.isCurrent }

  private let options: Options
  private let observe: SessionObserver
  private let endProcess: ProcessEnder
  private var phone: ServedPhone?
  private var adapter: ControllerAdapter?
  private let end = SessionEnd<End>()
  private let service: ServiceReport?
  private var idleTimer: EventSource?
  private var idleness: Idleness?
  private var logTimer: EventSource?

  package init(options: Options, endProcess: @escaping ProcessEnder, observe: @escaping SessionObserver) {
    self.options = options
    self.observe = observe
    self.endProcess = endProcess
    idleness = options.linger.map { Idleness(linger: $0) }
    service = options.mayBeService ? ServiceReport(on: loop) : nil
  }

  /// Returns the reason that the session failed, a sentence; nil if it was ended or idle.
  ///
  /// - Parameter ready: called once apps can connect.
  package func run(
    _ folder: StateFolder, at address: ControlAddress, ready: () -> Void
  ) async throws(ControlFailure) -> String? {
    // Apps must not inherit the phone's capabilities for the adapter; this thread starts the apps.
    ChildProcess.passOnNoCapabilities()
    let store = FilePreservationStore(folder: folder)
    var settings = ServedPhone.Settings()
    settings.options = options.settings
    settings.phone = options.phone
    settings.omitsValues = options.omitsValues
    settings.store = store
    settings.processes = ProcessLauncher(loop: loop, folder: folder, options: options.relaunch)
    var radio = options.radio
    radio.pairing = options.phone.pairing
    radio.handleMemory = HandleFile(address).memory
    radio.kernelMemory = folder.kernelMemory
    radio.claimAdapter = { [name = folder.name] in AdapterLock.claim($0, for: name) }
    let phone = ServedPhone(loop: loop, settings: settings) { [radio, loop, weak self] phone in
      guard let adapter = try await self?.startAdapter(store) else {
        return try await phone.start(bus: .system, options: radio, on: loop)
      }
      try await phone.start(on: adapter, self?.options.phone ?? PhoneSettings())
    } observe: { [weak self] event, app in
      self?.assumeIsolated { $0.handle(event, of: app) }
    } report: { [weak self] event in
      guard case .failed(let reason) = event else { return }
      self?.assumeIsolated { $0.end.finish(.failed(reason)) }
    } shutdown: { [weak self] in
      self?.assumeIsolated { $0.end.finish(.requested) }
    }
    try await phone.claim(address, isService: service != nil)
    do throws(PreservationFailure) {
      try folder.prepare()
      _ = try store.usableState()
    } catch {
      await phone.closeSocket()
      return "\(error)"
    }
    self.phone = phone
    let signals = loop.watchTermination { [weak self] _ in self?.assumeIsolated { $0.interrupt() } }
    do {
      try await phone.startPhone()
      await phone.listen()
      watchIdleness()
      watchLog()
      ready()
      service?.ready()
    } catch {
      let reason = "\(error)"
      end.finish(
        .failed(options.controller == nil ? await RadioDoctor.explain(reason, options.radio, on: loop) : reason))
    }
    let reason = await end.wait()
    service?.stopping()
    (idleTimer, logTimer) = (nil, nil)
    await phone.stopListening()
    await phone.shutDown(reporting: true)
    await adapter?.close()
    options.controller?.capture?.flush()
    await phone.closeSocket()
    withExtendedLifetime(signals) {}
    guard case .failed(let failure) = reason else { return nil }
    return failure
  }

  /// Returns nil for a phone on bluetoothd. The phone's identity and bonds are those of its former controller.
  private func startAdapter(_ store: FilePreservationStore) async throws -> ControllerAdapter? {
    guard let controller = options.controller else { return nil }
    adapter = try await controller.startAdapter(of: options.phone, identity: store.usableState().identity, on: loop)
    return adapter
  }

  // MARK: Events

  private func handle(_ event: PhoneEvent, of app: String?) {
    observe(.phone(event, of: app, number: 0))
    watchIdleness()
  }

  /// Ends the session; a second time ends the process at once.
  private func interrupt() {
    if end.reason != nil { endProcess(.status(130)) }
    end.finish(.requested)
  }

  // MARK: Idleness

  /// Checks, after an event has taken effect, whether the phone has anything left to do.
  private func watchIdleness() {
    guard idleness != nil, end.reason == nil else { return }
    Task {
      guard let load = await phone?.appCounts, end.reason == nil else { return }
      let rest = idleness?.rest(running: load.running, preserved: load.preserved, now: .now)
      idleTimer = rest.map { rest in
        loop.schedule(after: rest) { [weak self] in self?.assumeIsolated { $0.endIfIdle() } }
      }
    }
  }

  private func endIfIdle() {
    idleTimer = nil
    guard let phone, end.reason == nil, phone.assumeIsolated({ $0.appCounts.running }) == 0 else { return }
    end.finish(.idle)
  }

  // MARK: The log

  private static let logInterval = Duration.seconds(60)

  /// Renames a log that is too long, and writes to a new one.
  private func watchLog() {
    guard let path = options.log else { return }
    logTimer = loop.schedule(after: Self.logInterval) { [weak self] in
      self?.assumeIsolated { session in
        if StateFolder.isTooLong(STDERR_FILENO) {
          let log = StateFolder.openLog(path)
          if log >= 0 {
            dup2(log, STDERR_FILENO)
            dup2(log, STDOUT_FILENO)
            close(log)
          }
        }
        session.watchLog()
      }
    }
  }
}
