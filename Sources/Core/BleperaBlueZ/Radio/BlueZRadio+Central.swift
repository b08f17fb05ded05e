import BleperaBlueZProtocol
package import BleperaBluetooth
import BleperaDBus
import BleperaEventLoop
import BleperaLoop
import BleperaRadio

/// The central role over bluetoothd, which discovers all services of a peripheral by itself, has a limit for each
/// connection attempt, and keeps subscriptions: none of it is an iPhone's (the page *The central role on BlueZ*).
extension BlueZRadio {
  package nonisolated var hasCentralRole: Bool { true }

  /// bluetoothd gives up after 40 s (BlueZ and Linux, see L2CAP_CONN_TIMEOUT).
  private static let attemptLimit = Duration.seconds(60)
  private static let attemptPause = Duration.milliseconds(500)
  private static let changesPause = Duration.milliseconds(50)

  private func startManager() -> CentralManager {
    let manager = CentralManager(
      connection: connection, adapter: daemon.radio?.adapter, report: callback { this, event in this.observe(event) })
    role.manager = manager
    // Where the bus is lost, the radio itself reports that.
    Task { try? await manager.start() }
    return manager
  }

  package func scan(_ scan: ScanWindow?) {
    role.scan(scan != nil)
    settleScan()
  }

  package func connect(to peripherals: Set<PeripheralID>, listening scan: ScanWindow) {
    for path in role.wait(for: peripherals).compactMap({ device(of: $0)?.path }) { endAttempt(path) }
    attempt()
  }

  package func disconnect(from peripheral: PeripheralID) {
    guard let path = role.device(of: peripheral) else { return }
    role.endLink(path)
    // A connection that the other side has made stays.
    guard !devices.connected.contains(path), let manager = role.manager else {
      Task { unlinked(path, .byPhone) }
      return
    }
    Task {
      let isEnded = (try? await manager.ask(at: path, BlueZName.device, "Disconnect")) != nil
      // Where bluetoothd refuses, the connection belongs to no app; the next app that asks for it gets it.
      if !isEnded, role.isEnding(path) { unlinked(path, .byPhone) }
    }
  }

  func isOutgoing(_ device: ObjectPath) -> Bool {
    role.isOutgoing(device, isCentral: devices.connected.contains(device))
  }

  // MARK: Scanning

  /// A peripheral without an object at bluetoothd has to be discovered before it can be connected.
  private func settleScan() {
    let isNeeded = role.isScanning || role.waiting.contains { device(of: $0) == nil }
    guard isNeeded || role.manager != nil else { return }
    let manager = role.manager ?? startManager()
    manager.assumeIsolated { $0.scan(isNeeded ? ScanFilter(repeats: true) : nil) }
  }

  private func device(of peripheral: PeripheralID) -> FoundDevice? {
    role.manager?.assumeIsolated { $0.device(peripheral.rawValue) }
  }

  private func observe(_ event: CentralManagerEvent) {
    switch event {
    case .radio: attempt()
    case .appeared(let device), .advertised(let device):
      guard !device.isConnected else { return updatePeripheral(device) }
      if role.isScanning, let rssi = device.rssi {
        let received = ReceivedAdvertisement(device.advertised.packet, rssi: rssi)
        report(.received(device.peripheral, received))
      }
      attempt(device)
    case .vanished: settleScan()
    case .connected(let device): linked(device)
    case .disconnected(let device): unlinked(device.path, DisconnectionCause(reason: device.disconnectionReason))
    case .value(let characteristic, let value): received(value, of: characteristic)
    case .servicesChanged(let device): servicesChanged(device)
    case .scanning, .scanningFailed, .busLost: break
    }
  }

  // MARK: Connecting

  private func attempt() {
    guard daemon.radio?.isOn == true else { return }
    for peripheral in role.waiting.sorted() {
      if let device = device(of: peripheral) { attempt(device) }
    }
    settleScan()
  }

  private func attempt(_ device: FoundDevice) {
    guard role.isWanted(device), daemon.radio?.isOn == true, let manager = role.manager else { return }
    guard !device.isConnected else { return linked(device) }
    guard let number = role.beginAttempt(device) else { return }
    Task {
      if !device.isTrusted { try? await manager.setTrusted(device.path, true) }
      guard role.isConnecting(device.path, attempt: number) else { return }
      _ = try? await manager.ask(at: device.path, BlueZName.device, "Connect", timeout: Self.attemptLimit)
      guard role.isConnecting(device.path, attempt: number) else { return }
      role.pauseAttempt(device.path)
      // bluetoothd may reply before it reports that the device is connected.
      schedule(.attempt(device.path), after: Self.attemptPause) { this in
        _ = this.role.endAttempt(device.path)
        this.attempt()
      }
    }
  }

