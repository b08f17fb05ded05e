package import BleperaBlueZ
package import BleperaBluetooth
import BleperaController
package import BleperaDBus
import BleperaEventLoop
import BleperaHostRadio
import BleperaLoop
import BleperaPhone
import BleperaRadio
import BleperaRecording
package import BleperaRules
import Glibc

/// One run of `blepera scan`: from the start to Ctrl-C, the time limit or a failure.
package actor ScanSession {
  package struct Options: Sendable {
    package var adapter: String?
    /// The controller that scans; nil for bluetoothd.
    package var controller: ControllerSettings?
    package var rules: RuleSet
    package var request: ScanRequest
    package var place: ScanRecord.Place
    /// Whether the app has started a Live Activity in the foreground.
    package var hasLiveActivity: Bool
    /// The time limit of the scan; nil for no limit.
    package var limit: Duration?

    package init(
      adapter: String? = nil, rules: RuleSet = .newest, request: ScanRequest = ScanRequest(),
      place: ScanRecord.Place = .foreground, hasLiveActivity: Bool = false, limit: Duration? = nil
    ) {
      self.adapter = adapter
      self.rules = rules
      self.request = request
      self.place = place
      self.hasLiveActivity = hasLiveActivity
      self.limit = limit
    }
  }

  private enum End: Sendable {
    case done
    /// A whole sentence.
    case failed(String)
    /// The machine is examined for a better reason.
    case unexplained(String)
  }

  /// The time that the radio has to become available.
  private static let radioTimeout = Duration.seconds(2)
  /// The time after which a peripheral is lost: controllers filter duplicates until the kernel restarts the scan, every
  /// 10 to 15 s.
  private static let lossTimeout = Duration.seconds(30)
  /// The interval at which devices are removed from bluetoothd, which then reports the present advertisements.
  private static let refresh = Duration.seconds(1)

  private nonisolated let loop = EventLoop(name: "blepera scan")
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  private let options: Options
  private let observe: @Sendable (ScanRecord) -> Void
  private let received: @Sendable (FoundDevice) -> Void
  private var manager: CentralManager?
  private var scanner: (adapter: ControllerAdapter, radio: HostRadio)?
  private var central: IOSCentral
  private var tracker: AdvertisementTracker
  private let start = SuspendingClock.now
  /// The data that bluetoothd would have of each device if none had been removed, by the device's address.
  private var past: [String: AdvertisedContent] = [:]
  /// The latest advertisement of each device.
  private var last: [String: AdvertisedContent] = [:]
  private var adapter: String?
  /// Whether the scan has begun; before that, a radio that is not available ends the session.
  private var hasScanned = false
  private var timers: [EventSource] = []
  private var quiet: EventSource?
  private var refreshing: EventSource?
  private let end = SessionEnd<End>()

  /// Both closures are called on the loop's thread, in order.
  ///
  /// - Parameter received: receives each device at most once in a second, with its present advertisement.
  package init(
    _ options: Options, received: @escaping @Sendable (FoundDevice) -> Void = { _ in },
    observe: @escaping @Sendable (ScanRecord) -> Void
  ) {
    self.options = options
    self.observe = observe
    self.received = received
    tracker = Self.tracker(options)
    central = IOSCentral(options.rules)
    if options.hasLiveActivity { _ = central.handle(.liveActivity(isOn: true), at: .zero) }
    if options.place != .foreground { _ = central.handle(.background, at: .zero) }
    if options.place == .screenOff { _ = central.handle(.screen(isOn: false), at: .zero) }
    _ = central.handle(.scan(options.request), at: .zero)
  }

  /// Returns the reason that the scan failed; nil after Ctrl-C or the time limit.
  package func run(on bus: BusAddress = .system) async -> String? {
    let signals = loop.watchTermination { [weak self] _ in self?.assumeIsolated { $0.stop() } }
    defer { withExtendedLifetime(signals) {} }
    if let controller = options.controller {
      do { try await open(controller) } catch { end.finish(.failed("\(error)")) }
    } else {
      do throws(DBusFailure) { try await open(bus) } catch { end.finish(.unexplained("\(error)")) }
    }
    let reason = await end.wait()
    (timers, quiet, refreshing) = ([], nil, nil)
    await manager?.close()
    await scanner?.radio.shutDown()
    await scanner?.adapter.close()
    options.controller?.capture?.flush()
    switch reason {
    case .done: return nil
    case .failed(let reason): return reason
    case .unexplained(let reason):
      var radio = BlueZRadio.Options()
      radio.adapter = options.adapter
      return await RadioDoctor.explain(reason, radio, bus: bus, on: loop)
    }
  }

  private func open(_ bus: BusAddress) async throws(DBusFailure) {
    let connection = try await DBusConnection.open(bus, on: loop)
    let manager = CentralManager(connection: connection, adapter: options.adapter) { [weak self] event in
      self?.assumeIsolated { $0.handle(event) }
    }
    self.manager = manager
    timers.append(
      loop.schedule(after: Self.radioTimeout) { [weak self] in
        self?.assumeIsolated { if $0.adapter == nil { $0.end.finish(.unexplained("the radio is not available")) } }
      })
    try await manager.start()
  }

  private func open(_ controller: ControllerSettings) async throws {
    let adapter = try await controller.startAdapter(of: PhoneSettings(rules: options.rules), on: loop)
    let radio = HostRadio(adapter: adapter) { [weak self] event in self?.assumeIsolated { $0.handle(event) } }
    scanner = (adapter, radio)
    await radio.start()
  }

  package func stop() { end.finish(.done) }

  private var now: Duration { start.duration(to: .now) }

  private func handle(_ event: CentralManagerEvent) {
    guard end.reason == nil else { return }
    switch event {
    case .radio(let state): handle(state)
    case .scanning: beginScan()
    case .scanningFailed(let failure): fail("\(failure)")
    case .appeared(let device): if !device.isConnected { discover(device) }
    case .advertised(let device):
      // bluetoothd merges the data of a device that was not removed with earlier data.
      guard !device.isConnected else { return }
      if device.isForgettable, last[device.address] != nil {
        tracker.receiveMerged(device.advertised, of: device.address, at: now)
      } else {
        discover(device)
      }
    case .vanished, .connected, .disconnected, .servicesChanged, .value: break
    case .busLost: end.finish(.failed("the message bus has closed the connection"))
    }
  }

  private func handle(_ event: RadioEvent) {
    guard end.reason == nil else { return }
    switch event {
    case .state(let state):
      handle(state)
      if state.isOn { beginScan() }
    case .received(let peripheral, let received): discover(peripheral, received)
    case .ended(let reason): end.finish(.failed(reason))
    default: break
    }
  }

  private func handle(_ state: RadioState) {
    switch state {
    case .poweredOn(let name):
      adapter = name
      // The scan is continuous and active, as bluetoothd's: the rules ignore what an iPhone would not receive.
      scanner?.radio.assumeIsolated { $0.scan(ScanWindow()) }
      manager?.assumeIsolated { manager in
        manager.removeUnpairedDevices()
        manager.scan(ScanFilter(repeats: true))
      }
    case .noDaemon where hasScanned: fail("bluetoothd is not running; waiting for it")
    case .noAdapter where hasScanned: fail("the adapter is missing; waiting for it")
    case .poweredOff(let name) where hasScanned: fail("\(name) is powered off; waiting for it")
    case .noDaemon, .noAdapter, .poweredOff: break
    }
  }

  /// Reports the reason; the restarted scan reports every device again (R16, `restartReportsAgain`, which is ours).
  private func fail(_ reason: String) {
    tracker = Self.tracker(options)
    (past, last) = ([:], [:])
    quiet = nil
    _ = central.handle(.stopScan, at: now)
    _ = central.handle(.scan(options.request), at: now)
    var record = ScanRecord(.scanningFailed)
    record.reason = reason
    observe(record)
  }

  private func beginScan() {
    var record = ScanRecord(.scanning)
    record.adapter = adapter
    record.ios = options.rules.version.rawValue
    record.state = options.place
    if options.hasLiveActivity { record.liveActivity = true }
    record.services = options.request.services.map { "\($0)" }
    let timing = central.listening?.timing ?? options.rules.backgroundScan.value
    record.window = timing.window / .milliseconds(1)
    record.interval = timing.interval / .milliseconds(1)
    observe(record)
    hasScanned = true
    if let limit = options.limit, refreshing == nil {
      timers.append(loop.schedule(after: limit) { [weak self] in self?.assumeIsolated { $0.stop() } })
    }
    refreshLater()
  }

  /// A controller reports each advertisement, bluetoothd does not.
  private static func tracker(_ options: Options) -> AdvertisementTracker {
    AdvertisementTracker(lossTimeout: options.controller == nil ? lossTimeout : nil)
  }

  private func refreshLater() {
    guard manager != nil else { return }
    refreshing = loop.schedule(after: Self.refresh) { [weak self] in
      self?.assumeIsolated { this in
        this.manager?.assumeIsolated { $0.removeUnpairedDevices() }
        this.refreshLater()
      }
    }
  }

  private func discover(_ device: FoundDevice) {
    if device.isForgettable { received(device) }
    defer {
      last[device.address] = device.advertised
      past[device.address] = device.advertised.added(to: past[device.address] ?? AdvertisedContent())
      scheduleLossCheck()
    }
    for case .discovered in tracker.receive(device.advertised, of: device.address, at: now) {
      let heard = ReceivedAdvertisement(device.advertised.packet, rssi: device.rssi)
      for action in central.handle(.received(PeripheralID(rawValue: device.address), heard), at: now) {
        guard let outcome = action.reception else { continue }
        observe(ScanRecord(discovered: device, outcome, past: past[device.address] ?? device.advertised))
      }
    }
  }

  private func discover(_ peripheral: PeripheralID, _ received: ReceivedAdvertisement) {
    let content = AdvertisedContent(received.packets.flatMap(\.structures))
    for case .discovered in tracker.receive(content, of: peripheral.rawValue, at: now) {
      for action in central.handle(.received(peripheral, received), at: now) {
        action.reception.map { observe(ScanRecord(discovered: peripheral, received, $0)) }
      }
    }
    scheduleLossCheck()
  }

  private func scheduleLossCheck() {
    quiet = tracker.deadline.map { deadline in
      loop.schedule(after: max(.zero, deadline - now)) { [weak self] in
        self?.assumeIsolated { this in
          for address in this.tracker.check(at: this.now) {
            var record = ScanRecord(.lost)
            record.peripheral = address
            this.last[address] = nil
            this.past[address] = nil
            this.observe(record)
          }
          this.scheduleLossCheck()
        }
      }
    }
  }
}

extension IOSCentral.Action {
  /// The reception of an advertisement.
  fileprivate var reception: ScanReception? {
    switch self {
    case .discovered(_, let discovery): .discovered(discovery)
    case .ignored(_, let reason): .ignored(reason)
    case .listen, .connect, .disconnect: nil
    }
  }
}
