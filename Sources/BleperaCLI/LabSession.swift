import BlueZ
import Control
import DBus
import EventLoop
import EventTrace
import Glibc
import Policy
import Preservation
import Profile
import System
import VirtualBlueZ

/// One run of `blepera lab`: a bus, org.bluez on it and phones, from the start to the end of the command or a signal.
actor LabSession {
  struct Options: Sendable {
    var phones: [NamedProfile] = []
    /// How many adapters are the command's.
    var ownAdapters = 1
    var behavior = DaemonBehavior()
    var conditions = AirConditions()
    var seed: UInt64 = 0
    var rules = RuleSet.newest
    var launch = LaunchFlag.foreground
    /// Empty for none.
    var command: [String] = []
  }

  static let variable = "DBUS_SYSTEM_BUS_ADDRESS"
  /// The phones' names in their order, with a space between two.
  static let phonesVariable = "BLEPERA_PHONES"
  /// What a shell's status is for a command that is not there, and for one that cannot be run.
  private static let notFound: CInt = 127
  private static let notRunnable: CInt = 126
  /// At this one of the signals that are passed on the command is killed.
  private static let lastSignal = 3

  private nonisolated let loop = EventLoop(name: "blepera lab")
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  private let options: Options
  private let printer: EventPrinter?
  private let errors = Terminal(.error)
  private let output = Terminal(.output)
  private var radio: VirtualRadio?
  private var waiter: CheckedContinuation<Void, Never>?
  /// How many phones are on the air.
  private var serving = 0
  /// Why a phone or the bus came to nothing.
  private var failure: String?
  private var signal: CInt?
  private var signals = 0
  private var command: ChildProcess?
  private var commandEnd: ChildProcess.End?
  private var isEnding = false

  /// - Parameter printer: nil prints no events.
  init(_ options: Options, printer: EventPrinter?) {
    self.options = options
    self.printer = printer
  }

  /// The exit status.
  func run() async -> CInt {
    let sources = [SIGINT, SIGTERM, SIGHUP].map { signal in
      loop.watch(signal: signal) { [weak self] in self?.assumeIsolated { $0.take(signal) } }
    }
    defer { withExtendedLifetime(sources) {} }
    let radio: VirtualRadio
    do throws(VirtualRadio.Failure) {
      radio = try await .open(radioOptions, on: loop) { [weak self] in
        self?.assumeIsolated { $0.lose("the lab's message bus has ended") }
      }
    } catch { return fail("\(error)") }
    self.radio = radio
    let status = await serve(on: radio)
    await radio.close()
    return status
  }

  private var radioOptions: BlueZServer.Options {
    var radio = BlueZServer.Options.adapters(options.ownAdapters + options.phones.count)
    // Clients that take any central of the machine take the command's own.
    for number in options.phones.indices { radio.adapters[options.ownAdapters + number].isCentral = false }
    radio.behavior = options.behavior
    radio.conditions = options.conditions
    radio.seed = options.seed
    return radio
  }

  private func serve(on radio: VirtualRadio) async -> CInt {
    let speakers = Speaker.phones(names)
    printer?.begin(
      TraceHeader(
        blepera: Blepera.version, command: "lab", ios: options.rules.version.rawValue, bluez: "\(options.behavior)",
        pairing: PairingMode.justWorks.rawValue, launch: options.launch.rawValue, seed: options.seed,
        phones: zip(names, options.phones).map { TraceHeader.Phone(name: $0, apps: [$1.identifier]) }))
    let phones = options.phones.enumerated().map { number, profile in
      makePhone(number, profile, radio.address, speakers[number])
    }
    var servers: [ControlServer] = []
    do throws(ControlFailure) {
      for (name, phone) in zip(names, phones) {
        let system = await phone.system
        let address = try ControlAddress(name: name, folder: radio.folder)
        let server = try ControlServer(loop: loop, address: address) { await system.perform($0) }
        await server.start()
        servers.append(server)
        // What asks for no name finds the only one.
        if phones.count == 1 { address.becomeDefault() }
      }
    } catch { return fail("\(error)") }
    if !phones.isEmpty {
      let list = names.enumerated().map { "\($1) on hci\(options.ownAdapters + $0)" }.joined(separator: ", ")
      printer?.note("phones: \(list)")
    }
    for phone in phones { Task { await phone.start() } }
    let status = await work(on: radio)
    isEnding = true
    for phone in phones { await phone.mute() }
    for server in servers {
      await server.settle()
      await server.close()
    }
    await withTaskGroup { group in
      for phone in phones { group.addTask { await phone.shutDown() } }
    }
    return status
  }

  /// By which the phones are reached, in their order.
  private var names: [String] {
    options.phones.reduce(into: []) { names, phone in
      names.append(ControlAddress.name(like: phone.shortName, besides: names))
    }
  }

  /// What the command, or a user's other terminal, needs to find all of it.
  private func settings(of radio: VirtualRadio) -> [(name: String, value: String)] {
    [
      (Self.variable, radio.address.text), (ControlAddress.folderVariable, radio.folder),
      (StateFolder.homeVariable, "\(radio.folder)/state"),
      (Self.phonesVariable, names.joined(separator: " ")),
    ]
  }

  /// The first adapters are the command's own.
  private func makePhone(
    _ number: Int, _ profile: NamedProfile, _ bus: BusAddress, _ speaker: Speaker
  ) -> Phone {
    var radio = Peripheral.Options()
    radio.adapter = "hci\(options.ownAdapters + number)"
    return Phone(
      loop: loop, bus: bus, options: radio, rules: options.rules, launch: options.launch.mode, profiles: [profile],
      seeds: [TraceHeader.seed(options.seed, phone: number, app: 0)],
      intervalAdvice: "give the lab --experimental or --bluez-version 5.82"
    ) { [printer] event, app in
      printer?.print(event, of: app, by: speaker)
    } tell: { [weak self] news in
      self?.assumeIsolated { this in
        switch news {
        case .serving:
          this.serving += 1
          this.wake()
        // Once all serve, the lab lives on without it.
        case .quit: if this.serving < this.options.phones.count { this.lose("\(profile.name): it was quit") }
        case .failed(let reason), .unexplained(let reason): this.lose("\(profile.name): \(reason)")
        }
      }
    }
  }

  private func work(on radio: VirtualRadio) async -> CInt {
    await wait { serving == options.phones.count || failure != nil || signal != nil }
    if let failure { return fail(failure) }
    guard !options.command.isEmpty else {
      if signal != nil { return 0 }
      output.print("export " + settings(of: radio).map { "\($0.name)='\($0.value)'" }.joined(separator: " "))
      await wait { signal != nil || failure != nil }
      return failure.map { fail($0) } ?? 0
    }
    if let signal { return 128 + signal }
    radio.expectCommand()
    do throws(ChildProcess.Failure) {
      let command = try ChildProcess(
        options.command, environment: Dictionary(uniqueKeysWithValues: settings(of: radio).map { ($0.name, $0.value) }))
      radio.hold(command)
      self.command = command
      let source = loop.watch(command) { [weak self] end in
        self?.assumeIsolated { this in
          this.radio?.hold(nil)
          this.command = nil
          this.commandEnd = end
          this.wake()
        }
      }
      await wait { commandEnd != nil }
      withExtendedLifetime(source) {}
    } catch {
      radio.hold(nil)
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

  // MARK: What comes between

  private func wait(until isDone: () -> Bool) async {
    while !isDone() { await withCheckedContinuation { waiter = $0 } }
  }

  private func wake() {
    waiter?.resume()
    waiter = nil
  }

  /// Ends the lab, or is told where a command still runs: its status is what counts.
  private func lose(_ reason: String) {
    guard !isEnding, failure == nil else { return }
    failure = reason
    if command != nil { _ = fail(reason) }
    wake()
  }

  /// The command gets the signal too, if the terminal has not sent it to both; then its end is waited for.
  private func take(_ signal: CInt) {
    // The leash does what is left to do.
    if isEnding { exit(128 + signal) }
    self.signal = signal
    if let command {
      if signal == SIGINT, Self.isInFront { return }
      signals += 1
      command.send(signal: signals < Self.lastSignal ? signal : SIGKILL)
    }
    wake()
  }

  /// Whether Ctrl-C at the terminal is meant for us.
  private static var isInFront: Bool {
    [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO].contains { isatty($0) == 1 && tcgetpgrp($0) == getpgrp() }
  }

  private func fail(_ reason: String, _ status: CInt = 1) -> CInt {
    errors.print("\(errors.styled("error:", .red)) \(reason)")
    return status
  }
}
