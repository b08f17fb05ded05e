import BleperaAir
package import BleperaAppLink
package import BleperaRadio
package import BleperaBluetooth
import BleperaDBus
package import BleperaEventLoop
import BleperaEventTrace
import BleperaLoop
package import BleperaProfileApp
package import BleperaRules
import BleperaVirtualBlueZ
import Glibc

/// One run of `blepera serve --virtual`: a radio, a phone with its apps and a central, all in one process, from the
/// start to Ctrl-C or a failure.
package actor VirtualServeSession: ControllableSession {
  private enum End: Sendable {
    case interrupted
    /// A whole sentence.
    case failed(String)
  }

  package nonisolated let loop = EventLoop(name: "blepera")
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  private let pairing: PairingMode
  private let rules: RuleSet
  private let phoneServices: Bool
  private let launch: LaunchMode
  private let mtu: Int
  private let usesPublicAddress: Bool
  private let observe: SessionObserver
  private let willExit: @Sendable () -> Void
  private let seed = TraceHeader.randomSeed
  private var waiter: CheckedContinuation<End, Never>?
  private var end: End?
  private var phone: HostedPhone?
  private var central: DemoCentral?

  private static let centralAdapter = "hci0"

  /// - Parameters:
  ///   - phoneServices: whether the phone publishes an iPhone's own services too.
  ///   - mtu: the ATT_MTU that the phone exchanges, in bytes.
  ///   - usesPublicAddress: whether the phone advertises under its public address, which does not change.
  ///   - willExit: called before a signal ends the process at once.
  package init(
    pairing: PairingMode, rules: RuleSet, phoneServices: Bool = false, launch: LaunchMode, mtu: Int = ATTMTU.iPhone,
    usesPublicAddress: Bool = false, observe: @escaping SessionObserver,
    willExit: @escaping @Sendable () -> Void = {}
  ) {
    self.pairing = pairing
    self.rules = rules
    self.phoneServices = phoneServices
    self.launch = launch
    self.mtu = mtu
    self.usesPublicAddress = usesPublicAddress
    self.observe = observe
    self.willExit = willExit
  }

  /// Returns why the session failed, a sentence; nil after Ctrl-C.
  ///
  /// - Throws: `ControlFailure` if the address cannot be used.
  package func run(
    _ profiles: [NamedProfile], at address: ControlAddress
  ) async throws(ControlFailure) -> String? {
    let signals = [SIGINT, SIGTERM, SIGHUP].map { signal in
      loop.watch(signal: signal) { [weak self] in self?.assumeIsolated { $0.interrupt() } }
    }
    defer { withExtendedLifetime(signals) {} }
    let air = AirHost(loop: loop)
    let adapter = await air.addAdapter(
      named: "phone", addressRotation: usesPublicAddress ? nil : rules.addressRotation.value, mtu: mtu,
      stack: phoneServices ? .phone : StackBehavior())
    let radio: VirtualBus
    do throws(VirtualBus.Failure) {
      radio = try await .open(Self.busOptions, air: air, on: loop) {}
    } catch { return "\(error)" }
    let failure: Result<String?, ControlFailure>
    do throws(ControlFailure) {
      failure = .success(try await serve(profiles, at: address, on: air, adapter, radio.address))
    } catch { failure = .failure(error) }
    await radio.close()
    return try failure.get()
  }

  /// The only adapter is the central's.
  private static var busOptions: BlueZServer.Options {
    var options = BlueZServer.Options.adapters(2)
    options.adapters.removeFirst()
    return options
  }

  private func serve(
    _ profiles: [NamedProfile], at address: ControlAddress, on air: AirHost, _ adapter: AdapterID, _ bus: BusAddress
  ) async throws(ControlFailure) -> String? {
    observe(
      .began(
        TraceHeader(
          blepera: nil, command: "serve", ios: rules.version.rawValue, splitView: rules.splitView.value,
          phoneServices: phoneServices, radio: .virtual, pairing: pairing.rawValue, launch: launch.traceName,
          seed: seed,
          phones: [.init(apps: profiles.map(\.identifier))])))
    let apps = profiles.enumerated().map { number, profile in
      AppHost.App(profile: profile, seed: TraceHeader.seed(seed, phone: 0, app: number))
    }
    let phone = HostedPhone(
      loop: loop, rules: rules, phoneServices: phoneServices, launch: launch, apps: apps
    ) { [pairing] phone in
      try await phone.start(on: air, adapter: adapter, pairing: pairing)
    } observe: { [observe] record in
      observe(.phone(record, number: 0))
    } report: { [weak self] event in
      self?.assumeIsolated { $0.handle(event) }
    }
    self.phone = phone
    let server = try ControlServer(loop: loop, address: address) { await phone.perform($0) }
    await server.start()
    await startCentral(on: bus)
    Task { await phone.start() }
    let end = await withCheckedContinuation { (continuation: CheckedContinuation<End, Never>) in
      if let end = self.end { continuation.resume(returning: end) } else { waiter = continuation }
    }
    await phone.stopReporting()
    await central?.stopReporting()
    await server.settle()
    await server.close()
    await phone.shutDown()
    await central?.close()
    switch end {
    case .interrupted: return nil
    case .failed(let reason): return reason
    }
  }

  /// Starts the central before the phone, so that the central discovers the first advertisement.
  private func startCentral(on bus: BusAddress) async {
    let central = DemoCentral(
      loop: loop, systemServices: phoneServices ? ServiceDefinition.ownedBySystem : DemoCentral.systemServices
    ) { [observe] event in observe(.central(event)) }
    self.central = central
    do throws(DBusFailure) {
      try await central.start(bus: bus, adapter: Self.centralAdapter)
    } catch {
      finish(.failed("the virtual central could not start: \(error)"))
    }
  }

  private func handle(_ event: AppHost.Event) {
    switch event {
    case .serving: if end == nil { observe(.serving) }
    case .quit: finish(.interrupted)
    case .failed(let reason), .unexplained(let reason): finish(.failed(reason))
    case .appServing, .linkLost: break
    }
  }

  private func finish(_ end: End) {
    guard self.end == nil else { return }
    self.end = end
    waiter?.resume(returning: end)
    waiter = nil
  }

  // MARK: The user

  /// Ends the session; a second time ends the process at once.
  package func interrupt() {
    guard end != nil else { return finish(.interrupted) }
    willExit()
    exit(130)
  }

  package func perform(_ command: ControlRequest.Command) {
    guard end == nil, let phone else { return }
    Task {
      if let error = await phone.perform(ControlRequest(command)).error { observe(.refused(error)) }
    }
  }

  package func toggleScreen() {
    guard end == nil, let phone else { return }
    Task { await phone.toggleScreen() }
  }

  package func connectCentral() -> Bool? { central?.assumeIsolated { $0.connectNow() } }
}
