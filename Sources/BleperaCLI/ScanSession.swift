import BlueZ
import DBus
import EventLoop
import Glibc
import Policy

/// One run of `blepera scan`: from the start to Ctrl-C, the end of its time or a failure.
actor ScanSession {
  struct Options: Sendable {
    var adapter: String?
    var rules = RuleSet.newest
    var request = ScanRequest()
    var place = ScanRecord.Place.foreground
    /// From the begin of the scan; nil for no end.
    var limit: Duration?
  }

  private enum End: Sendable {
    case done
    /// A whole sentence.
    case failed(String)
    /// The machine is looked at for a better reason.
    case unexplained(String)
  }

  /// How long the radio may take to be there.
  private static let patience = Duration.seconds(2)
  /// How long a peripheral may be unheard: controllers pass over duplicates until the kernel begins its scan anew, which
  /// it does every 10 to 15 s.
  private static let silence = Duration.seconds(30)
  /// How often bluetoothd is made to forget what it has heard, and with that to tell what is on the air now.
  private static let refresh = Duration.seconds(1)

  private nonisolated let loop = EventLoop(name: "blepera scan")
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  private let options: Options
  private let say: @Sendable (ScanRecord) -> Void
  private var manager: CentralManager?
  private var central: IOSCentral
  private var watch = AirWatch(patience: ScanSession.silence)
  private let start = ContinuousClock.now
  /// What bluetoothd would know of each, if it had not been told to forget.
  private var past: [ObjectPath: FoundDevice.Advertised] = [:]
  /// What was heard last of each.
  private var last: [ObjectPath: FoundDevice.Advertised] = [:]
  private var adapter: String?
  /// Of the radio nothing is told before that; if it never comes to it, the doctor says why.
  private var hasListened = false
  private var timers: [EventSource] = []
  private var quiet: EventSource?
  private var refreshing: EventSource?
  private var waiter: CheckedContinuation<End, Never>?
  private var end: End?

  /// - Parameter say: called on the loop's thread, in order.
  init(_ options: Options, say: @escaping @Sendable (ScanRecord) -> Void) {
    self.options = options
    self.say = say
    central = IOSCentral(
      options.rules, isInFront: options.place == .foreground, isScreenOn: options.place != .screenOff)
    _ = central.handle(.scan(options.request), at: .zero)
  }

  /// Why it came to nothing; nil after Ctrl-C or its time.
  func run(on bus: BusAddress = .system) async -> String? {
    let signals = [SIGINT, SIGTERM, SIGHUP].map { signal in
      loop.watch(signal: signal) { [weak self] in self?.assumeIsolated { $0.finish(.done) } }
    }
    defer { withExtendedLifetime(signals) {} }
    do throws(DBusFailure) {
      try await open(bus)
    } catch {
      finish(.unexplained("\(error)"))
    }
    let end = await withCheckedContinuation { (continuation: CheckedContinuation<End, Never>) in
      if let end = self.end { continuation.resume(returning: end) } else { waiter = continuation }
    }
    (timers, quiet, refreshing) = ([], nil, nil)
    await manager?.close()
    switch end {
    case .done: return nil
    case .failed(let reason): return reason
    case .unexplained(let reason):
      var radio = Peripheral.Options()
      radio.adapter = options.adapter
      return await RadioDoctor.explain(reason, radio, bus: bus, on: loop)
    }
  }

  private func open(_ bus: BusAddress) async throws(DBusFailure) {
    let connection = try await DBusConnection.open(bus, on: loop)
    let manager = CentralManager(connection: connection, adapter: options.adapter) { [weak self] event in
      self?.assumeIsolated { $0.hear(event) }
    }
    self.manager = manager
    timers.append(
      loop.schedule(after: Self.patience) { [weak self] in
        self?.assumeIsolated { if $0.adapter == nil { $0.finish(.unexplained("the radio cannot be used")) } }
      })
    try await manager.start()
  }

  func stop() { finish(.done) }

  private func finish(_ end: End) {
    guard self.end == nil else { return }
    self.end = end
    waiter?.resume(returning: end)
    waiter = nil
  }

  private var now: Duration { start.duration(to: .now) }

  private func hear(_ event: CentralManagerEvent) {
    guard end == nil else { return }
    switch event {
    case .radio(let state): hear(state)
    case .scanning: beginListening()
    case .scanningFailed(let failure): fail("\(failure)")
    case .appeared(let device): if !device.isConnected { hear(device) }
    case .advertised(let device):
      // What is told of a device that is not forgotten yet is a mixture with what was there before.
      guard !device.isConnected else { return }
      if device.isForgettable, last[device.path] != nil { watch.heardMore(device, at: now) } else { hear(device) }
    case .vanished, .connected, .disconnected, .value: break
    case .busLost: finish(.failed("the message bus has closed the connection"))
    }
  }

  private func hear(_ state: RadioState) {
    switch state {
    case .poweredOn(let name):
      adapter = name
      manager?.assumeIsolated { manager in
        manager.forgetStrangers()
        manager.scan(ScanFilter(repeats: true))
      }
    case .noDaemon where hasListened: fail("bluetoothd is not there; it is waited for")
    case .noAdapter where hasListened: fail("the adapter is not there; it is waited for")
    case .poweredOff(let name) where hasListened: fail("\(name) is switched off; it is waited for")
    case .noDaemon, .noAdapter, .poweredOff: break
    }
  }

  /// A scan that begins anew tells of everything anew, as on iOS once Bluetooth was off.
  private func fail(_ reason: String) {
    watch = AirWatch(patience: Self.silence)
    (past, last) = ([:], [:])
    quiet = nil
    _ = central.handle(.scan(options.request), at: now)
    var record = ScanRecord(.scanningFailed)
    record.reason = reason
    say(record)
  }

  private func beginListening() {
    var record = ScanRecord(.scanning)
    record.adapter = adapter
    record.ios = options.rules.version.rawValue
    record.state = options.place
    record.services = options.request.services.map { "\($0)" }
    let pace = options.place == .foreground ? options.rules.foregroundScan : options.rules.backgroundScan
    record.window = pace.value.window / .milliseconds(1)
    record.interval = pace.value.interval / .milliseconds(1)
    say(record)
    hasListened = true
    if let limit = options.limit, refreshing == nil {
      timers.append(loop.schedule(after: limit) { [weak self] in self?.assumeIsolated { $0.finish(.done) } })
    }
    refreshLater()
  }

  private func refreshLater() {
    refreshing = loop.schedule(after: Self.refresh) { [weak self] in
      self?.assumeIsolated { this in
        this.manager?.assumeIsolated { $0.forgetStrangers() }
        this.refreshLater()
      }
    }
  }

  private func hear(_ device: FoundDevice) {
    defer {
      last[device.path] = device.advertised
      past[device.path] = device.advertised.added(to: past[device.path] ?? FoundDevice.Advertised())
      awaitSilence()
    }
    for case .heard(let device) in watch.heard(device, at: now) {
      let heard = HeardAdvertisement(device.advertised.packet, rssi: device.rssi)
      for action in central.handle(.heard(PeripheralID(rawValue: device.address), heard), at: now) {
        guard let outcome = action.reception else { continue }
        say(ScanRecord(heard: device, outcome, past: past[device.path] ?? device.advertised))
      }
    }
  }

  private func awaitSilence() {
    quiet = watch.deadline.map { deadline in
      loop.schedule(after: max(.zero, deadline - now)) { [weak self] in
        self?.assumeIsolated { this in
          for case .silent(let device) in this.watch.check(at: this.now) {
            var record = ScanRecord(.silent)
            record.peripheral = device.address
            this.last[device.path] = nil
            this.past[device.path] = nil
            this.say(record)
          }
          this.awaitSilence()
        }
      }
    }
  }
}

extension IOSCentral.Action {
  /// What becomes of an advertisement.
  fileprivate var reception: IOSCentral.Reception? {
    switch self {
    case .discovered(_, let discovery): .discovered(discovery)
    case .passedOver(_, let reason): .passedOver(reason)
    case .listen, .connect, .disconnect: nil
    }
  }
}
