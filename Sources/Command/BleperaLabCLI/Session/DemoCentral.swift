import BleperaAir
import BleperaBluetooth
import BleperaEventLoop
import BleperaHost
import BleperaLoop
import BleperaProfile
import BleperaSessions

/// The central of `serve --virtual`: scans, connects, and reports what it observes.
///
/// The central connects to the first discovered peripheral with an app, and again some time after the advertisement has
/// changed, when an app in the background is suspended. Over a connection, the central reads the readable values,
/// subscribes to the others, writes values that show the profiles' echoes and responses, and disconnects after a few
/// notifications.
actor DemoCentral {
  /// The time from a change of the advertisement to the next connection, longer than an app's background time (R5).
  private static let reconnectDelay = Duration.seconds(12)
  /// The number of notifications after which the central disconnects.
  private static let firstValues = 5
  private static let laterValues = 2
  /// The time that the central waits for these notifications, and for a connection.
  private static let timeout = Duration.seconds(6)
  /// The time between two writes, long enough for the notifications that follow a write.
  private static let pause = Duration.milliseconds(400)

  /// scanning -> connected; connected -> scanning.
  private enum Phase {
    /// Whether the central connects to the next peripheral that it discovers.
    case scanning(connectsNext: Bool)
    case connected(Connection)
  }

  /// A connection, from the attempt to its end.
  private final class Connection {
    let address: DeviceAddress
    /// The subscriptions, by the handle of the value.
    var subscribed: [AttributeHandle: (RemoteService, RemoteCharacteristic)] = [:]
    /// The number of notifications still awaited.
    var valuesWanted = 0
    var wait: (awaited: Awaited, end: SessionEnd<Void>)?

    init(_ address: DeviceAddress) { self.address = address }
  }

  /// An event that the central waits for, at most until the connection ends.
  private enum Awaited {
    case services
    /// The wanted number of notifications has arrived.
    case values
    case disconnection
  }

  private nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  private let systemServices: Set<BluetoothUUID>
  private let sampleWrites: [SampleWrite]
  private let observe: @Sendable (DemoCentralEvent) -> Void
  private var central: VirtualCentral?
  private var tracker = AdvertisementTracker()
  private let start = SuspendingClock.now
  private var silence: EventSource?
  private var reconnectTimer: EventSource?
  private var phase = Phase.scanning(connectsNext: true)
  private var hasDiscovered = false
  private var hasEnded = false
  private var services: [RemoteService] = []
  /// Whether the user has asked for a write to every characteristic.
  private var writesAll = false

  /// - Parameters:
  ///   - systemServices: the services that the central neither reads nor subscribes to.
  ///   - sampleWrites: the values that the central writes during each connection.
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

  /// Scans on the air from now on.
  func start(on air: SharedAir, adapter: AdapterID) async {
    let central = VirtualCentral(air: air, adapter: adapter) { [weak self] event in
      self?.assumeIsolated { $0.handle(event) }
    }
    self.central = central
    await central.start()
    await central.scan(ScanWindow())
    report(DemoCentralEvent(.scanning))
  }

  /// Connects to the next peripheral that is discovered; false while nothing is on the air.
  func connectNow() -> Bool {
    guard connection == nil else { return true }
    guard !tracker.isEmpty else { return false }
    phase = .scanning(connectsNext: true)
    return true
  }

  /// Writes during the present connection, or during the next one, which is made as soon as possible; false while
  /// nothing is on the air.
  func writeNow() -> Bool {
    guard connectNow() else { return false }
    writesAll = true
    if connection?.subscribed.isEmpty == false { endWait(for: .values) }
    return true
  }

  func close() async {
    hasEnded = true
    silence = nil
    reconnectTimer = nil
    await central?.scan(nil)
  }

  private func report(_ event: DemoCentralEvent) {
    if !hasEnded { observe(event) }
  }

  private var now: Duration { start.duration(to: .now) }

  private var connection: Connection? { if case .connected(let connection) = phase { connection } else { nil } }

  private var connectsNext: Bool { if case .scanning(let connectsNext) = phase { connectsNext } else { false } }

  // MARK: Scanning

  private func handle(_ event: VirtualCentral.Event) {
    switch event {
    case .received(let advertisement): receive(advertisement)
    case .services(let address): if address == connection?.address { endWait(for: .services) }
    case .disconnected(let address):
      if let connection, address == connection.address, let wait = connection.wait { endWait(for: wait.awaited) }
    case .value(_, let handle, let value): receive(value, of: handle)
    case .connected: break
    }
  }

  private func receive(_ advertisement: AdvertisementReport) {
    let content = AdvertisedContent(advertisement.structures)
    // A phone without an app is ignored: the central waits for an app's advertisement.
    guard connection == nil, !hasEnded, !content.isPhoneWithoutApp else { return }
    for finding in tracker.receive(content, of: "\(advertisement.address)", at: now) {
      switch finding {
      case .discovered:
        var record = DemoCentralEvent(discovered: advertisement, content, known: services.map(\.uuid))
        if !hasDiscovered { record.seconds = ProcessAge.seconds }
        report(record)
        if hasDiscovered { scheduleConnection() }
        hasDiscovered = true
      case .intervalMeasured(let interval):
        var record = DemoCentralEvent(.intervalMeasured, advertisement.address)
        record.interval = interval / .milliseconds(1)
        report(record)
      }
    }
    if connectsNext {
      phase = .connected(Connection(advertisement.address))
      Task { await connect() }
    }
    awaitSilence()
  }

  private func scheduleConnection() {
    guard !connectsNext else { return }
    var record = DemoCentralEvent(.waiting)
    record.seconds = Self.reconnectDelay / .seconds(1)
    report(record)
    reconnectTimer = loop.schedule(after: Self.reconnectDelay) { [weak self] in
      self?.assumeIsolated { if $0.connection == nil { $0.phase = .scanning(connectsNext: true) } }
    }
  }

  private func awaitSilence() {
    silence = tracker.deadline.map { deadline in
      loop.schedule(after: max(.zero, deadline - now)) { [weak self] in
        self?.assumeIsolated { this in
          guard this.connection == nil else { return }
          for address in this.tracker.check(at: this.now) {
            var record = DemoCentralEvent(.lost)
            record.peripheral = address
            this.report(record)
            this.reconnectTimer = nil
          }
          this.awaitSilence()
        }
      }
    }
  }

  // MARK: Connecting

  private func connect() async {
    guard let central, let connection else { return }
    let address = connection.address
    reconnectTimer = nil
    report(DemoCentralEvent(.connecting, address))
    do throws(ProcedureFailure) {
      try await use(connection, central)
    } catch {
      var record = DemoCentralEvent(.failed, address)
      record.reason = "\(error)"
      report(record)
    }
    await central.disconnect(from: address)
    while await central.isConnected(to: address) { await wait(for: .disconnection, connection) }
    phase = .scanning(connectsNext: false)
    tracker.resume(at: now)
    awaitSilence()
  }

  private func use(_ connection: Connection, _ central: VirtualCentral) async throws(ProcedureFailure) {
    let address = connection.address
    await central.connect(to: address)
    await wait(for: .services, connection)
    guard await central.isConnected(to: address) else { throw .notConnected }
    // Generic Access is omitted, as Core Bluetooth and bluetoothd omit it.
    let found = await central.services(of: address).filter { $0.uuid != AttributeTypes.genericAccess }
    let isNew = found != services
    services = found
    if isNew { list(found) }
    let ofApps = found.filter { !systemServices.contains($0.uuid) }
    for service in ofApps {
      for characteristic in service.characteristics where characteristic.known.contains(.read) {
        try await perform(
          .read(characteristic.value), DemoCentralEvent(.read, service, characteristic), address)
      }
    }
    connection.valuesWanted = isNew ? Self.firstValues : Self.laterValues
    for service in ofApps {
      for characteristic in service.characteristics where !characteristic.known.isDisjoint(with: .subscribable) {
        try await subscribe(to: characteristic, of: service, connection)
      }
    }
    try await write(to: ofApps, address)
    await waitForValues(connection)
    if writesAll {
      try await write(to: ofApps, address)
      connection.valuesWanted = Self.laterValues
      await waitForValues(connection)
    }
    for (handle, (service, characteristic)) in connection.subscribed.sorted(by: { $0.key < $1.key }) {
      report(DemoCentralEvent(.unsubscribing, service, characteristic))
      connection.subscribed[handle] = nil
      if let descriptor = characteristic.clientConfiguration {
        _ = try await central.perform(.write(descriptor, [0, 0]), at: address)
      }
    }
    report(DemoCentralEvent(.disconnecting, address))
  }

  /// Reports the services, and the characteristics of apps' services.
  private func list(_ services: [RemoteService]) {
    for service in services {
      report(DemoCentralEvent(.found, service))
      for characteristic in service.characteristics where !systemServices.contains(service.uuid) {
        var record = DemoCentralEvent(.found, service, characteristic)
        record.properties = characteristic.known.memberNames
        report(record)
      }
    }
  }

  /// Reports the operation with the value that was read, or with a refusal, which leaves the connection intact.
  private func perform(
    _ operation: GATTProcedure, _ record: DemoCentralEvent, _ address: DeviceAddress
  ) async throws(ProcedureFailure) {
    var record = record
    do throws(ProcedureFailure) {
      guard let value = try await central?.perform(operation, at: address) else { return }
      if record.event == .read { record.value = Hex.string(value) }
    } catch {
      guard !error.endsConnection else { throw error }
      record.reason = "\(error)"
    }
    report(record)
  }

  private func subscribe(
    to characteristic: RemoteCharacteristic, of service: RemoteService, _ connection: Connection
  ) async throws(ProcedureFailure) {
    guard let descriptor = characteristic.clientConfiguration else { return }
    var record = DemoCentralEvent(.subscribing, service, characteristic)
    report(record)
    // Notifications may arrive before the response.
    connection.subscribed[characteristic.value] = (service, characteristic)
    let bits: UInt8 = characteristic.known.contains(.notify) ? 1 : 2
    do throws(ProcedureFailure) {
      _ = try await central?.perform(.write(descriptor, [bits, 0]), at: connection.address)
    } catch {
      connection.subscribed[characteristic.value] = nil
      guard !error.endsConnection else { throw error }
      record.event = .failed
      record.reason = "\(error)"
      report(record)
    }
  }

  /// Writes the values that show the profiles' echoes and responses, and at the user's request one value to each of the
  /// other characteristics.
  private func write(to services: [RemoteService], _ address: DeviceAddress) async throws(ProcedureFailure) {
    let isForAll = writesAll
    writesAll = false
    var hasWritten = false
    for service in services {
      for characteristic in service.characteristics where !characteristic.known.isDisjoint(with: .writable) {
        let samples = sampleWrites.filter {
          $0.service == service.uuid && $0.characteristic == characteristic.uuid
        }
        let values = samples.isEmpty && isForAll ? [SampleWrite.defaultValue] : samples.map(\.value)
        for value in values {
          hasWritten = true
          let operation: GATTProcedure =
            characteristic.known.contains(.write)
            ? .write(characteristic.value, value) : .command(characteristic.value, value)
          try await perform(operation, DemoCentralEvent(.written, service, characteristic, value: value), address)
          try? await loop.sleep(for: Self.pause)
        }
      }
    }
    guard isForAll, !hasWritten else { return }
    var failure = DemoCentralEvent(.failed, address)
    failure.reason = "no characteristic can be written"
    report(failure)
  }

  private func receive(_ value: [UInt8], of handle: AttributeHandle) {
    guard let connection, let (service, characteristic) = connection.subscribed[handle] else { return }
    report(DemoCentralEvent(.received, service, characteristic, value: value))
    connection.valuesWanted -= 1
    if connection.valuesWanted <= 0 { endWait(for: .values) }
  }

  private func waitForValues(_ connection: Connection) async {
    if connection.valuesWanted > 0, !connection.subscribed.isEmpty { await wait(for: .values, connection) }
  }

  private func wait(for awaited: Awaited, _ connection: Connection) async {
    let end = SessionEnd<Void>()
    connection.wait = (awaited, end)
    let limit = loop.schedule(after: Self.timeout) { [weak self] in
      self?.assumeIsolated { $0.endWait(for: awaited) }
    }
    await end.wait()
    limit.cancel()
  }

  private func endWait(for awaited: Awaited) {
    guard let wait = connection?.wait, wait.awaited == awaited else { return }
    connection?.wait = nil
    wait.end.finish(())
  }
}

extension RemoteCharacteristic {
  fileprivate var known: CharacteristicProperties { CharacteristicProperties(rawValue: UInt16(properties)) }
}

extension ProcedureFailure {
  /// Whether nothing else can be done over the connection.
  fileprivate var endsConnection: Bool { self == .notConnected || self == .disconnected }
}
