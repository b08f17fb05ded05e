import BleperaAppLink
import BleperaBluetooth
import BleperaPreservation
import BleperaRules

/// The state that remains of an app whose process has ended, for the managers with a restoration identifier (R7).
extension CentralRole {
  /// - Parameter managers: the managers whose state is kept; their calls in progress are dropped.
  mutating func processEnded(of app: AppID, keeping managers: [ManagerID], at now: Duration) {
    for user in users where user.app == app && managers.contains(user.manager) {
      self.managers[user]?.events = nil
      // A manager that was not created again has learned nothing since its app ended before.
      if self.managers[user]?.preserved == nil {
        let used = peripherals(of: user)
        self.managers[user]?.preserved = used
      }
      for id in links.keys { links[id]?.removeRequests(of: user) }
    }
    remove(where: { $0.app == app && !managers.contains($0.manager) }, at: now)
    for id in links.keys { advance(id) }
  }

  /// The state that is kept for the phone's next process.
  func preserved(_ user: CentralUser) -> PreservedManager {
    let connections = uses.keys.sorted().compactMap { id in
      uses[id]?.first { $0.user == user }.map {
        PreservedManager.Connection(peripheral: id, options: $0.options, isConnected: $0.isConnected)
      }
    }
    return PreservedManager(
      name: user.manager.name,
      content: .central(
        scan: managers[user]?.scan.request, connections: connections,
        peripherals: managers[user]?.preserved ?? peripherals(of: user)))
  }

  var preservedPeripherals: [PreservedPeripheral]? {
    let kept = known.all { $0.isBonded || isHeld($0.id) }.map {
      PreservedPeripheral(id: $0.id, address: $0.address, isBonded: $0.isBonded, name: $0.name)
    }
    return kept.isEmpty ? nil : kept
  }

  mutating func restore(_ peripherals: [PreservedPeripheral], at now: Duration) {
    for kept in peripherals {
      known.add(
        KnownPeripheral(
          id: kept.id, address: kept.address, isBonded: kept.isBonded, advertisedName: kept.name, lastSeen: now))
    }
  }

  /// The manager scans and waits as before; its connections have ended with the former phone.
  mutating func restore(_ manager: PreservedManager, of app: AppID, at now: Duration, timestamp: Timestamp) {
    guard case .central(let scan, let connections, let peripherals) = manager.content else { return }
    let user = CentralUser(app: app, manager: manager.id)
    add(user)
    managers[user]?.preserved = peripherals
    if let scan { managers[user]?.scan.start(scan, rules) }
    for connection in connections {
      connect(connection.peripheral, connection.options, by: user, at: now)
      if connection.isConnected { reportInterruption(of: connection.peripheral, to: user, timestamp) }
    }
  }

  /// A preserved manager's connection has ended with the radio, and the system makes it again. Relaunches no app; ours.
  mutating func reportInterruption(of id: PeripheralID, to user: CentralUser, _ timestamp: Timestamp) {
    deliver(
      .didDisconnectPeripheral(id, timestamp: timestamp, isReconnecting: true, error: .code(.connectionTimeout)),
      to: user, .change)
  }

  /// The dictionary of `centralManager(_:willRestoreState:)`: what the manager used when its app ended, in the present
  /// state. What has happened since follows as callbacks.
  func restoredState(of user: CentralUser) -> RestoredCentralState {
    let peripherals = (managers[user]?.preserved ?? []).compactMap { then -> RestoredPeripheral? in
      let id = then.peripheral.id
      guard var description = description(of: id, for: user) else { return nil }
      let use = uses[id]?.first { $0.user == user }
      description.isConnected = use?.isConnected == true
      return RestoredPeripheral(
        peripheral: description, state: use.map { $0.isConnected ? .connected : .connecting } ?? .disconnected,
        services: then.services)
    }
    return RestoredCentralState(scan: managers[user]?.scan.request, peripherals: peripherals)
  }

  /// The app has created the manager.
  mutating func restored(_ user: CentralUser) { managers[user]?.preserved = nil }

  /// The phone was rebooted, which drops the events that wait (R15): a peripheral that was lost is not restored, and
  /// the others without what the apps had discovered.
  mutating func rebooted() {
    for user in users {
      let preserved = managers[user]?.preserved
      managers[user]?.preserved = preserved?.compactMap { then in
        guard uses[then.peripheral.id]?.contains(where: { $0.user == user }) == true else { return nil }
        return RestoredPeripheral(peripheral: then.peripheral, state: then.state, services: [])
      }
    }
  }

  private func peripherals(of user: CentralUser) -> [RestoredPeripheral] {
    uses.keys.sorted().compactMap { id in
      guard let use = uses[id]?.first(where: { $0.user == user }), let record = known[id],
        let description = description(of: id)
      else { return nil }
      return RestoredPeripheral(
        peripheral: description, state: use.isConnected ? .connected : .connecting, services: services(of: record, use))
    }
  }

  /// The attributes that the app had discovered.
  private func services(of record: KnownPeripheral, _ use: PeripheralUse) -> [RestoredPeripheral.Service] {
    let cache = record.cache
    return (cache.services ?? []).filter { use.discovered.contains($0.range.lowerBound) }.map { service in
      let found = cache.characteristics[service.range.lowerBound] ?? []
      return RestoredPeripheral.Service(
        service: service.description,
        characteristics: found.filter { use.discovered.contains($0.value) }.map { characteristic in
          let descriptors = (cache.descriptors(of: characteristic.value) ?? []).filter {
            use.discovered.contains($0.handle)
          }
          return RestoredPeripheral.Characteristic(
            characteristic: description(characteristic, of: record.id, use.user),
            descriptors: descriptors.map { RemoteDescriptorDescription(handle: $0.handle, uuid: $0.uuid) })
        })
    }
  }
}
