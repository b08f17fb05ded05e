import BlueZ
import Control
import DBus
import EventLoop
import Glibc
import Policy
import Profile
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

  private nonisolated let loop = EventLoop(name: "blepera")
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  private let printer: EventPrinter
  private let bus: BusAddress
  private let options: Peripheral.Options
  private var waiter: CheckedContinuation<End, Never>?
  private var end: End?
  private let rules: RuleSet
  private let launch: LaunchMode
  private var keys: KeyReader?

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
    let phone = Phone(
      loop: loop, bus: bus, options: options, rules: rules, launch: launch, profiles: profiles
    ) { [printer] event in
      printer.print(event)
    } tell: { [weak self] news in
      self?.assumeIsolated { $0.hear(news) }
    }
    let system = await phone.system
    let server = try ControlServer(loop: loop, address: address) { await system.perform($0) }
    await server.start()
    if !printer.isJSON {
      keys = KeyReader(loop: loop) { [weak self] key in self?.assumeIsolated { $0.press(key, system) } }
      await keys?.start()
    }
    let signals = [SIGINT, SIGTERM, SIGHUP].map { signal in
      loop.watch(signal: signal) { [weak self] in self?.assumeIsolated { $0.interrupt() } }
    }
    Task { await phone.start() }
    let end = await withCheckedContinuation { (continuation: CheckedContinuation<End, Never>) in
      if let end = self.end { continuation.resume(returning: end) } else { waiter = continuation }
    }
    await phone.mute()
    await server.close()
    await keys?.stop()
    await phone.shutDown()
    withExtendedLifetime(signals) {}
    switch end {
    case .interrupted: return nil
    case .failed(let reason): return reason
    case .unexplained(let reason): return await explain(reason)
    }
  }

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

  private func hear(_ news: Phone.News) {
    switch news {
    case .serving:
      guard end == nil else { return }
      printer.hint("Serving; Ctrl-C ends it\(Key.isUsable ? ", ? lists the keys" : "").")
    case .failed(let reason): finish(.failed(reason))
    case .unexplained(let reason): finish(.unexplained(reason))
    }
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
