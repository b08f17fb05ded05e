import BleperaBlueZProtocol
package import BleperaBluetooth
import BleperaDBus
import BleperaEventLoop
import BleperaLoop
import BleperaRadio

/// What the central role does with bluetoothd.
struct BlueZCentralRole {
  /// Nil until the first scan or connection: bluetoothd's advertisements are not followed before.
  var manager: CentralManager?
  /// Whether advertisements are reported.
  var isScanning = false
  /// The peripherals that the phone waits for.
  var waiting: Set<PeripheralID> = []
  var attempts: [ObjectPath: BlueZAttempt] = [:]
  var lastAttempt = 0
  var links: [ObjectPath: BlueZLink] = [:]
  /// The devices that this radio has made trusted.
  var trusted: Set<ObjectPath> = []
}

/// A `Connect` under way, or the pause after it.
struct BlueZAttempt {
  let number: Int
  var retry: EventSource?
}

/// A connection that an app uses.
struct BlueZLink {
  var peripheral: RadioPeripheral
  /// Whether the phone has ended it: bluetoothd takes 2 s.
  var isEnding = false
  /// Nil until bluetoothd has discovered them.
  var services: [FoundService]?
  /// The operations that wait for the services.
  var waiting: [(PeripheralOperationID, PeripheralOperation)] = []
  /// The characteristics whose values are reported.
  var notifying: Set<ObjectPath> = []
  var changes: EventSource?
}

/// The central role over bluetoothd, which discovers all services of a peripheral by itself, has a limit for each
/// connection attempt, and keeps subscriptions: none of it is an iPhone's (the page *The central role on BlueZ*).
extension BlueZRadio {
  package nonisolated var hasCentralRole: Bool { true }

  /// bluetoothd gives up after 40 s (BlueZ and Linux, see L2CAP_CONN_TIMEOUT).
  private static let attemptLimit = Duration.seconds(60)
  private static let attemptPause = Duration.milliseconds(500)
  private static let changesPause = Duration.milliseconds(50)

  private var manager: CentralManager {
    if let manager = role.manager { return manager }
    let manager = CentralManager(
      connection: connection, adapter: daemon.radio?.adapter, report: callback { this, event in this.observe(event) })
    role.manager = manager
    // Where the bus is lost, the radio itself reports that.
    Task { try? await manager.start() }
    return manager
  }

  package func scan(_ scan: ScanWindow?) {
    role.isScanning = scan != nil
    settleScan()
  }

  package func connect(to peripherals: Set<PeripheralID>, listening scan: ScanWindow) {
    let given = role.waiting.subtracting(peripherals)
    role.waiting = peripherals
    for path in role.attempts.keys where given.contains(where: { device(of: $0)?.path == path }) { endAttempt(path) }
    attempt()
  }

  package func disconnect(from peripheral: PeripheralID) {
    guard let path = path(of: peripheral) else { return }
    role.links[path]?.isEnding = true
    // A connection that the other side has made stays.
    guard !devices.connected.contains(path), let manager = role.manager else {
      Task { unlinked(path, .byPhone) }
      return
    }
    Task {
      let isEnded = (try? await manager.ask(path, BlueZName.device, "Disconnect")) != nil
      // Where bluetoothd refuses, the connection is no app's all the same, and the next one to ask for it gets it.
      if !isEnded, role.links[path]?.isEnding == true { unlinked(path, .byPhone) }
    }
  }

  func path(of peripheral: PeripheralID) -> ObjectPath? {
    role.links.first { $0.value.peripheral.id == peripheral }?.key
  }

  /// Whether the connection to the device is one that this radio makes or has made.
  func isOutgoing(_ device: ObjectPath) -> Bool {
    role.attempts[device] != nil || role.links[device] != nil && !devices.connected.contains(device)
  }

  // MARK: Scanning

  /// A peripheral without an object at bluetoothd has to be discovered before it can be connected.
  private func settleScan() {
    let isNeeded = role.isScanning || role.waiting.contains { device(of: $0) == nil }
    guard isNeeded || role.manager != nil else { return }
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
        report(.received(PeripheralID(rawValue: device.address), received))
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
    guard role.waiting.contains(PeripheralID(rawValue: device.address)), role.links[device.path] == nil,
      daemon.radio?.isOn == true, let manager = role.manager
    else { return }
    guard !device.isConnected else { return linked(device) }
    guard role.attempts[device.path] == nil else { return }
    role.lastAttempt += 1
    let number = role.lastAttempt
    role.attempts[device.path] = BlueZAttempt(number: number)
    // bluetoothd forgets a device that is neither bonded nor trusted 30 s after each disconnection.
    if !device.isTrusted { role.trusted.insert(device.path) }
    Task {
      if !device.isTrusted { try? await manager.setTrusted(device.path, true) }
      guard role.attempts[device.path]?.number == number else { return }
      _ = try? await manager.ask(device.path, BlueZName.device, "Connect", timeout: Self.attemptLimit)
      guard role.attempts[device.path]?.number == number else { return }
      // bluetoothd may reply before it reports that the device is connected.
      role.attempts[device.path]?.retry = loop.schedule(
        after: Self.attemptPause,
        callback { this in
          this.role.attempts[device.path] = nil
          this.attempt()
        })
    }
  }

