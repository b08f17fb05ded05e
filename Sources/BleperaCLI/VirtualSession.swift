import BlueZ
import Control
import DBus
import EventLoop
import EventTrace
import Glibc
import Policy
import Profile
import System
import VirtualBlueZ

/// One run of `blepera serve --virtual`: a radio, a phone on it with its apps, and a central, all in one process, from
/// the start to Ctrl-C or a failure.
actor VirtualSession {
  private enum End: Sendable {
    case interrupted
    /// A whole sentence.
    case failed(String)
  }

  private nonisolated let loop = EventLoop(name: "blepera")
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  private let printer: EventPrinter
  private let options: Peripheral.Options
  private var waiter: CheckedContinuation<End, Never>?
  private var end: End?
  private let rules: RuleSet
  private let launch: LaunchFlag
  private let seed = TraceHeader.randomSeed
  private var keys: KeyReader?
  /// The other side.
  private var visitor: Visitor?

  /// The adapters of a virtual radio.
  private static let phoneAdapter = "hci0"
  private static let centralAdapter = "hci1"

  init(printer: EventPrinter, options: Peripheral.Options, rules: RuleSet, launch: LaunchFlag) {
    self.printer = printer
    self.options = options
    self.rules = rules
    self.launch = launch
  }

  /// Why it came to nothing; nil after Ctrl-C.
  ///
  /// - Throws: `ControlFailure` where the address is taken or cannot be.
  func run(_ profiles: [NamedProfile], at address: ControlAddress) async throws(ControlFailure) -> String? {
    let signals = [SIGINT, SIGTERM, SIGHUP].map { signal in
      loop.watch(signal: signal) { [weak self] in self?.assumeIsolated { $0.interrupt() } }
    }
    defer { withExtendedLifetime(signals) {} }
    let radio: VirtualRadio
    do throws(VirtualRadio.Failure) {
      radio = try await .open(Self.radioOptions, on: loop) {}
    } catch { return "\(error)" }
    var options = options
    options.adapter = Self.phoneAdapter
    let failure: Result<String?, ControlFailure>
    do throws(ControlFailure) {
      failure = .success(try await serve(profiles, at: address, on: radio.address, options))
    } catch { failure = .failure(error) }
    await radio.close()
    return try failure.get()
  }

  private static let behavior = DaemonBehavior(isExperimental: true)

  /// One adapter for the phone and one for the central, which heeds intervals.
  private static var radioOptions: BlueZServer.Options {
    var radio = BlueZServer.Options.adapters(2)
    radio.adapters[0].isCentral = false
    radio.behavior = behavior
    return radio
  }

  private func serve(
    _ profiles: [NamedProfile], at address: ControlAddress, on bus: BusAddress, _ options: Peripheral.Options
  ) async throws(ControlFailure) -> String? {
    printer.begin(
      TraceHeader(
        blepera: Blepera.version, command: "serve", ios: rules.version.rawValue, bluez: "\(Self.behavior)",
        pairing: options.pairing.rawValue, launch: launch.rawValue, seed: seed,
        phones: [.init(apps: profiles.map(\.identifier))]))
    let phone = Phone(
      loop: loop, bus: bus, options: options, rules: rules, launch: launch.mode, profiles: profiles,
      seeds: profiles.indices.map { TraceHeader.seed(seed, phone: 0, app: $0) }
    ) { [printer] event, app in
      printer.print(event, of: app, by: .phone)
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
    await watchAir(on: bus)
    Task { await phone.start() }
    let end = await withCheckedContinuation { (continuation: CheckedContinuation<End, Never>) in
      if let end = self.end { continuation.resume(returning: end) } else { waiter = continuation }
    }
    await phone.mute()
    await visitor?.mute()
    await server.settle()
    await server.close()
    await keys?.stop()
    await phone.shutDown()
    await visitor?.close()
    switch end {
    case .interrupted: return nil
    case .failed(let reason): return reason
    }
  }

  /// The central listens before there is anything to hear.
  private func watchAir(on bus: BusAddress) async {
    let visitor = Visitor(loop: loop) { [printer] record in printer.print(record) }
    self.visitor = visitor
    do throws(DBusFailure) {
      try await visitor.start(bus: bus, adapter: Self.centralAdapter)
    } catch {
      finish(.failed("the central cannot be on the virtual radio: \(error)"))
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
    case .quit: finish(.interrupted)
    case .failed(let reason), .unexplained(let reason): finish(.failed(reason))
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
    case .visit:
      guard let visitor else { return }
      let isHeard = visitor.assumeIsolated { $0.visit() }
      if !isHeard { printer.hint("The central hears nothing that it could connect to.") }
    case .help: for line in Key.list(hasCentral: visitor != nil) { printer.hint(line) }
    }
  }
}
