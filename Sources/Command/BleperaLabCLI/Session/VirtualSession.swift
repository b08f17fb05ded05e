import BleperaAccessory
import BleperaAir
package import BleperaAppLink
import BleperaBluetooth
import BleperaDBus
package import BleperaEventLoop
import BleperaHCI
import BleperaHost
import BleperaHostRadio
import BleperaLoop
import BleperaPhone
import BleperaPreservation
import BleperaProfile
import BleperaProfileApp
import BleperaRadio
import BleperaRecording
import BleperaRules
package import BleperaSessions
import BleperaVirtualBlueZ
import Glibc

/// One run of `blepera lab`, `serve --virtual` or `system --virtual`: an air, phones on it, and org.bluez on a message
/// bus for programs, all in this process, from the start to the end of the command or a signal.
package actor VirtualSession: ControllableSession, LoopActor {
  static let busVariable = "DBUS_SYSTEM_BUS_ADDRESS"
  /// The variable with bluetoothd's release, for QtBluetooth, which otherwise runs org.bluez's owner with `--version`.
  private static let qtVariable = "BLUETOOTH_FORCE_DBUS_LE_VERSION"
  /// The variable with the endpoints where hosts attach, in Bumble's notation, separated by spaces.
  private static let doorsVariable = "BLEPERA_HCI"

  package nonisolated let loop = EventLoop(name: "blepera")
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
  package nonisolated var isOnLoop: Bool { loop.isCurrent }

  let options: VirtualOptions
  /// The name of the user's only phone; nil for phones of a lab, which are found in its own folder.
  private let address: ControlAddress?
  let observe: SessionObserver
  private let observeCentral: @Sendable (DemoCentralEvent) -> Void
  private let endProcess: ProcessEnder
  var radio: VirtualBus?
  private(set) var phones: [ServedPhone] = []
  private var accessories: [AccessoryDevice] = []
  var apps = AppRuns()
  private var central: DemoCentral?
  private var doors: [HCIDoor] = []
  private var waiter: CheckedContinuation<Void, Never>?
  /// The number of phones whose apps have all published their services.
  private var serving = 0
  /// The reason that a phone or the bus failed, a sentence.
  var failure: String?
  private var hasQuit = false
  var signal: CInt?
  var command = CommandRun()
  private var isEnding = false
  private var idleness: Idleness?
  private var idleTimer: EventSource?
  private let service: ServiceReport?

  /// - Parameters:
  ///   - address: the name of the user's only phone; nil in a lab.
  ///   - observeCentral: receives the events of the central, on the session's loop.
  package init(
    _ options: VirtualOptions, at address: ControlAddress? = nil, endProcess: @escaping ProcessEnder,
    observe: @escaping SessionObserver, observeCentral: @escaping @Sendable (DemoCentralEvent) -> Void = { _ in }
  ) {
    self.options = options
    self.address = address
    self.observe = observe
    self.observeCentral = observeCentral
    self.endProcess = endProcess
    idleness = options.linger.map { Idleness(linger: $0) }
    service = address != nil && options.linger == nil ? ServiceReport(on: loop) : nil
  }

  /// Returns the exit status of the command, or of the session if there is no command.
  package func run() async -> CInt {
    let sources = loop.watchTermination { [weak self] signal in self?.assumeIsolated { $0.receive(signal) } }
    defer { withExtendedLifetime(sources) {} }
    let air = SharedAir(loop: loop, conditions: options.conditions, seed: options.seed)
    if let capture = options.capture { await air.capture(capture) }
    var bus = BlueZServer.Options.adapters(options.ownAdapters.count)
    bus.names = options.ownAdapters
    bus.behavior = options.behavior
    bus.agrees = options.agrees
    let radio: VirtualBus
    do throws(VirtualBus.Failure) {
      radio = try await .open(bus, program: options.program, air: air, on: loop) { [weak self] in
        self?.assumeIsolated { $0.loseBus() }
      }
    } catch { return fail("\(error)") }
    self.radio = radio
    let status = await serve(on: radio, air)
    await radio.close()
    return status
  }

  private func serve(on radio: VirtualBus, _ air: SharedAir) async -> CInt {
    let isLab = address == nil
    observe(
      .began(
        TraceHeader(
          command: options.name, ios: options.phone.rules.version.rawValue, radio: .virtual,
          settings: options.settings + options.deviceNames.map(VirtualOptions.option)
            + [options.launch.option, "--seed \(options.seed)"],
          phones: options.phones.map { TraceHeader.Phone(name: isLab ? $0.name : nil, apps: $0.apps.map(\.identifier)) }
        )))
    if isLab { observe(.phonesNamed(options.phones.map(\.name))) }
    if isLab, options.ownAdapters.count > 1 {
      observe(.hint("Programs have \(Quote.list(options.ownAdapters, "and")); name one to a program that takes any."))
    }
    let central = options.hasCentral ? await air.addAdapter(named: "central") : nil
    do {
      for number in options.phones.indices { phones.append(try await makePhone(number, on: air, radio)) }
      try openDoors(on: air)
    } catch { return fail("\(error)") }
    for number in options.accessories.indices { await startAccessory(number, on: air) }
    if let central { await startCentral(on: air, central) }
    for phone in phones { Task { await phone.start() } }
    let status = await work(on: radio)
    isEnding = true
    service?.stopping()
    for phone in phones { await phone.stopReporting() }
    await self.central?.close()
    for door in doors { await door.close() }
    await endApps()
    for phone in phones { await phone.closeSocket() }
    // Ctrl-C quits the apps of `serve`, as on BlueZ.
    let isQuitting = signal == SIGINT && address != nil
    await withTaskGroup { group in
      for phone in phones { group.addTask { await phone.shutDown(quitting: isQuitting) } }
    }
    if isQuitting, options.endsWithApps { observe(.forceQuit) }
    return status
  }

  /// Creates a phone on the air, whose socket receives requests. The user's phone continues the earlier phone of its
  /// name; a lab's phone is new, and removed with the lab.
  private func makePhone(_ number: Int, on air: SharedAir, _ radio: VirtualBus) async throws -> ServedPhone {
    let plan = options.phones[number]
    let isUsers = address != nil
    let folder =
      isUsers
      ? try StateFolder(name: plan.name, isVirtual: true)
      : try StateFolder(name: plan.name) { $0 == StateFolder.homeVariable ? Self.state(radio) : nil }
    try folder.prepare()
    guard !isUsers || folder.claim() else { throw ControlFailure.alreadyRunning(name: plan.name) }
    let store = FilePreservationStore(folder: folder, disk: SystemDisk(syncs: false))
    let former = options.isFresh ? nil : try store.usableState().identity
    let identity = isUsers ? former ?? PhoneIdentity(seed: options.seed) : nil
    var settings = ServedPhone.Settings()
    (settings.phone, settings.options) = options.settings(of: number)
    settings.phone.rules = options.phone.rules.with(
      nearbyInfoTag: SplitMix64.number(at: UInt64(number), seed: options.seed))
    settings.seed = options.seed &+ UInt64(number)
    settings.hosts = { [weak self] in self?.assumeIsolated { $0.attachedHosts } }
    settings.store = store
    settings.processes = ProcessLauncher(loop: loop, folder: folder, options: options.relaunch)
    settings.launch = options.launch
    settings.staysWithoutApps = options.endsWithApps ? .afterQuit : .always
    settings.apps = plan.apps.enumerated().map { app, profile in
      ProfileAppRunner.App(
        profile: profile, seed: TraceHeader.seed(options.seed, phone: number, app: app),
        laterProcess: isUsers ? OwnProcess.launch(of: profile.file, system: plan.name, isJSON: false) : nil)
    }
    var description = AdapterDescription(settings.phone, address: await air.nextAddress)
    if let identity { description.take(identity) }
    let adapter = await air.addAdapter(description)
    let beacon = AdvertisingPackets.beacon(settings.phone.rules)
    let phone = ServedPhone(loop: loop, settings: settings) { [pairing = options.phone.pairing] phone in
      try await phone.start {
        HostRadio(
          adapter: air.hosted(adapter), identity: identity, pairing: pairing, beacon: beacon, report: $0)
      }
    } observe: { [weak self, observe] event, app in
      observe(.phone(event, of: app, number: number))
      self?.assumeIsolated { this in
        this.watchIdleness()
        if this.apps.isStarting { this.wake() }
      }
    } report: { [weak self] event in
      self?.assumeIsolated { $0.handle(event, of: plan) }
    } shutdown: { [weak self] in
      self?.assumeIsolated { $0.quit() }
    }
    let address = try address ?? ControlAddress(name: plan.name, folder: radio.folder)
    try await phone.claim(address)
    if options.isFresh { try store.clear() }
    await phone.listen()
    // Commands without a name find the only phone.
    if self.address == nil, options.phones.count == 1 { address.becomeDefault() }
    return phone
  }

  private func handle(_ event: ProfileAppRunner.Event, of phone: VirtualOptions.Phone) {
    switch event {
    case .serving:
      serving += 1
      if serving == options.phones.count, address != nil, !isEnding { observe(.serving) }
      wake()
    case .quit where serving == options.phones.count:
      observe(
        .note("The apps were quit; 'blepera launch' launches them again, 'blepera shutdown' or Ctrl-C ends the phone."))
    case .quit: options.endsWithApps ? quit() : lose("\(phone.name): the app was quit")
    case .terminated(let app, let cause) where options.endsWithApps && options.phone.memoryPressure == 0:
      observe(.note("The phone has terminated \(app): \(cause.text)."))
      quit()
    case .terminated(let app, let cause): lose("the phone has terminated \(app): \(cause.text)", phone)
    case .failed(let reason), .unexplained(let reason): lose(reason, phone)
    case .appServing, .linkLost, .waitingForRadio: break
    }
  }

  private func lose(_ reason: String, _ phone: VirtualOptions.Phone) {
    lose(options.phones.count > 1 ? "\(phone.name): \(reason)" : reason)
  }

  private func openDoors(on air: SharedAir) throws(HCIDoorFailure) {
    for (number, endpoint) in options.doors.enumerated() {
      let door = try HCIDoor(
        loop: loop, air: air, endpoint: endpoint, number: number, seed: options.seed,
        capture: options.hostCaptures.isEmpty ? nil : options.hostCaptures[number]
      ) { [observe] notice in observe(.host(EventRecord(notice))) }
      doors.append(door)
      door.assumeIsolated { $0.start() }
    }
    if address != nil, !doors.isEmpty { observe(.note("Hosts attach to \(doorNames).")) }
  }

  private var attachedHosts: [String]? {
    doors.isEmpty ? nil : doors.compactMap { $0.assumeIsolated { $0.host } }
  }

  /// The names of the doors, separated by spaces.
  private var doorNames: String { doors.map(\.name).joined(separator: " ") }

  private func startAccessory(_ number: Int, on air: SharedAir) async {
    let accessory = options.accessories[number]
    let adapter = await air.addAdapter(AdapterDescription(accessory.description, address: await air.nextAddress))
    let device = AccessoryDevice(
      air: air, adapter: adapter, accessory.description,
      seed: TraceHeader.seed(options.seed, phone: options.phones.count + number, app: 0)
    ) { [observe] record in observe(.accessory(record, name: accessory.name)) }
    accessories.append(device)
    await device.start()
  }

  /// Starts the central before the phones, so that it discovers the first advertisement.
  private func startCentral(on air: SharedAir, _ adapter: AdapterID) async {
    let central = DemoCentral(
      loop: loop,
      systemServices: options.phone.phoneServices ? ServiceDefinition.ownedBySystem : ServiceDefinition.ownedByDaemon,
      sampleWrites: options.phones.flatMap { $0.apps.flatMap(\.profile.sampleWrites) }
    ) { [observeCentral] event in observeCentral(event) }
    self.central = central
    await central.start(on: air, adapter: adapter)
  }

  /// The variables that programs need to find the bus and the phones.
  func settings(of radio: VirtualBus) -> [(name: String, value: String)] {
    let bus = [
      (name: Self.busVariable, value: radio.address.text), (Self.qtVariable, options.behavior.description),
    ]
    guard address == nil else { return bus }
    return bus + [
      (ControlAddress.folderVariable, radio.folder), (StateFolder.homeVariable, Self.state(radio)),
      (OwnProcess.phonesVariable, options.phones.map(\.name).joined(separator: " ")),
    ] + (doors.isEmpty ? [] : [(Self.doorsVariable, doorNames)])
  }

  private static func state(_ radio: VirtualBus) -> String { "\(radio.folder)/state" }

  private func work(on radio: VirtualBus) async -> CInt {
    await wait { serving == options.phones.count || isOver }
    if let failure { return fail(failure) }
    if let status = await startApps(on: radio) { return status }
    if let failure { return fail(failure) }
    if !options.command.isEmpty { return await runCommand(on: radio) }
    if !isOver {
      observe(.ready(settings(of: radio)))
      service?.ready()
      await wait { isOver }
    }
    return failure.map { fail($0) } ?? TerminationSignals.exitStatus
  }

  // MARK: Ends

  /// Ends a session that was started for apps once it has no apps to serve, after an event has taken effect.
  private func watchIdleness() {
    guard idleness != nil, !isEnding else { return }
    Task {
      let loads = phones.map { phone in phone.assumeIsolated { $0.appCounts } }
      let (running, preserved) = (loads.map(\.running).reduce(0, +), loads.map(\.preserved).reduce(0, +))
      let rest = idleness?.rest(running: running, preserved: preserved, now: .now)
      idleTimer = rest.map { rest in
        loop.schedule(after: rest) { [weak self] in self?.assumeIsolated { $0.quit() } }
      }
    }
  }

  var isOver: Bool { failure != nil || signal != nil || hasQuit }

  func wait(until isDone: () -> Bool) async {
    while !isDone() { await withCheckedContinuation { waiter = $0 } }
  }

  func wake() {
    waiter?.resume()
    waiter = nil
  }

  private func quit() {
    hasQuit = true
    wake()
  }

  /// Ends the session; while a command runs, only reports the failure: the exit status is the command's.
  private func lose(_ reason: String) {
    guard !isEnding, failure == nil else { return }
    failure = reason
    if command.isRunning { _ = fail(reason) }
    wake()
  }

  /// Ends the session and its command, which may wait forever without its bus.
  private func loseBus() {
    lose("the message bus has ended")
    hangUp()
  }

  private func receive(_ signal: CInt) {
    // The process can end at once, because the supervisor cleans up.
    if isEnding || (self.signal != nil && !command.isRunning) { endProcess(.status(128 + signal)) }
    self.signal = signal
    command.forward(signal)
    wake()
  }

  func fail(_ reason: String, _ status: CInt = 1) -> CInt {
    observe(.failed(reason))
    return status
  }

  // MARK: The user

  package func interrupt() { receive(SIGINT) }

  package func perform(_ command: ControlRequest.Command) {
    guard !isEnding else { return }
    for phone in phones {
      Task {
        if let error = await phone.perform(ControlRequest(command)).error { observe(.hint(error)) }
      }
    }
  }

  package func toggleScreen() {
    guard !isEnding else { return }
    for phone in phones {
      Task { observe(.hint(await phone.switchScreen() ? "The screen is on." : "The screen is off.")) }
    }
  }

  package func connectCentral() -> Bool? { central?.assumeIsolated { $0.connectNow() } }

  package func writeFromCentral() -> Bool? { central?.assumeIsolated { $0.writeNow() } }
}