  /// Ends an attempt to connect; bluetoothd answers the attempt with an error.
  private func endAttempt(_ path: ObjectPath) {
    guard role.endAttempt(path) else { return }
    cancel(.attempt(path))
    start(.toDaemon(at: path, BlueZName.device, "Disconnect"))
  }

  private func linked(_ device: FoundDevice) {
    guard let manager = role.manager, let peripheral = role.link(device) else { return }
    cancel(.attempt(device.path))
    updateDefaultAgent()
    report(.peripheralConnected(peripheral))
    settleScan()
    Task {
      while role.isLinked(device.path), role.services(of: device.path) == nil {
        do throws(CentralFailure) {
          try await manager.waitForServices(of: device.path)
          return resolved(device.path)
        } catch { try? await loop.sleep(for: Self.attemptPause) }
      }
    }
  }

  private func resolved(_ path: ObjectPath) {
    let operations = role.setServices(of: path, readServices(of: path))
    updatePeripheral(at: path)
    for operation in operations { start(operation, at: path) }
  }

  private func readServices(of path: ObjectPath) -> [FoundService] {
    role.manager?.assumeIsolated { $0.services(of: path) } ?? []
  }

  private func updatePeripheral(_ device: FoundDevice) {
    if let event = role.update(device) { report(event) }
  }

  func updatePeripheral(at path: ObjectPath) {
    if let device = role.manager?.assumeIsolated({ $0.device(at: path) }) { updatePeripheral(device) }
  }

  private func unlinked(_ path: ObjectPath, _ cause: DisconnectionCause) {
    guard let (event, notifying) = role.unlink(path, cause) else { return }
    cancel(.services(path))
    for characteristic in notifying {
      start(.toDaemon(at: characteristic, BlueZName.gattCharacteristic, "StopNotify"))
    }
    updateDefaultAgent()
    report(event)
    attempt()
  }

  /// Reads the services again after a pause, because several services change at a time.
  private func servicesChanged(_ path: ObjectPath) {
    guard role.services(of: path) != nil, !isScheduled(.services(path)) else { return }
    schedule(.services(path), after: Self.changesPause) { this in
      guard let peripheral = this.role.peripheral(at: path), let former = this.role.services(of: path) else { return }
      let services = this.readServices(of: path)
      _ = this.role.setServices(of: path, services)
      let changes = Set(Set(former).symmetricDifference(services).compactMap(\.remote?.range))
      guard !changes.isEmpty else { return }
      this.report(.servicesChanged(peripheral.id, changes.sorted { $0.lowerBound < $1.lowerBound }))
    }
  }

  // MARK: The end

  /// Ends all connections because Bluetooth is off or bluetoothd or its bus has ended; the phone connects again later.
  func forgetCentralRole(isBusLost: Bool) {
    let links = role.linked
    for path in role.attempted { endAttempt(path) }
    role.scan(false)
    _ = role.wait(for: [])
    for path in links { unlinked(path, .byPhone) }
    settleScan()
    if isBusLost { role = BlueZCentralRole() }
  }

  /// Ends the role's connections, and removes the devices that bluetoothd keeps because they were made trusted.
  func shutDownCentralRole() async {
    guard let manager = role.manager else { return }
    let links = role.linked.filter { !devices.connected.contains($0) }
    forgetCentralRole(isBusLost: false)
    for path in role.trusted.sorted() {
      try? await manager.setTrusted(path, false)
      await manager.forget(path)
    }
    // bluetoothd takes 2 s, and replies then.
    for path in links { start(.toDaemon(at: path, BlueZName.device, "Disconnect")) }
    _ = try? await connection.call(.toBus("GetId"))
  }
}

extension DisconnectionCause {
  /// - Parameter reason: nil where bluetoothd does not say it.
  fileprivate init(reason: String?) {
    self =
      switch reason {
      case "org.bluez.Reason.Timeout": .timeout
      case "org.bluez.Reason.Local", "org.bluez.Reason.Suspend": .byPhone
      case "org.bluez.Reason.Authentication": .keyMissing
      default: .byPeripheral
      }
  }
}
