import BleperaBlueZ
import BleperaBluetooth
import BleperaDBus
import BleperaEventLoop
import BleperaLoop
import BleperaRadio
import BleperaRules
import BleperaSimulation

/// A central on an adapter of bluetoothd.
///
/// bluetoothd merges advertisements into the known data of a device, and reports changes only: so each device is
/// removed after it has been reported, and the scan is restarted periodically. bluetoothd reports an advertisement and
/// its scan response one after the other.
actor BlueZCentral: CentralRadio {
  /// How often a scan is restarted: controllers ignore advertisements that they have reported before.
  private static let scanLength = Duration.seconds(2)
  /// How long a scan response may take to follow its advertisement.
  private static let responseTime = Duration.milliseconds(50)
  /// The limit for establishing a link: sometimes the kernel does not establish a link, and reports the failure only
  /// after half a minute.
  private static let attemptLength = Duration.seconds(6)
  /// How long to wait before the next connection attempt.
  private static let pause = Duration.milliseconds(200)

  private nonisolated let connection: DBusConnection
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe connection.unownedExecutor }

  private let report: @Sendable (CentralEvent) -> Void
  private let adapter: String
  private lazy var manager = CentralManager(connection: connection, adapter: adapter) { [weak self] event in
    self?.assumeIsolated { $0.receive(event) }
  }
  private var isScanning = false
  private var isDiscovering = false
  /// Contains an element once the adapter is on.
  private let poweredOn = Inbox<Bool>()
  /// Pauses scanning: starting a scan makes the kernel give up the connection attempt.
  private var isConnecting = false
  private var attempts: [String: Task<Void, Never>] = [:]
  private var renewal: EventSource?
  private var responseTimers: [String: EventSource] = [:]

  init(connection: DBusConnection, adapter: String, report: @escaping @Sendable (CentralEvent) -> Void) {
    self.connection = connection
    self.adapter = adapter
    self.report = report
  }

  /// Starts following bluetoothd; returns when the adapter is on.
  func start() async throws {
    try await manager.start()
    await poweredOn.wait()
    await forgetAll()
  }

  /// Ends the connections, and removes the devices of the story from bluetoothd.
  func close() async {
    for attempt in attempts.values { attempt.cancel() }
    attempts = [:]
    isScanning = false
    updateScan()
    await forgetAll()
    await manager.close()
  }

  private func forgetAll() async {
    for device in await manager.devices {
      if device.isConnected { try? await manager.disconnect(from: device.path) }
      await manager.forget(device.path, evenPaired: true)
    }
  }

  // MARK: Scanning

  func scan(_ isOn: Bool) {
    isScanning = isOn
    updateScan()
  }

  private func updateScan() {
    let isWanted = !isConnecting && (isScanning || !attempts.isEmpty)
    guard isWanted != isDiscovering else { return }
    isDiscovering = isWanted
    manager.assumeIsolated { manager in
      if isWanted { manager.removeUnpairedDevices() }
      manager.scan(isWanted ? ScanFilter(repeats: true) : nil)
    }
    renewal =
      isWanted
      ? connection.loop.schedule(after: Self.scanLength) { [weak self] in
        self?.assumeIsolated { this in
          guard this.isDiscovering else { return }
          this.isDiscovering = false
          this.manager.assumeIsolated { $0.scan(nil) }
          this.updateScan()
        }
      } : nil
  }

  private func receive(_ event: CentralManagerEvent) {
    switch event {
    case .radio(.poweredOn): poweredOn.append(true)
    case .appeared(let device): waitForResponse(device)
    case .connected(let device): report(.connected(device.address))
    case .disconnected(let device): report(.disconnected(device.address))
    case .value(let characteristic, let value):
      guard let address = characteristic.parent?.parent?.deviceAddress else { return }
      report(.value(address, characteristic.rawValue, value))
    case .radio, .advertised, .scanning, .scanningFailed, .vanished, .servicesChanged, .busLost: break
    }
  }

  private func waitForResponse(_ device: FoundDevice) {
    responseTimers[device.address] = connection.loop.schedule(after: Self.responseTime) { [weak self] in
      self?.assumeIsolated { $0.reportDiscovery(of: device.address) }
    }
  }

  private func reportDiscovery(of phone: String) {
    responseTimers[phone] = nil
    guard isDiscovering, let device = device(phone), !device.isConnected else { return }
    if isScanning {
      var advertised = device.advertised
      if advertised.isNameDoubtful { advertised.name = nil }
      report(.discovered(phone, ReceivedAdvertisement(advertised.packet, rssi: device.rssi)))
    }
    if attempts[phone] == nil { manager.assumeIsolated { _ = $0.forget(device.path) } }
  }

  // MARK: Connecting

  func connect(to phone: String) {
    guard attempts[phone] == nil, !isConnected(to: phone) else { return }
    attempts[phone] = Task(executorPreference: connection.loop.tasks) { [weak self] in
      while !Task.isCancelled {
        guard let self, await !self.attempt(phone) else { return }
        do { try await self.connection.loop.sleep(for: Self.pause) } catch { return }
      }
    }
    updateScan()
  }

  /// - Returns: Whether the phone is connected now.
  private func attempt(_ phone: String) async -> Bool {
    guard !isConnecting, let device = await manager.device(phone) else { return false }
    isConnecting = true
    updateScan()
    defer {
      isConnecting = false
      updateScan()
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

  /// Ends an attempt without a link, so that the next attempt can begin.
  private func giveUp(_ phone: String) {
    guard let device = device(phone), !device.isConnected else { return }
    Task(executorPreference: connection.loop.tasks) { [manager] in try? await manager.disconnect(from: device.path) }
  }

  func disconnect(from phone: String) async {
    attempts.removeValue(forKey: phone)?.cancel()
    updateScan()
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

  func characteristics(of phone: String) -> [DiscoveredCharacteristic] {
    guard let device = device(phone), device.isResolved else { return [] }
    return manager.assumeIsolated { $0.services(of: device.path) }.flatMap { service in
      service.characteristics.map { characteristic in
        DiscoveredCharacteristic(
          id: characteristic.path.rawValue, uuid: characteristic.uuid, properties: characteristic.properties)
      }
    }
  }

  func read(_ characteristic: DiscoveredCharacteristic, of phone: String) async throws(StoryFailure) -> [UInt8] {
    let path = try characteristic.path
    return try await use(phone) { manager, _ throws(CentralFailure) in try await manager.read(path) }
  }

  func write(
    _ value: [UInt8], to characteristic: DiscoveredCharacteristic, of phone: String, withResponse: Bool
  ) async throws(StoryFailure) {
    let path = try characteristic.path
    try await use(phone) { manager, _ throws(CentralFailure) in
      try await manager.write(value, to: path, withResponse ? .request : .command)
    }
  }

  func write(
    _ values: [(characteristic: DiscoveredCharacteristic, value: [UInt8])], of phone: String
  ) async throws(StoryFailure) {
    throw .radio("bluetoothd executes prepared writes of one characteristic only; write several on the virtual radio")
  }

  func setNotifying(_ isOn: Bool, _ characteristic: DiscoveredCharacteristic, of phone: String)
    async throws(StoryFailure)
  {
    let path = try characteristic.path
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

extension DiscoveredCharacteristic {
  fileprivate var path: ObjectPath {
    get throws(StoryFailure) {
      guard let path = ObjectPath(id) else { throw .notConnected }
      return path
    }
  }
}

extension StoryFailure {
  fileprivate init(_ failure: CentralFailure) {
    switch failure {
    case .att(let error): self = .refused(error)
    case .notConnected: self = .notConnected
    case .notPaired: self = .notPaired
    case .timedOut(let limit): self = .timedOut(limit)
    case .noRadio, .refused, .bus: self = .radio("\(failure)")
    }
  }
}
