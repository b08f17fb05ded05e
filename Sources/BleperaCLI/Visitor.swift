import BlueZ
import DBus
import EventLoop
import GATT

/// The central of `serve --virtual`: watches the air, uses what it hears, and tells of both.
///
/// What it hears first it connects to at once, and to what has changed some time later, when an app in the background
/// has been suspended: it reads what is readable, subscribes to what notifies, and leaves after a few values.
actor Visitor {
  /// From a change on the air to the visit: more than an app has in the background (R5).
  private static let returnDelay = Duration.seconds(12)
  /// How many values it stays for, and for how long at most.
  private static let firstValues = 5
  private static let laterValues = 2
  private static let patience = Duration.seconds(6)
  /// Services that are the system's own, and no app's.
  private static let systemServices: [BluetoothUUID] = [0x1800, 0x1801, 0x180A].map { BluetoothUUID($0 as UInt16) }

  private nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  private let tell: @Sendable (CentralRecord) -> Void
  private var manager: CentralManager?
  private var watch = AirWatch()
  private let start = ContinuousClock.now
  private var silence: EventSource?
  private var comeBack: EventSource?
  /// Whether what is heard next is visited.
  private var wantsVisit = true
  private var hasHeard = false
  private var hasEnded = false
  /// The device that is visited.
  private var visited: ObjectPath?
  /// What has come by while one was visited: bluetoothd does not tell of it as new again before it has forgotten it.
  private var passedBy: Set<ObjectPath> = []
  private var services: [FoundService] = []
  /// By path, what was subscribed to.
  private var subscribed: [ObjectPath: (FoundService, FoundCharacteristic)] = [:]
  /// How many values are waited for, and who waits.
  private var valuesWanted = 0
  private var waiter: CheckedContinuation<Void, Never>?

  /// - Parameter tell: called on the loop's thread, in order.
  init(loop: EventLoop, tell: @escaping @Sendable (CentralRecord) -> Void) {
    self.loop = loop
    self.tell = tell
  }

  /// Connects to the bus and watches from then on.
  func start(bus: BusAddress, adapter: String) async throws(DBusFailure) {
    let connection = try await DBusConnection.open(bus, on: loop)
    let manager = CentralManager(connection: connection, adapter: adapter) { [weak self] event in
      self?.assumeIsolated { $0.hear(event) }
    }
    self.manager = manager
    try await manager.start()
    await manager.scan(ScanFilter(repeats: true))
  }

  /// Visits what it hears next; false while nothing is on the air.
  func visit() -> Bool {
    guard visited == nil else { return true }
    guard !watch.present.isEmpty else { return false }
    wantsVisit = true
    return true
  }

  /// Tells nothing any more.
  func mute() {
    hasEnded = true
    silence = nil
    comeBack = nil
  }

  func close() async {
    mute()
    await manager?.close()
  }

  private func say(_ record: CentralRecord) {
    if !hasEnded { tell(record) }
  }

  private var now: Duration { start.duration(to: .now) }

  // MARK: The air

  private func hear(_ event: CentralManagerEvent) {
    switch event {
    case .scanning: say(CentralRecord(.scanning))
    case .scanningFailed(let failure):
      var record = CentralRecord(.scanningFailed)
      record.reason = "\(failure)"
      say(record)
    case .appeared(let device): appear(device)
    case .disconnected(let device):
      guard device.path == visited else { return }
      wakeWaiter()
    case .value(let path, let value): receive(value, of: path)
    case .advertised(let device): if visited == nil { watch.heardMore(device, at: now) }
    case .radio, .vanished, .connected, .busLost: break
    }
  }

  private func appear(_ device: FoundDevice) {
    guard !device.isConnected, !hasEnded else { return }
    guard visited == nil else {
      passedBy.insert(device.path)
      return
    }
    tell(watch.heard(device, at: now))
    if wantsVisit {
      wantsVisit = false
      visited = device.path
      Task { await visit(device) }
    } else {
      forget(device.path)
    }
    awaitSilence()
  }

  private func forget(_ device: ObjectPath) { manager?.assumeIsolated { _ = $0.forget(device, evenPaired: true) } }

  private func tell(_ findings: [AirWatch.Finding]) {
    for finding in findings {
      switch finding {
      case .heard(let device):
        var record = CentralRecord(heard: device, known: services.map(\.uuid))
        if !hasHeard { record.seconds = ProcessAge.seconds }
        say(record)
        if hasHeard { scheduleReturn() }
        hasHeard = true
      case .paced(let device, let interval):
        var record = CentralRecord(.paced, device)
        record.interval = interval / .milliseconds(1)
        say(record)
      case .silent(let device):
        say(CentralRecord(.silent, device))
        comeBack = nil
      }
    }
  }

  private func scheduleReturn() {
    guard !wantsVisit else { return }
    var record = CentralRecord(.waiting)
    record.seconds = Self.returnDelay / .seconds(1)
    say(record)
    comeBack = loop.schedule(after: Self.returnDelay) { [weak self] in
      self?.assumeIsolated { if $0.visited == nil { $0.wantsVisit = true } }
    }
  }

  private func awaitSilence() {
    silence = watch.deadline.map { deadline in
      loop.schedule(after: max(.zero, deadline - now)) { [weak self] in
        self?.assumeIsolated { this in
          guard this.visited == nil else { return }
          this.tell(this.watch.check(at: this.now))
          this.awaitSilence()
        }
      }
    }
  }

  // MARK: A visit

  private func visit(_ device: FoundDevice) async {
    comeBack = nil
    say(CentralRecord(.connecting, device))
    do throws(CentralFailure) {
      try await use(device)
    } catch {
      var record = CentralRecord(.failed, device)
      record.reason = "\(error)"
      say(record)
    }
    subscribed = [:]
    visited = nil
    for path in passedBy.union([device.path]) { forget(path) }
    passedBy = []
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
    let ofApps = found.filter { !Self.systemServices.contains($0.uuid) }
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
    if !subscribed.isEmpty { await waitForValues() }
    for (path, (service, characteristic)) in subscribed.sorted(by: { $0.key < $1.key }) {
      say(CentralRecord(.unsubscribing, service, characteristic))
      subscribed[path] = nil
      try await manager.unsubscribe(from: path)
    }
    say(CentralRecord(.disconnecting, device))
    try await manager.disconnect(from: device.path)
  }

  /// Of the system's own services the names are enough.
  private func list(_ services: [FoundService]) {
    for service in services {
      say(CentralRecord(.found, service))
      for characteristic in service.characteristics where !Self.systemServices.contains(service.uuid) {
        var record = CentralRecord(.found, service, characteristic)
        record.properties = characteristic.properties.memberNames
        say(record)
      }
    }
  }

  /// A refusal is told, and is no reason to leave.
  private func read(_ characteristic: FoundCharacteristic, of service: FoundService) async throws(CentralFailure) {
    var record = CentralRecord(.read, service, characteristic)
    do throws(CentralFailure) {
      guard let value = try await manager?.read(characteristic.path) else { return }
      record.value = Hex.string(value)
    } catch {
      try rethrowIfFatal(error)
      record.reason = "\(error)"
    }
    say(record)
  }

  private func subscribe(
    to characteristic: FoundCharacteristic, of service: FoundService
  ) async throws(CentralFailure) {
    var record = CentralRecord(.subscribing, service, characteristic)
    say(record)
    // Values may come before the answer.
    subscribed[characteristic.path] = (service, characteristic)
    do throws(CentralFailure) {
      try await manager?.subscribe(to: characteristic.path)
    } catch {
      subscribed[characteristic.path] = nil
      try rethrowIfFatal(error)
      record.event = .failed
      record.reason = "\(error)"
      say(record)
    }
  }

  /// What the device refuses leaves the connection as it is.
  private func rethrowIfFatal(_ failure: CentralFailure) throws(CentralFailure) {
    switch failure {
    case .att, .notPaired, .refused: return
    case .noRadio, .notConnected, .timedOut, .bus: throw failure
    }
  }

  private func receive(_ value: [UInt8], of path: ObjectPath) {
    guard let (service, characteristic) = subscribed[path] else { return }
    say(CentralRecord(.received, service, characteristic, value: value))
    valuesWanted -= 1
    if valuesWanted <= 0 { wakeWaiter() }
  }

  private func waitForValues() async {
    guard valuesWanted > 0 else { return }
    let limit = loop.schedule(after: Self.patience) { [weak self] in self?.assumeIsolated { $0.wakeWaiter() } }
    await withCheckedContinuation { waiter = $0 }
    limit.cancel()
  }

  private func wakeWaiter() {
    waiter?.resume()
    waiter = nil
  }
}
