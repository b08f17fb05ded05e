import BleperaAppLink
import BleperaBluetooth
import BleperaPreservation
import BleperaRules

/// What stays of an app whose process has ended, for the managers with a restoration identifier (R7).
extension CentralRole {
  /// - Parameter managers: those whose state is kept; the calls under way are gone.
  mutating func processEnded(of app: AppID, keeping managers: [ManagerID], at now: Duration) {
    for user in users where user.app == app && managers.contains(user.manager) {
      self.managers[user]?.events = nil
      for id in links.keys { links[id]?.removeRequests(of: user) }
    }
    remove(where: { $0.app == app && !managers.contains($0.manager) }, at: now)
    for id in links.keys { advance(id) }
  }

  /// The state that is kept for the phone's next process.
  func preserved(_ user: CentralUser) -> PreservedManager {
    let connections = uses.keys.sorted().compactMap { id in
      uses[id]?.first { $0.user == user }.map {
        PreservedManager.Connection(peripheral: id, options: $0.options)
      }
    }
    return PreservedManager(
      name: user.manager.name, content: .central(scan: managers[user]?.scan.request, connections: connections))
  }

  var preservedPeripherals: [PreservedPeripheral]? {
    let kept = known.all { $0.isBonded || uses[$0.id] != nil }.map {
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

  /// The manager scans and waits as before.
  mutating func restore(_ manager: PreservedManager, of app: AppID, at now: Duration) {
    guard case .central(let scan, let connections) = manager.content else { return }
    let user = CentralUser(app: app, manager: manager.id)
    add(user)
    if let scan { managers[user]?.scan.start(scan, rules) }
    for connection in connections { connect(connection.peripheral, connection.options, by: user, at: now) }
  }

  /// The dictionary of `centralManager(_:willRestoreState:)`.
  func restoredState(of user: CentralUser) -> RestoredCentralState {
    let peripherals = uses.keys.sorted().compactMap { id -> RestoredPeripheral? in
      guard let use = uses[id]?.first(where: { $0.user == user }), let record = known[id],
        var description = description(of: id)
      else { return nil }
      description.isConnected = use.isConnected
      return RestoredPeripheral(peripheral: description, services: services(of: record, use))
    }
    return RestoredCentralState(scan: managers[user]?.scan.request, peripherals: peripherals)
  }

  /// What the app had discovered.
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
