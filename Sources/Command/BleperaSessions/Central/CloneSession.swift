import BleperaBlueZ
import BleperaBluetooth
package import BleperaDBus
import BleperaEventLoop
import BleperaLoop
import BleperaRadio

/// One run of `blepera clone`: discovers a device, connects, reads its values and disconnects.
package actor CloneSession {
  package enum Failure: Error {
    case interrupted
    /// A whole sentence.
    case reason(String)
  }

  /// The time that the radio has to become available.
  private static let radioTimeout = Duration.seconds(2)

  /// The number of connections to a device whose services are not discovered.
  private static let connectionLimit = 3

  private nonisolated let loop = EventLoop(name: "blepera clone")
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  private let address: String
  private let adapter: String?
  private let limit: Duration
  private let listening: Duration
  private let note: @Sendable (String) -> Void
  private let endProcess: ProcessEnder
  private var device: FoundDevice?
  private var isUsable = false
  private var isReading = false
  private var isCancelled = false
  /// The first attribute that could not be read since the last successful read.
  private var unread: ObjectPath?
  /// The attribute whose reading has ended a connection, for example because another program's agent refused to pair.
  private var lostAt: ObjectPath?
  private var deadline: EventSource?
  /// The end of the scan.
  private let outcome = SessionEnd<Outcome>()

  private enum Outcome: Sendable {
    case discovered
    case interrupted
    case notDiscovered
    /// The radio is not available; the machine is examined for the reason.
    case noRadio(String)
  }

  /// - Parameters:
  ///   - address: `00:11:22:33:44:55`, in upper case.
  ///   - limit: the longest scan for the device.
  ///   - listening: the time that the scan continues after the discovery, since a device may alternate advertisements.
  ///   - note: receives a line for each step.
  package init(
    address: String, adapter: String?, limit: Duration, listening: Duration = .seconds(3),
    endProcess: @escaping ProcessEnder, note: @escaping @Sendable (String) -> Void
  ) {
    self.listening = listening
    self.address = address
    self.adapter = adapter
    self.limit = limit
    self.note = note
    self.endProcess = endProcess
  }

  package func run(on bus: BusAddress = .system) async throws(Failure) -> ClonedDevice {
    let signals = loop.watchTermination { [weak self] _ in self?.assumeIsolated { $0.interrupt() } }
    defer { withExtendedLifetime(signals) {} }
    let manager: CentralManager
    do throws(DBusFailure) {
      let connection = try await DBusConnection.open(bus, on: loop)
      manager = CentralManager(connection: connection, adapter: adapter) { [weak self] event in
        self?.assumeIsolated { $0.handle(event) }
      }
      self.manager = manager
      wait(Self.radioTimeout) { this in
        if !this.isUsable { this.outcome.finish(.noRadio("the radio is not available")) }
      }
      try await manager.start()
    } catch {
      throw .reason(await explain("\(error)", bus))
    }
    let result: Result<ClonedDevice, Failure>
    do throws(Failure) {
      result = .success(try await clone(manager, bus))
    } catch { result = .failure(error) }
    deadline = nil
    // bluetoothd would keep the device and list all of its services as advertised.
    if let device { await manager.forget(device.path) }
    await manager.close()
    return try result.get()
  }

  private var manager: CentralManager?

  private func explain(_ reason: String, _ bus: BusAddress) async -> String {
    var radio = BlueZRadio.Options()
    radio.adapter = adapter
    return await RadioDoctor.explain(reason, radio, bus: bus, on: loop)
  }

  private func clone(_ manager: CentralManager, _ bus: BusAddress) async throws(Failure) -> ClonedDevice {
    let outcome = await outcome.wait()
    deadline = nil
    switch outcome {
    case .interrupted: throw .interrupted
    case .noRadio(let reason): throw .reason(await explain(reason, bus))
    case .notDiscovered, .discovered: break
    }
    guard let device else {
      throw .reason(
        "\(address) was not discovered within \(Int(limit / .seconds(1))) s; 'blepera scan' lists the devices in range")
    }
    isReading = true
    let wasConnected = device.isConnected
    note(wasConnected ? "\(address) is already connected." : "Discovered \(address), connecting ...")
    let services: [ClonedDevice.Service]
    do throws(CentralFailure) {
      services = try await readServices(of: device.path, wasConnected: wasConnected, manager)
      if !wasConnected { try await manager.disconnect(from: device.path) }
    } catch {
      throw isCancelled ? .interrupted : .reason("\(address) cannot be read: \(error)")
    }
    if services.isEmpty {
      throw .reason("bluetoothd has discovered no services of \(address); there is nothing to clone")
    }
    if !device.isPaired, let paired = await manager.device(at: device.path), paired.isPaired {
      note("The device is now paired with this machine; undo with 'bluetoothctl remove \(paired.address)'.")
    }
    return ClonedDevice(
      address: address, advertised: device.advertised, wasCached: !device.isForgettable, services: services)
  }

  /// Connects and reads. Connects again if the connection is lost, and if there are no services: bluetoothd sets
  /// `ServicesResolved` after a failed discovery too (`gatt_client_ready_cb` in BlueZ's src/device.c).
  private func readServices(
    of device: ObjectPath, wasConnected: Bool, _ manager: CentralManager
  ) async throws(CentralFailure) -> [ClonedDevice.Service] {
    var connections = 1
    while true {
      let isLast = wasConnected || connections == Self.connectionLimit
      do throws(CentralFailure) {
        try await manager.connect(to: device)
        let found = await manager.services(of: device)
        if !found.isEmpty || isLast {
          let services = try await read(found, manager)
          // An interrupted read fails with the same error as a refused one.
          guard !isCancelled, await manager.device(at: device)?.isConnected == true else {
            throw CentralFailure.notConnected
          }
          return services
        }
        note("bluetoothd has discovered no services, connecting again ...")
        try await manager.disconnect(from: device)
      } catch {
        guard error == .notConnected, !isLast, !isCancelled else { throw error }
        note("The connection was lost, connecting again ...")
        lostAt = unread
      }
      connections += 1
    }
  }

  private func handle(_ event: CentralManagerEvent) {
    switch event {
    case .radio(.poweredOn):
      guard !isUsable else { return }
      isUsable = true
      let known = manager?.assumeIsolated { manager -> FoundDevice? in
        let known = manager.device(address)
        guard known?.isConnected != true else { return known }
        manager.removeUnpairedDevices()
        manager.scan(ScanFilter(repeats: true))
        return nil
      }
      if let known {
        device = known
        return outcome.finish(.discovered)
      }
      note("Scanning for \(address) ...")
      wait(limit) { $0.outcome.finish(.notDiscovered) }
    case .appeared(let found), .advertised(let found):
      guard found.address == address, !isReading else { return }
      if device == nil { wait(listening) { $0.outcome.finish(.discovered) } }
      device = found
    case .busLost: outcome.finish(.noRadio("the message bus has closed the connection"))
    case .radio, .scanning, .scanningFailed, .vanished, .connected, .disconnected, .servicesChanged, .value: break
    }
  }

  private func wait(_ duration: Duration, _ body: @escaping @Sendable (isolated CloneSession) -> Void) {
    deadline = loop.schedule(after: duration) { [weak self] in self?.assumeIsolated { body($0) } }
  }

  /// Disconnects, which ends requests in progress; a second time ends the process at once.
  private func interrupt() {
    guard outcome.reason != nil else { return outcome.finish(.interrupted) }
    guard !isCancelled, let manager, let device, !device.isConnected else { endProcess(.status(130)) }
    isCancelled = true
    Task { try? await manager.disconnect(from: device.path) }
  }

  // MARK: Reading

  private func read(
    _ found: [FoundService], _ manager: CentralManager
  ) async throws(CentralFailure) -> [ClonedDevice.Service] {
    note("Connected, reading ...")
    var uuids: [ObjectPath: BluetoothUUID] = [:]
    for service in found { uuids[service.path] = service.uuid }
    var services: [ClonedDevice.Service] = []
    for service in found {
      var characteristics: [ClonedDevice.Characteristic] = []
      // iOS publishes these services itself.
      let isOwn = !ServiceDefinition.ownedBySystem.contains(service.uuid)
      for characteristic in service.characteristics where isOwn {
        characteristics.append(try await read(characteristic, manager))
      }
      services.append(
        ClonedDevice.Service(
          uuid: service.uuid, isPrimary: service.isPrimary,
          includedServices: service.includedServices.compactMap { uuids[$0] }, characteristics: characteristics))
    }
    return services
  }

  private func read(
    _ found: FoundCharacteristic, _ manager: CentralManager
  ) async throws(CentralFailure) -> ClonedDevice.Characteristic {
    var value = ClonedDevice.Reading.none
    let wasPaired = await isPaired(manager)
    if found.properties.contains(.read) {
      if found.path == lostAt, !wasPaired, let device {
        note("Pairing ...")
        try await manager.pairWithoutAsking(device.path)
        // If the connection ended meanwhile, bluetoothd has made another one for the pairing.
        try await manager.connect(to: device.path)
      }
      value = try await read(found.path, manager)
    }
    let isPaired = await isPaired(manager)
    var descriptors: [ClonedDevice.Descriptor] = []
    for descriptor in found.descriptors {
      descriptors.append(
        ClonedDevice.Descriptor(
          uuid: descriptor.uuid, value: try await read(descriptor.path, manager, isDescriptor: true)))
    }
    return ClonedDevice.Characteristic(
      uuid: found.uuid, properties: found.properties, value: value,
      readsEncrypted: Self.readsEncrypted(value, wasPaired, isPaired), descriptors: descriptors)
  }

  private static func readsEncrypted(_ value: ClonedDevice.Reading, _ wasPaired: Bool, _ isPaired: Bool) -> Bool? {
    switch value {
    case .encrypted: true
    case .value where wasPaired: nil
    case .value, .refused, .none: isPaired && !wasPaired
    }
  }

  private func isPaired(_ manager: CentralManager) async -> Bool {
    guard let device else { return false }
    return await manager.device(at: device.path)?.isPaired == true
  }

  /// Reads a value. Errors that leave the connection intact are part of the result, and also Unlikely Error, with which
  /// a pending request may fail when the connection ends.
  private func read(
    _ path: ObjectPath, _ manager: CentralManager, isDescriptor: Bool = false
  ) async throws(CentralFailure) -> ClonedDevice.Reading {
    do throws(CentralFailure) {
      let value = try await manager.read(path, descriptor: isDescriptor)
      unread = nil
      return .value(value)
    } catch {
      if error == .att(.unlikelyError) || error == .notConnected { unread = unread ?? path }
      switch error {
      case .notPaired: return .encrypted
      case .att, .refused: return .refused("\(error)")
      case .noRadio, .notConnected, .timedOut, .bus: throw error
      }
    }
  }
}
