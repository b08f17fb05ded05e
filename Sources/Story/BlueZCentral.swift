import BlueZ
import DBus
import EventLoop
import GATT
import Policy

/// A central of bluetoothd's.
///
/// bluetoothd adds what an advertisement says to what it knows of a device, and tells of a change alone: so it is made to
/// forget each device once it has told of it, and to begin its scan anew every now and then. Advertisement and scan
/// response it tells of one after the other.
actor BlueZCentral: CentralRadio {
  /// How often a scan is begun anew: controllers pass over what they have heard before.
  private static let scanLength = Duration.seconds(2)
  /// How long a scan response may take to follow its advertisement.
  private static let responseTime = Duration.milliseconds(50)
  /// How long an attempt may be without a link: now and then the kernel does not come to one, and says so after half a
  /// minute.
  private static let attemptLength = Duration.seconds(6)
  /// How long to wait before the next attempt at a connection.
  private static let pause = Duration.milliseconds(200)

  private nonisolated let connection: DBusConnection
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe connection.unownedExecutor }

  private let report: @Sendable (CentralEvent) -> Void
  private let adapter: String
  private lazy var manager = CentralManager(connection: connection, adapter: adapter) { [weak self] event in
    self?.assumeIsolated { $0.hear(event) }
  }
  private var isScanning = false
  private var isListening = false
  private var isOn = false
  /// While it is, nothing is listened for: a scan that begins has the kernel give up the connection.
  private var isConnecting = false
  private var attempts: [String: Task<Void, Never>] = [:]
  private var renewal: EventSource?
  private var hearing: [String: EventSource] = [:]
  /// Values that came while they were read: bluetoothd tells of them as of notifications.
  private var reads: [ObjectPath: [[UInt8]]] = [:]

  init(connection: DBusConnection, adapter: String, report: @escaping @Sendable (CentralEvent) -> Void) {
    self.connection = connection
    self.adapter = adapter
    self.report = report
  }

  /// Follows bluetoothd from then on; returns when the adapter is on.
  func start() async throws {
    try await manager.start()
    while !isOn { try await connection.loop.sleep(for: .milliseconds(10)) }
    await forgetAll()
  }

  /// Ends its connections; bluetoothd then knows nothing of the story.
  func close() async {
    for attempt in attempts.values { attempt.cancel() }
    attempts = [:]
    isScanning = false
    listen()
    await forgetAll()
    await manager.close()
  }

  private func forgetAll() async {
    for device in await manager.devices {
      if device.isConnected { try? await manager.disconnect(from: device.path) }
      await manager.forget(device.path, evenPaired: true)
    }
  }

  // MARK: Listening

  func scan(_ isOn: Bool) {
    isScanning = isOn
    listen()
  }

  private func listen() {
    let isWanted = !isConnecting && (isScanning || !attempts.isEmpty)
    guard isWanted != isListening else { return }
    isListening = isWanted
    manager.assumeIsolated { manager in
      if isWanted { manager.forgetStrangers() }
      manager.scan(isWanted ? ScanFilter(repeats: true) : nil)
    }
    renewal =
      isWanted
      ? connection.loop.schedule(after: Self.scanLength) { [weak self] in
        self?.assumeIsolated { this in
          guard this.isListening else { return }
          this.isListening = false
          this.manager.assumeIsolated { $0.scan(nil) }
          this.listen()
        }
      } : nil
  }

  private func hear(_ event: CentralManagerEvent) {
    switch event {
    case .radio(.poweredOn): isOn = true
    case .radio: isOn = false
    case .appeared(let device): hear(device)
    case .connected(let device): report(.connected(device.address))
    case .disconnected(let device): report(.disconnected(device.address))
    case .value(let characteristic, let value):
      if reads[characteristic] == nil { tell(value, of: characteristic) } else { reads[characteristic]?.append(value) }
    case .advertised, .scanning, .scanningFailed, .vanished, .busLost: break
    }
  }

  private func hear(_ device: FoundDevice) {
    hearing[device.address] = connection.loop.schedule(after: Self.responseTime) { [weak self] in
      self?.assumeIsolated { $0.tell(of: device.address) }
    }
  }

  private func tell(of phone: String) {
    hearing[phone] = nil
    guard isListening, let device = device(phone), !device.isConnected else { return }
    if isScanning {
      var advertised = device.advertised
      if advertised.isNameDoubtful { advertised.name = nil }
      report(.heard(phone, HeardAdvertisement(advertised.packet, rssi: device.rssi)))
    }
    if attempts[phone] == nil { manager.assumeIsolated { _ = $0.forget(device.path) } }
  }

  private func tell(_ value: [UInt8], of characteristic: ObjectPath) {
    guard let address = characteristic.parent?.parent?.deviceAddress else { return }
    report(.value(address, FoundAttribute.ID(rawValue: characteristic.rawValue), value))
  }

  // MARK: Connecting

  func connect(to phone: String) {
    guard attempts[phone] == nil, !isConnected(to: phone) else { return }
    attempts[phone] = Task(executorPreference: connection.loop.tasks) { [weak self] in
      while !Task.isCancelled {
        guard let self, await !self.attempt(phone) else { return }
        try? await self.connection.loop.sleep(for: Self.pause)
      }
    }
    listen()
  }

  /// Whether it has come to a connection.
  private func attempt(_ phone: String) async -> Bool {
    guard !isConnecting, let device = await manager.device(phone) else { return false }
    isConnecting = true
    listen()
    defer {
      isConnecting = false
      listen()
    }
    let limit = connection.loop.schedule(after: Self.attemptLength) { [weak self] in
      self?.assumeIsolated { $0.giveUp(phone) }
    }
    defer { limit.cancel() }
    do throws(CentralFailure) {
      try await manager.connect(to: device.path)
    } catch {
      return false
    }
    attempts[phone] = nil
    report(.services(phone))
    return true
  }

  /// Ends an attempt that has no link yet, so that the next one can begin.
  private func giveUp(_ phone: String) {
    guard let device = device(phone), !device.isConnected else { return }
    Task(executorPreference: connection.loop.tasks) { [manager] in try? await manager.disconnect(from: device.path) }
  }

  func disconnect(from phone: String) async {
    attempts.removeValue(forKey: phone)?.cancel()
    listen()
    guard let device = await manager.device(phone) else { return }
    try? await manager.disconnect(from: device.path)
  }

  func isConnected(to phone: String) -> Bool { device(phone)?.isConnected == true }

  private func device(_ phone: String) -> FoundDevice? { manager.assumeIsolated { $0.device(phone) } }

  func pair(with phone: String) async throws(StoryFailure) {
    try await use(phone) { manager, device throws(CentralFailure) in try await manager.pair(with: device) }
  }

  // MARK: Attributes

  func services(of phone: String) -> [BluetoothUUID] {
    guard let device = device(phone), device.isResolved else { return [] }
    return manager.assumeIsolated { $0.services(of: device.path) }.map(\.uuid)
  }

  func characteristics(of phone: String) -> [FoundAttribute] {
    guard let device = device(phone), device.isResolved else { return [] }
    return manager.assumeIsolated { $0.services(of: device.path) }.flatMap { service in
      service.characteristics.map { characteristic in
        FoundAttribute(
          id: FoundAttribute.ID(rawValue: characteristic.path.rawValue), uuid: characteristic.uuid,
          properties: characteristic.properties)
      }
    }
  }

  func read(_ attribute: FoundAttribute.ID, of phone: String) async throws(StoryFailure) -> [UInt8] {
    let path = try attribute.path
    reads[path] = reads[path] ?? []
    defer { for value in reads.removeValue(forKey: path) ?? [] { tell(value, of: path) } }
    let value = try await use(phone) { manager, _ throws(CentralFailure) in try await manager.read(path) }
    if let own = reads[path]?.lastIndex(of: value) { reads[path]?.remove(at: own) }
    return value
  }

  func write(
    _ value: [UInt8], to attribute: FoundAttribute.ID, of phone: String, withResponse: Bool
  ) async throws(StoryFailure) {
    let path = try attribute.path
    try await use(phone) { manager, _ throws(CentralFailure) in
      try await manager.write(value, to: path, withResponse ? .request : .command)
    }
  }

  func setNotifying(_ isOn: Bool, _ characteristic: FoundAttribute, of phone: String) async throws(StoryFailure) {
    let path = try characteristic.id.path
    try await use(phone) { manager, _ throws(CentralFailure) in
      if isOn { try await manager.subscribe(to: path) } else { try await manager.unsubscribe(from: path) }
    }
  }

  private func use<Value: Sendable>(
    _ phone: String,
    _ body: (CentralManager, ObjectPath) async throws(CentralFailure) -> Value
  ) async throws(StoryFailure) -> Value {
    guard let device = device(phone), device.isConnected else { throw .notConnected }
    do throws(CentralFailure) {
      return try await body(manager, device.path)
    } catch {
      throw StoryFailure(error)
    }
  }
}

extension FoundAttribute.ID {
  fileprivate var path: ObjectPath {
    get throws(StoryFailure) {
      guard let path = ObjectPath(rawValue) else { throw .notConnected }
      return path
    }
  }
}
