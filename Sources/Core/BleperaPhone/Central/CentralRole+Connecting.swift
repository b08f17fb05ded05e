import BleperaAppLink
import BleperaBluetooth
import BleperaRadio
import BleperaRules

/// Several managers share a connection, which ends with its last user (R17).
extension CentralRole {
  mutating func connect(_ id: PeripheralID, _ options: ConnectOptions, by user: CentralUser, at now: Duration) {
    guard known[id] != nil else {
      return deliver(.didFailToConnect(id, error: .code(.unknown)), to: user, .connection)
    }
    let index = uses[id, default: []].firstIndex { $0.user == user }
    if links[id] != nil {
      if let index {
        uses[id]?[index].options = options
        uses[id]?[index].phase = .connected
      } else {
        uses[id, default: []].append(PeripheralUse(user: user, options: options, phase: .connected))
      }
      return didConnect(id, user)
    }
    let start = options.startDelay > 0 ? now + .seconds(options.startDelay) : .zero
    guard let index else {
      return uses[id, default: []].append(PeripheralUse(user: user, options: options, phase: .waiting(from: start)))
    }
    uses[id]?[index].options = options
  }

  private mutating func didConnect(_ id: PeripheralID, _ user: CentralUser) {
    guard let description = description(of: id, for: user) else { return }
    let alerts = (uses[id] ?? []).alerted(by: .connection)
    deliver(.didConnect(description), to: user, .connection, alerts: alerts)
  }

  /// - Parameter timestamp: the time for the callback; nil for an end without a callback.
  mutating func cancel(_ id: PeripheralID, by user: CentralUser, timestamp: Timestamp?) {
    guard let use = remove(user, from: id) else { return }
    managers[user]?.scan.disconnected(id)
    if let timestamp {
      deliver(
        .didDisconnectPeripheral(id, timestamp: timestamp, isReconnecting: false, error: nil), to: user, .disconnection)
    }
    endLinkIfUnused(id, after: use)
  }

  /// Ends what a manager uses, without a callback.
  mutating func release(_ user: CentralUser) {
    for id in uses.keys.sorted() { cancel(id, by: user, timestamp: nil) }
  }

  private mutating func remove(_ user: CentralUser, from id: PeripheralID) -> PeripheralUse? {
    guard let index = uses[id]?.firstIndex(where: { $0.user == user }), let use = uses[id]?.remove(at: index) else {
      return nil
    }
    if uses[id]?.isEmpty == true { uses[id] = nil }
    links[id]?.removeRequests(of: user)
    return use
  }

  private mutating func endLinkIfUnused(_ id: PeripheralID, after use: PeripheralUse) {
    guard use.isConnected, links[id] != nil, let address = known[id]?.address else { return }
    guard uses[id] == nil else {
      for characteristic in use.notifying.sorted() where !notifies(characteristic, of: id) {
        links[id]?.append(PeripheralRequest(user: nil, call: .setNotifyValue(false, characteristic: characteristic)))
      }
      return advance(id)
    }
    endLink(id)
    output(.disconnect(address))
  }

  /// The link is of no use from now on; its end on the air follows.
  private mutating func endLink(_ id: PeripheralID) {
    links[id] = nil
    operations.forget(at: id)
    reportEvent(id, isConnected: false)
    known.change(id) { record in
      if !record.cache.isKept(isBonded: record.isBonded) { record.cache = GATTCache() }
    }
  }

  // MARK: The radio

  mutating func connected(_ peripheral: RadioPeripheral, at now: Duration) {
    let id = known.identifier(of: peripheral.id, at: now)
    update(id, peripheral)
    guard uses[id] != nil else { return output(.disconnect(peripheral.id)) }
    guard links.count < rules.connectionLimit.value else {
      for use in uses.removeValue(forKey: id) ?? [] {
        deliver(.didFailToConnect(id, error: .code(.connectionLimitReached)), to: use.user, .connection)
      }
      output(.disconnect(peripheral.id))
      return settle(at: now)
    }
    links[id] = PeripheralLink(mtu: peripheral.mtu)
    listening.connectionChanged(of: peripheral.id)
    if let record = known[id] { output(.connected(record)) }
    for index in uses[id, default: []].indices {
      uses[id]?[index].phase = .connected
      if !rules.writesAtConnection.value { uses[id]?[index].readiness = now + rules.connectionInterval.value }
      if let use = uses[id]?[index] { didConnect(id, use.user) }
    }
    reportEvent(id, isConnected: true) { $0.peripherals.contains(id) }
    // The services of an earlier connection need not be discovered, but the peripheral has to report their changes. For
    // those that have registered by services the system discovers them itself (Apple, WWDC 2019-901).
    if known[id]?.cache.services != nil || managers.values.contains(where: { $0.events?.services.isEmpty == false }) {
      links[id]?.append(PeripheralRequest(user: nil, call: .discoverServices(nil)))
    }
    advance(id)
    output(.changed)
    settle(at: now)
  }

