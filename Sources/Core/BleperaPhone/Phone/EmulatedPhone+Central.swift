package import BleperaAppLink
package import BleperaBluetooth
import BleperaLoop
import BleperaRadio
import BleperaRules

/// The central role: what apps' central managers call, and what the radio reports of peripherals.
extension EmulatedPhone {
  func handle(_ call: CentralCall, by manager: ManagerID, of id: AppID) {
    guard hasCreated(manager, id) else { return }
    // The app waits for the answer, whatever the state.
    if let found = central.retrieve(call) {
      return send(.central(manager.name, .didRetrievePeripherals(found)), to: id)
    }
    guard centralState == .poweredOn else { return report(.apiMisuse(call: call.name, centralState), of: id) }
    use { $0.call(call, by: CentralUser(app: id, manager: manager), at: now, timestamp: timestamp) }
  }

  /// The state of central managers: a radio may have no central role.
  var centralState: ManagerState {
    guard let radio, power.state != .unauthorized, power.state != .unknown else { return power.state }
    return radio.hasCentralRole ? power.state : .unsupported
  }

  /// The peripherals that the phone returns from a call, to an app of this process.
  package func retrieve(_ call: CentralCall, of bundleIdentifier: String) -> [PeripheralDescription] {
    central.retrieve(call) ?? []
  }

  // MARK: Apps and the phone

  /// An app moves to the foreground or the background, is suspended or ends.
  func centralAppChanged(_ id: AppID) {
    guard let app = apps[id] else { return }
    // The user has opened the app, for its alerts or not.
    if policy.state(of: id) == .foreground { app.alerts = [] }
    let presence: AppPresence? =
      switch policy.state(of: id) {
      case .inactive, .foreground: AppPresence(isForeground: true)
      case .background, .suspended, .notRunning:
        app.identity.hasCentralBackgroundMode ? AppPresence(isForeground: false) : nil
      }
    use { $0.appChanged(id, presence, at: now) }
  }

  /// Bluetooth is on, off or cannot be used: the managers learn that before what the change causes.
  func powerChanged() {
    use { central in
      central.outputs.add(.powerChanged)
      central.powerChanged(
        isOn: centralState == .poweredOn, isCreated: { apps[$0.app]?.has($0.manager) == true }, at: now,
        timestamp: timestamp)
    }
  }

  func centralScreenChanged() {
    use { central in
      central.awaitsFirstUnlock = policy.awaitsFirstUnlock
      central.screenChanged(isOn: !policy.isScreenLocked, at: now)
    }
  }

  // MARK: The radio

  func handleCentral(_ event: RadioEvent) {
    if case .received(let peripheral, let advertisement) = event {
      use(isPerformed: false) { $0.received(peripheral, advertisement, at: now) }
      // Most are known already, from which nothing follows, no later deadline either.
      if !central.outputs.isEmpty { use { _ in } }
      return
    }
    if case .peripheralBonded(_, let peripheral) = event {
      bondProblems[peripheral.id.rawValue] = nil
      preserve()
    }
    use { central in
      switch event {
      case .peripheralConnected(let peripheral): central.connected(peripheral, at: now)
      case .peripheralDisconnected(let peripheral, let cause):
        central.disconnected(peripheral, cause, at: now, timestamp: timestamp)
      case .peripheralChanged(let peripheral): central.changed(peripheral, at: now)
      case .peripheralBonded(let former, let peripheral): central.changed(peripheral, formerly: former, at: now)
      case .completed(let operation, let result): central.completed(operation, result)
      case .valueReceived(let peripheral, let handle, let value):
        central.valueReceived(handle, value, of: peripheral, at: now)
      case .servicesChanged(let peripheral, let ranges): central.servicesChanged(ranges, of: peripheral, at: now)
      default: break
      }
    }
  }

  // MARK: Outputs

  func notifyCentral(_ user: CentralUser, _ callback: CentralCallback, _ kind: NoticeKind) {
    notify(user.manager, of: user.app, .central(user.manager.name, callback), kind)
  }

