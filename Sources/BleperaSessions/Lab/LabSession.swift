package import BleperaAir
import BleperaAppLink
import BleperaRadio
package import BleperaBluetooth
import BleperaDBus
import BleperaEventLoop
import BleperaEventTrace
import BleperaLoop
import BleperaPhone
import BleperaPreservation
package import BleperaProfileApp
package import BleperaRules
package import BleperaVirtualBlueZ
import Glibc

/// One run of `blepera lab`: a bus, org.bluez on it and phones, from the start to the end of the command or a signal.
package actor LabSession {
  package struct Options: Sendable {
    /// A profile for each phone.
    package var phones: [NamedProfile] = []
    /// The number of adapters for the command.
    package var ownAdapters = 1
    package var behavior = DaemonBehavior()
    package var conditions = AirConditions()
    package var seed: UInt64 = 0
    /// The ATT_MTU that the phones exchange, in bytes.
    package var mtu = ATTMTU.iPhone
    package var rules = RuleSet.newest
    /// Whether the phones publish an iPhone's own services too.
    package var phoneServices = false
    /// How often an hour a suspended app of a phone is terminated by chance.
    package var memoryPressure = 0.0
    package var launch = LaunchMode.foreground
    /// Whether phones advertise under their public addresses, which do not change.
    package var usesPublicAddresses = false
    /// Empty for none.
    package var command: [String] = []

    package init() {}
  }

  static let busVariable = "DBUS_SYSTEM_BUS_ADDRESS"
  /// The phones' names in their order, separated by spaces.
  private static let phonesVariable = "BLEPERA_PHONES"
  /// A shell's exit status for a command that does not exist.
  private static let notFound: CInt = 127
  /// A shell's exit status for a command that cannot be run.
  private static let notRunnable: CInt = 126
  /// The number of forwarded signals after which the command is killed.
  private static let signalLimit = 3

  private nonisolated let loop = EventLoop(name: "blepera lab")
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  private let options: Options
  /// The phones' names, in their order.
  private let names: [String]
  private let observe: SessionObserver
  private var radio: VirtualBus?
  private var waiter: CheckedContinuation<Void, Never>?
  /// The number of phones whose apps serve.
  private var serving = 0
  /// Why a phone or the bus failed.
  private var failure: String?
  private var signal: CInt?
  private var signals = 0
  private var command: ChildProcess?
  private var commandEnd: ChildProcess.End?
  private var isEnding = false

  package init(_ options: Options, observe: @escaping SessionObserver) {
    self.options = options
    names = options.phones.reduce(into: []) { names, phone in
      names.append(ControlAddress.name(like: phone.shortName, besides: names))
    }
    self.observe = observe
  }

  /// Returns the exit status.
  package func run() async -> CInt {
    let sources = [SIGINT, SIGTERM, SIGHUP].map { signal in
      loop.watch(signal: signal) { [weak self] in self?.assumeIsolated { $0.receive(signal) } }
    }
    defer { withExtendedLifetime(sources) {} }
    let air = AirHost(loop: loop, conditions: options.conditions, seed: options.seed)
    let radio: VirtualBus
    do throws(VirtualBus.Failure) {
      radio = try await .open(busOptions, air: air, on: loop) { [weak self] in
        self?.assumeIsolated { $0.lose("the lab's message bus has ended") }
      }
    } catch { return fail("\(error)") }
    self.radio = radio
    let status = await serve(on: radio, air)
    await radio.close()
    return status
  }

  /// The command's adapters; the phones are on the air only.
  private var busOptions: BlueZServer.Options {
    var bus = BlueZServer.Options.adapters(options.ownAdapters)
    bus.behavior = options.behavior
    return bus
  }

  private func serve(on radio: VirtualBus, _ air: AirHost) async -> CInt {
    observe(
      .began(
        TraceHeader(
          blepera: nil, command: "lab", ios: options.rules.version.rawValue, phoneServices: options.phoneServices,
          radio: .virtual, bluez: "\(options.behavior)", pairing: PairingMode.justWorks.rawValue,
          launch: options.launch.traceName, seed: options.seed,
          phones: zip(names, options.phones).map { TraceHeader.Phone(name: $0, apps: [$1.identifier]) })))
    observe(.phonesNamed(names))
    var phones: [HostedPhone] = []
    let stack = options.phoneServices ? StackBehavior.phone : StackBehavior()
    do throws(PreservationFailure) {
      for (number, (name, profile)) in zip(names, options.phones).enumerated() {
        let folder = try StateFolder(name: name) { $0 == StateFolder.homeVariable ? Self.state(radio) : nil }
        try folder.prepare()
        let processes = ProcessLauncher(loop: loop, folder: folder)
        let adapter = await air.addAdapter(
          named: name, addressRotation: options.usesPublicAddresses ? nil : options.rules.addressRotation.value,
          mtu: options.mtu, stack: stack)
        phones.append(makePhone(number, profile, air, adapter, processes))
      }
    } catch { return fail("\(error)") }
    var servers: [ControlServer] = []
    do throws(ControlFailure) {
      for (name, phone) in zip(names, phones) {
        let address = try ControlAddress(name: name, folder: radio.folder)
        let server = try ControlServer(loop: loop, address: address) { [weak phone] socket, line in
          phone?.assumeIsolated { $0.attach(socket, line) }
        } perform: {
          await phone.perform($0)
        }
        await server.start()
        servers.append(server)
        // Commands without a name find the only phone.
        if phones.count == 1 { address.becomeDefault() }
      }
    } catch { return fail("\(error)") }
    for phone in phones { Task { await phone.start() } }
    let status = await work(on: radio)
    isEnding = true
    for phone in phones { await phone.stopReporting() }
    for server in servers {
      await server.settle()
      await server.close()
    }
    await withTaskGroup { group in
      for phone in phones { group.addTask { await phone.shutDown() } }
    }
    return status
  }

  /// The variables that the command, or another terminal, needs to find the bus and the phones.
  private func settings(of radio: VirtualBus) -> [(name: String, value: String)] {
    [
      (Self.busVariable, radio.address.text), (ControlAddress.folderVariable, radio.folder),
      (StateFolder.homeVariable, Self.state(radio)),
      (Self.phonesVariable, names.joined(separator: " ")),
    ]
  }

  private static func state(_ radio: VirtualBus) -> String { "\(radio.folder)/state" }

  private func makePhone(
    _ number: Int, _ profile: NamedProfile, _ air: AirHost, _ adapter: AdapterID, _ processes: ProcessLauncher
  ) -> HostedPhone {
    let app = AppHost.App(profile: profile, seed: TraceHeader.seed(options.seed, phone: number, app: 0))
    return HostedPhone(
      loop: loop, rules: options.rules, phoneServices: options.phoneServices,
      memoryPressure: MemoryPressure(rate: options.memoryPressure, seed: options.seed &+ UInt64(number)),
      launch: options.launch, apps: [app], processes: processes
    ) { phone in
      try await phone.start(on: air, adapter: adapter)
    } observe: { [observe] record in
      observe(.phone(record, number: number))
    } report: { [weak self] event in
      self?.assumeIsolated { this in
        switch event {
        case .serving:
          this.serving += 1
          this.wake()
        // After all phones have served, the lab continues without the app.
        case .quit: if this.serving < this.options.phones.count { this.lose("\(profile.name): the app was quit") }
        case .failed(let reason), .unexplained(let reason): this.lose("\(profile.name): \(reason)")
        case .appServing, .linkLost: break
        }
      }
    }
  }

  private func work(on radio: VirtualBus) async -> CInt {
    await wait { serving == options.phones.count || failure != nil || signal != nil }
    if let failure { return fail(failure) }
    guard !options.command.isEmpty else {
      if signal != nil { return 0 }
      observe(.labReady(settings(of: radio)))
      await wait { signal != nil || failure != nil }
      return failure.map { fail($0) } ?? 0
    }
    if let signal { return 128 + signal }
    radio.commandWillStart()
    do throws(ChildProcess.Failure) {
      let command = try ChildProcess(
        options.command, environment: Dictionary(uniqueKeysWithValues: settings(of: radio).map { ($0.name, $0.value) }))
      radio.track(command)
      self.command = command
      let source = loop.watch(command) { [weak self] end in
        self?.assumeIsolated { this in
          this.radio?.track(nil)
          this.command = nil
          this.commandEnd = end
          this.wake()
        }
      }
      await wait { commandEnd != nil }
      withExtendedLifetime(source) {}
    } catch {
      radio.track(nil)
      let isMissing = error.code == ENOENT
      let reason = isMissing ? "command not found" : unsafe String(cString: strerror(error.code))
      return fail("\(options.command[0]): \(reason)", isMissing ? Self.notFound : Self.notRunnable)
    }
    switch commandEnd {
    case .exited(let status)?: return status
    case .signalled(let signal)?: return 128 + signal
    case nil: return 1
    }
  }

  // MARK: Interruptions

  private func wait(until isDone: () -> Bool) async {
    while !isDone() { await withCheckedContinuation { waiter = $0 } }
  }

  private func wake() {
    waiter?.resume()
    waiter = nil
  }

  /// Ends the lab; while a command runs, only reports the failure: the exit status is the command's.
  private func lose(_ reason: String) {
    guard !isEnding, failure == nil else { return }
    failure = reason
    if command != nil { _ = fail(reason) }
    wake()
  }

  /// Forwards a signal to the command, unless the terminal has sent the signal to both, and waits for the command.
  private func receive(_ signal: CInt) {
    // The shell of the bus cleans up.
    if isEnding { exit(128 + signal) }
    self.signal = signal
    if let command {
      if signal == SIGINT, Self.isForegroundProcess { return }
      signals += 1
      command.send(signal: signals < Self.signalLimit ? signal : SIGKILL)
    }
    wake()
  }

  /// Whether Ctrl-C in the terminal reaches this process.
  private static var isForegroundProcess: Bool {
    [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO].contains { isatty($0) == 1 && tcgetpgrp($0) == getpgrp() }
  }

  private func fail(_ reason: String, _ status: CInt = 1) -> CInt {
    observe(.failed(reason))
    return status
  }
}