  /// The MTU, the name or the bond has changed.
  mutating func changed(_ peripheral: RadioPeripheral, formerly address: PeripheralID? = nil, at now: Duration) {
    let id = known.identifier(of: address ?? peripheral.id, at: now)
    let former = description(of: id)
    if let address, address != peripheral.id { known.move(id, to: peripheral.id) }
    update(id, peripheral)
    guard description(of: id) != former else { return }
    for use in uses[id] ?? [] where use.isConnected {
      guard let description = description(of: id, for: use.user) else { continue }
      deliver(.peripheral(id, .didUpdate(description)), to: use.user, .change)
    }
  }

  /// The user forgets a peripheral, whose cached attributes go, too (ours).
  mutating func forgetBond(with address: PeripheralID) {
    guard let id = known.identifier(of: address) else { return }
    known.change(id) { ($0.isBonded, $0.cache) = (false, GATTCache()) }
  }

  private mutating func update(_ id: PeripheralID, _ peripheral: RadioPeripheral) {
    known.change(id) { record in
      record.isBonded = peripheral.isBonded
      if let name = peripheral.name { record.deviceName = name }
    }
    links[id]?.mtu = peripheral.mtu
  }

  mutating func disconnected(
    _ address: PeripheralID, _ cause: DisconnectionCause, at now: Duration, timestamp: Timestamp
  ) {
    let id = known.identifier(of: address, at: now)
    known.change(id) { $0.lastSeen = now }
    listening.connectionChanged(of: address)
    if let record = known[id] { output(.disconnected(record, cause)) }
    // The phone's own end of a connection has been reported, or Bluetooth is off, which is.
    guard links[id] != nil, cause != .byPhone else { return settle(at: now) }
    var kept: [PeripheralUse] = []
    let ended = uses.removeValue(forKey: id) ?? []
    let alerts = ended.filter(\.isConnected).alerted(by: .disconnection)
    for use in ended {
      managers[use.user]?.scan.disconnected(id)
      guard use.isConnected else {
        kept.append(use)
        continue
      }
      let isReconnecting = use.options.autoReconnects
      deliver(
        .didDisconnectPeripheral(
          id, timestamp: timestamp, isReconnecting: isReconnecting, error: cause.error), to: use.user, .disconnection,
        alerts: alerts)
      if isReconnecting { kept.append(use.waiting) }
    }
    if !kept.isEmpty { uses[id] = kept }
    endLink(id)
    output(.changed)
    settle(at: now)
  }

  private func matches(_ matching: ConnectionEventMatching, _ id: PeripheralID) -> Bool {
    matching.peripherals.contains(id)
      || known[id]?.cache.services?.contains { matching.services.contains($0.uuid) } == true
  }

  /// Reports a connection of any app to those that have registered for such events.
  ///
  /// - Parameter isIncluded: Whether an app with this registration receives the event.
  mutating func reportEvent(
    _ id: PeripheralID, isConnected: Bool, where isIncluded: (ConnectionEventMatching) -> Bool = { _ in true }
  ) {
    guard let description = description(of: id) else { return }
    for user in users {
      guard let matching = managers[user]?.events, isIncluded(matching), matches(matching, id) else { continue }
      deliver(.connectionEventDidOccur(description, isConnected: isConnected), to: user, .connectionEvent)
    }
  }
}

extension DisconnectionCause {
  fileprivate var error: CentralError? {
    switch self {
    case .timeout: .code(.connectionTimeout)
    // The error of a peripheral that the user forgets is ours.
    case .byPeripheral, .bondForgotten: .code(.peripheralDisconnected)
    case .byPhone: nil
    case .keyMissing: .code(.peerRemovedPairingInformation)
    case .identityMissing: .code(.connectionFailed)
    case .encryptionTimeout: .code(.encryptionTimedOut)
    }
  }
}