  func perform(_ output: CentralOutput) {
    switch output {
    case .powerChanged: notifyManagers()
    case .scan(let scan): withRadio { $0.scan(scan) }
    case .connect(let peripherals, let scan): withRadio { $0.connect(to: peripherals, listening: scan) }
    case .disconnect(let peripheral): withRadio { $0.disconnect(from: peripheral) }
    case .perform(let procedure, let number, let peripheral):
      withRadio { $0.perform(procedure, as: number, at: peripheral) }
    case .readRSSI(let number, let peripheral): withRadio { $0.readRSSI(of: peripheral, as: number) }
    case .openChannel(let psm, let peripheral, let user): openChannel(psm, at: peripheral, for: user)
    case .deliver(let user, let callback, let kind, let alerts):
      if policy.alertedApp(of: alerts) == user.app { showAlert(of: user.app, callback, kind) }
      notifyCentral(user, callback, kind)
    case .discovered(let user, let peripheral, let discovery):
      report(.discovered(peripheral.address, discovery), of: user.app)
    case .received(let user, let peripheral, let handle, let value):
      if let name = peripheral.cache.name(of: handle) {
        report(.received(peripheral.address, name, value: value), of: user.app)
      }
    case .dropped(let user, let peripheral, let handle, let value, let reason):
      let name = peripheral.cache.name(of: handle)
      report(.writeDropped(peripheral.address, name, value: value, reason: reason), of: user.app)
    case .connected(let peripheral): report(.peripheralConnected(peripheral.address, name: peripheral.name))
    case .disconnected(let peripheral, let cause):
      report(.peripheralDisconnected(peripheral.address, reason: "\(cause)"))
      let problem: BondProblem? =
        cause == .keyMissing ? .peripheralHasNoKeys : cause == .identityMissing ? .peripheralHasNoIdentity : nil
      // The user may have forgotten the peripheral meanwhile.
      if peripheral.isBonded, let problem { noticed(problem, at: peripheral.address.rawValue) }
    case .changed: preserveLater()
    }
  }

  private func showAlert(of id: AppID, _ callback: CentralCallback, _ kind: NoticeKind) {
    guard let app = apps[id], let peripheral = callback.peripheral, let address = central.known[peripheral]?.address
    else { return }
    let reason =
      switch kind {
      case .connection: "connected"
      case .disconnection: "disconnected"
      default: "a notification"
      }
    report(.alert(app: app.identity.bundleIdentifier, address, reason: reason), of: id)
    app.alerts.append("\(reason): \(central.known[peripheral]?.name ?? address.rawValue)")
  }

  /// The address of a peripheral that apps know by that identifier.
  package func address(of peripheral: PeripheralID) -> PeripheralID? { central.known[peripheral]?.address }

  func centralStatus(of id: AppID) -> PhoneStatus.App.Central? {
    guard let app = apps[id], app.managers.contains(where: { $0.id.role == .central }) else { return nil }
    let users = central.users.filter { $0.app == id }
    let scans = users.compactMap { central.managers[$0]?.scan.request }
    let peripherals = users.flatMap { user in
      central.uses.keys.sorted().compactMap { peripheral -> PhoneStatus.App.Peripheral? in
        guard let use = central.uses[peripheral]?.first(where: { $0.user == user }),
          let record = central.known[peripheral]
        else { return nil }
        return PhoneStatus.App.Peripheral(
          address: record.address.rawValue, name: record.name, isConnected: use.isConnected,
          subscriptions: use.notifying.count)
      }
    }
    return PhoneStatus.App.Central(
      backgroundMode: app.identity.hasCentralBackgroundMode,
      scannedServices: scans.isEmpty ? nil : scans.flatMap(\.services).map { "\($0)" }, peripherals: peripherals,
      alerts: app.alerts.isEmpty ? nil : app.alerts)
  }

  private func openChannel(_ psm: L2CAPPSM, at peripheral: PeripheralID, for user: CentralUser) {
    let session = apps[user.app]?.session
    withRadio { radio in
      radio.openChannel(psm, at: peripheral) { [weak self] result in
        self?.assumeIsolated { $0.channelOpened(psm, at: peripheral, for: user, session: session, result) }
      }
    }
  }
}