  /// bluetoothd ends the attempt with an error.
  private func endAttempt(_ path: ObjectPath) {
    guard role.attempts.removeValue(forKey: path) != nil else { return }
    start(.toDaemon(path, BlueZName.device, "Disconnect"))
  }

  private func linked(_ device: FoundDevice) {
    guard role.links[device.path] == nil else { return }
    let id = PeripheralID(rawValue: device.address)
    guard role.waiting.remove(id) != nil, let manager = role.manager else { return }
    let peripheral = RadioPeripheral(id: id, isBonded: device.hasBond, mtu: ATTMTU.range.lowerBound)
    role.links[device.path] = BlueZLink(peripheral: peripheral)
    role.attempts[device.path] = nil
    updateDefaultAgent()
    report(.peripheralConnected(peripheral))
    settleScan()
    Task {
      while let link = role.links[device.path], link.services == nil {
        do throws(CentralFailure) {
          try await manager.waitForServices(of: device.path)
          return resolved(device.path)
        } catch { try? await loop.sleep(for: Self.attemptPause) }
      }
    }
  }

  private func resolved(_ path: ObjectPath) {
    readServices(of: path)
    updatePeripheral(at: path)
    let operations = role.links[path]?.waiting ?? []
    role.links[path]?.waiting = []
    for (id, operation) in operations { start(operation, as: id, at: path) }
  }

  private func readServices(of path: ObjectPath) {
    let services = role.manager?.assumeIsolated { $0.services(of: path) }
    role.links[path]?.services = services
  }

  /// The name is that of the Device Name once the services are known.
  private func updatePeripheral(_ device: FoundDevice) {
    guard let link = role.links[device.path], let services = link.services else { return }
    let former = link.peripheral
    let mtu = services.lazy.flatMap(\.characteristics).compactMap(\.mtu).first
    let peripheral = RadioPeripheral(
      id: PeripheralID(rawValue: device.address), isBonded: device.hasBond, mtu: mtu ?? former.mtu,
      name: device.advertised.name ?? former.name)
    guard peripheral != former else { return }
    role.links[device.path]?.peripheral = peripheral
    let isMoved = peripheral.id != former.id || peripheral.isBonded != former.isBonded
    report(isMoved ? .peripheralBonded(former.id, peripheral) : .peripheralChanged(peripheral))
  }

  func updatePeripheral(at path: ObjectPath) {
    if let device = role.manager?.assumeIsolated({ $0.device(at: path) }) { updatePeripheral(device) }
  }

  private func unlinked(_ path: ObjectPath, _ cause: DisconnectionCause) {
    guard let link = role.links.removeValue(forKey: path) else { return }
    // bluetoothd would subscribe again at the next connection.
    for characteristic in link.notifying {
      start(.toDaemon(characteristic, BlueZName.gattCharacteristic, "StopNotify"))
    }
    updateDefaultAgent()
    report(.peripheralDisconnected(link.peripheral.id, link.isEnding ? .byPhone : cause))
    attempt()
  }

  /// Several services change at a time.
  private func servicesChanged(_ path: ObjectPath) {
    guard role.links[path]?.services != nil, role.links[path]?.changes == nil else { return }
    role.links[path]?.changes = loop.schedule(
      after: Self.changesPause,
      callback { this in
        guard let link = this.role.links[path], let former = link.services else { return }
        this.role.links[path]?.changes = nil
        this.readServices(of: path)
        let services = this.role.links[path]?.services ?? []
        let changes = Set(Set(former).symmetricDifference(services).compactMap(\.remote?.range))
        guard !changes.isEmpty else { return }
        this.report(.servicesChanged(link.peripheral.id, changes.sorted { $0.lowerBound < $1.lowerBound }))
      })
  }

  // MARK: The end

  /// Bluetooth is off, or bluetoothd or its bus has ended: the phone asks again.
  func forgetCentralRole(isBusLost: Bool) {
    let links = role.links.keys.sorted()
    for path in role.attempts.keys { endAttempt(path) }
    (role.isScanning, role.waiting) = (false, [])
    for path in links { unlinked(path, .byPhone) }
    settleScan()
    if isBusLost { role = BlueZCentralRole() }
  }

  /// Ends its connections, and removes what it has made bluetoothd keep.
  func shutDownCentralRole() async {
    guard let manager = role.manager else { return }
    let links = role.links.keys.filter { !devices.connected.contains($0) }
    forgetCentralRole(isBusLost: false)
    for path in role.trusted.sorted() {
      try? await manager.setTrusted(path, false)
      await manager.forget(path)
    }
    // bluetoothd takes 2 s, and replies then.
    for path in links { start(.toDaemon(path, BlueZName.device, "Disconnect")) }
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
