import BleperaBlueZ
import BleperaBluetooth
import BleperaDBus
import BleperaEventLoop
import BleperaLoop
import BleperaProfile

/// The central of `serve --virtual`: scans, connects, and reports what it observes.
///
/// The central connects to the first peripheral that it discovers with an app, and again some time after the advertisement has
/// changed, when an app in the background is suspended. It reads the readable values, subscribes to the others, writes
/// what shows the profiles' echoes and responses, and disconnects after a few notifications.
actor DemoCentral {
  /// From a change of the advertisement to the connection: longer than an app's time in the background (R5).
  private static let reconnectDelay = Duration.seconds(12)
  /// The number of notifications after which the central disconnects.
  private static let firstValues = 5
  private static let laterValues = 2
  /// How long the central waits for these notifications.
  private static let notificationTimeout = Duration.seconds(6)
  /// The services of a phone without an iPhone's own services that belong to the system, not to an app.
  static let systemServices = Set([0x1800, 0x1801, 0x180A].map { BluetoothUUID($0 as UInt16) })

  private nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  let systemServices: Set<BluetoothUUID>
  let sampleWrites: [SampleWrite]
  private let observe: @Sendable (DemoCentralEvent) -> Void
  private(set) var manager: CentralManager?
  private var watch = AirWatch()
  private let start = SuspendingClock.now
  private var silence: EventSource?
  private var reconnectTimer: EventSource?
  /// Whether the central connects to the next peripheral that it discovers.
  private var connectsNext = true
  private var hasHeard = false
  private var hasEnded = false
  /// The connected device.
  private(set) var connected: ObjectPath?
  /// The devices discovered during a connection: bluetoothd reports them again only after they were removed.
  private var deferredDevices: Set<ObjectPath> = []
  private var services: [FoundService] = []
  /// The subscriptions, by the characteristic's path.
  private var subscribed: [ObjectPath: (FoundService, FoundCharacteristic)] = [:]
  /// The number of notifications still awaited.
  private var valuesWanted = 0
  private var waiter: CheckedContinuation<Void, Never>?
  /// Whether the user has asked for a write to every characteristic.
  var writesAll = false

  /// - Parameters:
  ///   - systemServices: the services that the central neither reads nor subscribes to.
  ///   - sampleWrites: what it writes during each connection.
  ///   - observe: called on the loop's thread, in order.
  init(
    loop: EventLoop, systemServices: Set<BluetoothUUID>, sampleWrites: [SampleWrite],
    observe: @escaping @Sendable (DemoCentralEvent) -> Void
  ) {
    self.loop = loop
    self.systemServices = systemServices
    self.sampleWrites = sampleWrites
    self.observe = observe
  }

  /// Connects to the bus and scans from then on.
  func start(bus: BusAddress, adapter: String) async throws(DBusFailure) {
    let connection = try await DBusConnection.open(bus, on: loop)
    let manager = CentralManager(connection: connection, adapter: adapter) { [weak self] event in
      self?.assumeIsolated { $0.handle(event) }
    }
    self.manager = manager
    try await manager.start()
    await manager.scan(ScanFilter(repeats: true))
  }

  /// Connects to the next peripheral that is discovered; false while nothing is on the air.
  func connectNow() -> Bool {
    guard connected == nil else { return true }
    guard !watch.present.isEmpty else { return false }
    connectsNext = true
    return true
  }

  func stopReporting() {
    hasEnded = true
    silence = nil
    reconnectTimer = nil
  }

  func close() async {
    stopReporting()
    await manager?.close()
  }

  func report(_ event: DemoCentralEvent) {
    if !hasEnded { observe(event) }
  }

  private var now: Duration { start.duration(to: .now) }

  // MARK: Scanning

  private func handle(_ event: CentralManagerEvent) {
    switch event {
    case .scanning: report(DemoCentralEvent(.scanning))
    case .scanningFailed(let failure):
      var record = DemoCentralEvent(.scanningFailed)
      record.reason = "\(failure)"
      report(record)
    case .appeared(let device): appear(device)
    case .disconnected(let device):
      guard device.path == connected else { return }
      wakeWaiter()
    case .value(let path, let value): receive(value, of: path)
    case .advertised(let device): if connected == nil { watch.heardMore(device, at: now) }
    case .radio, .vanished, .connected, .busLost: break
    }
  }

  private func appear(_ device: FoundDevice) {
    guard !device.isConnected, !hasEnded else { return }
    // It waits for what apps advertise.
    guard !device.isPhoneWithoutApp else { return forget(device.path) }
    guard connected == nil else {
      deferredDevices.insert(device.path)
      return
    }
    report(watch.heard(device, at: now))
    if connectsNext {
      connectsNext = false
      connected = device.path
      Task { await connect(to: device) }
    } else {
      forget(device.path)
    }
    awaitSilence()
  }

  private func forget(_ device: ObjectPath) { manager?.assumeIsolated { _ = $0.forget(device, evenPaired: true) } }

  private func report(_ findings: [AirWatch.Finding]) {
    for finding in findings {
      switch finding {
      case .heard(let device):
        var record = DemoCentralEvent(discovered: device, known: services.map(\.uuid))
        if !hasHeard { record.seconds = ProcessAge.seconds }
        report(record)
        if hasHeard { scheduleConnection() }
        hasHeard = true
      case .paced(let device, let interval):
        var record = DemoCentralEvent(.intervalMeasured, device)
        record.interval = interval / .milliseconds(1)
        report(record)
      case .silent(let device):
        report(DemoCentralEvent(.lost, device))
        reconnectTimer = nil
      }
    }
  }

  private func scheduleConnection() {
    guard !connectsNext else { return }
    var record = DemoCentralEvent(.waiting)
    record.seconds = Self.reconnectDelay / .seconds(1)
    report(record)
    reconnectTimer = loop.schedule(after: Self.reconnectDelay) { [weak self] in
      self?.assumeIsolated { if $0.connected == nil { $0.connectsNext = true } }
    }
  }

  private func awaitSilence() {
    silence = watch.deadline.map { deadline in
      loop.schedule(after: max(.zero, deadline - now)) { [weak self] in
        self?.assumeIsolated { this in
          guard this.connected == nil else { return }
          this.report(this.watch.check(at: this.now))
          this.awaitSilence()
        }
      }
    }
  }

  // MARK: Connecting

  private func connect(to device: FoundDevice) async {
    reconnectTimer = nil
    report(DemoCentralEvent(.connecting, device))
    do throws(CentralFailure) {
      try await use(device)
    } catch {
      var record = DemoCentralEvent(.failed, device)
      record.reason = "\(error)"
      report(record)
    }
    subscribed = [:]
    connected = nil
    for path in deferredDevices.union([device.path]) { forget(path) }
    deferredDevices = []
    watch.resume(at: now)
    awaitSilence()
  }

  private func use(_ device: FoundDevice) async throws(CentralFailure) {
    guard let manager else { return }
    try await manager.connect(to: device.path)
    let found = await manager.services(of: device.path)
    let isNew = found != services
    services = found
    if isNew { list(found) }
    let ofApps = found.filter { !systemServices.contains($0.uuid) }
    for service in ofApps {
      for characteristic in service.characteristics where characteristic.properties.contains(.read) {
        try await read(characteristic, of: service)
      }
    }
    valuesWanted = isNew ? Self.firstValues : Self.laterValues
    for service in ofApps {
      for characteristic in service.characteristics
      where !characteristic.properties.isDisjoint(with: .subscribable) {
        try await subscribe(to: characteristic, of: service)
      }
    }
    try await write(to: ofApps)
    if !subscribed.isEmpty { await waitForValues() }
    if writesAll {
      try await write(to: ofApps)
      valuesWanted = Self.laterValues
      if !subscribed.isEmpty { await waitForValues() }
    }
    for (path, (service, characteristic)) in subscribed.sorted(by: { $0.key < $1.key }) {
      report(DemoCentralEvent(.unsubscribing, service, characteristic))
      subscribed[path] = nil
      try await manager.unsubscribe(from: path)
    }
    report(DemoCentralEvent(.disconnecting, device))
    try await manager.disconnect(from: device.path)
  }

  /// Reports a refused read; the connection stays.
  private func read(_ characteristic: FoundCharacteristic, of service: FoundService) async throws(CentralFailure) {
    var record = DemoCentralEvent(.read, service, characteristic)
    do throws(CentralFailure) {
      guard let value = try await manager?.read(characteristic.path) else { return }
      record.value = Hex.string(value)
    } catch {
      try rethrowIfFatal(error)
      record.reason = "\(error)"
    }
    report(record)
  }

  private func subscribe(
    to characteristic: FoundCharacteristic, of service: FoundService
  ) async throws(CentralFailure) {
    var record = DemoCentralEvent(.subscribing, service, characteristic)
    report(record)
    // Notifications may arrive before the response.
    subscribed[characteristic.path] = (service, characteristic)
    do throws(CentralFailure) {
      try await manager?.subscribe(to: characteristic.path)
    } catch {
      subscribed[characteristic.path] = nil
      try rethrowIfFatal(error)
      record.event = .failed
      record.reason = "\(error)"
      report(record)
    }
  }

  /// Ignores errors that leave the connection intact.
  func rethrowIfFatal(_ failure: CentralFailure) throws(CentralFailure) {
    switch failure {
    case .att, .notPaired, .refused: return
    case .noRadio, .notConnected, .timedOut, .bus: throw failure
    }
  }

  private func receive(_ value: [UInt8], of path: ObjectPath) {
    guard let (service, characteristic) = subscribed[path] else { return }
    report(DemoCentralEvent(.received, service, characteristic, value: value))
    valuesWanted -= 1
    if valuesWanted <= 0 { wakeWaiter() }
  }

  private func waitForValues() async {
    guard valuesWanted > 0 else { return }
    let limit = loop.schedule(after: Self.notificationTimeout) { [weak self] in self?.assumeIsolated { $0.wakeWaiter() }
    }
    await withCheckedContinuation { waiter = $0 }
    limit.cancel()
  }

  func wakeWaiter() {
    waiter?.resume()
    waiter = nil
  }
}
