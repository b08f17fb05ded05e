import BleperaBluetooth

/// The start and end of connections.
extension VirtualAir {
  /// The assumed number of packets for the discovery of a database.
  static let discoveryPackets = 20

  package func connection(between first: AdapterID, and second: AdapterID) -> AirConnection? {
    connectionsOfPairs[AdapterPair(first, second)].flatMap { connections[$0] }
  }

  mutating func connect(_ id: AdapterID, to address: DeviceAddress) {
    guard let adapter = adapters[id] else { return }
    guard adapter.isPowered else { return actions.append(.connectFailed(id, address)) }
    update(id) { $0.connecting.insert(address) }
  }

  mutating func connectAtOnce(_ id: AdapterID, to address: DeviceAddress) {
    connect(id, to: address)
    guard let central = adapters[id], central.connecting.contains(address),
      let peripheral = adapters.values.first(where: { wantedAddress(of: $0, by: central) == address })?.id,
      advertised(by: peripheral).contains(where: \.isConnectable)
    else { return }
    establish(central: id, peripheral: peripheral, as: address)
  }

  /// The address with which the central tries to connect to the peripheral: its current address; its identity address,
  /// which a story may know without a bond; or, for a bonded central, which has the key, an earlier private address.
  /// Nil without an attempt, and if the two are connected.
  func wantedAddress(of peripheral: AirAdapter, by central: AirAdapter) -> DeviceAddress? {
    guard !central.connecting.isEmpty else { return nil }
    var wanted = [peripheral.address, peripheral.identity].first { central.connecting.contains($0) }
    if wanted == nil, let key = peripheral.privacy?.key, central.bonds.contains(peripheral.identity) {
      wanted = central.connecting.sorted().first { key.resolves($0.bits) }
    }
    return wanted != nil && connection(between: central.id, and: peripheral.id) == nil ? wanted : nil
  }

  /// - Parameter address: the address with which the central began to connect.
  mutating func establish(central: AdapterID, peripheral: AdapterID, as address: DeviceAddress) {
    guard let first = adapters[central], let second = adapters[peripheral] else { return }
    let id = ConnectionID(nextNumber())
    update(central) { $0.connecting.remove(address) }
    let isBonded = first.bonds.contains(second.identity) && second.bonds.contains(first.identity)
    connections[id] = AirConnection(
      id: id, central: central, peripheral: peripheral,
      mtu: max(ATTMTU.range.lowerBound, min(first.description.mtu, second.description.mtu)),
      security: isBonded ? .encrypted : .open)
    connectionsOfPairs[AdapterPair(central, peripheral)] = id
    if let connection = connections[id] {
      let interval = connectionInterval(of: peripheral)
      capture?.connected(connection, first, second, interval: interval, at: now)
    }
    suspendAdvertising(of: peripheral, for: id)
    actions.append(.connected(id, central: central, peripheral: peripheral, as: address))
    timers.add(.discovered(id), at: now + latency(central, peripheral) * Self.discoveryPackets)
  }

  mutating func discovered(_ id: ConnectionID) {
    guard let connection = connections[id], let services = adapters[connection.peripheral]?.database.remoteServices,
      let central = adapters[connection.central]?.identity
    else { return }
    guard !isUnreachable(connection) else { return hold(.discovered(id), over: id) }
    connections[id]?.services = services
    connections[id]?.isResolved = true
    captureDiscovery(over: id, subscribes: true)
    // bluetoothd subscribes to Service Changed if the characteristic exists.
    update(connection.peripheral) { adapter in
      guard let value = adapter.database.serviceChanged,
        let descriptor = adapter.database.clientConfiguration(of: value)
      else { return }
      adapter.database.configure(descriptor, of: central, to: 2)
    }
    actions.append(.servicesResolved(id))
  }

  /// Sends Service Changed to every subscribed central, once for each added or removed service.
  mutating func sendServiceChanged(of adapter: AdapterID, count: Int) {
    guard let database = adapters[adapter]?.database, let value = database.serviceChanged else { return }
    let peers = database.subscribers(of: value).map(\.peer)
    for id in connections.keys.sorted() {
      guard let connection = connections[id], connection.peripheral == adapter,
        let central = adapters[connection.central]?.identity, peers.contains(central)
      else { continue }
      for _ in 0..<count { send(.serviceChanged, over: id) }
    }
  }

  mutating func serviceChanged(_ id: ConnectionID) {
    guard let connection = connections[id], connection.isResolved, !connection.isRediscovering else { return }
    connections[id]?.isRediscovering = true
    let latency = latency(connection.central, connection.peripheral)
    timers.add(.rediscovered(id), at: now + latency * Self.discoveryPackets)
  }

  mutating func rediscovered(_ id: ConnectionID) {
    guard let connection = connections[id], let services = adapters[connection.peripheral]?.database.remoteServices
    else { return }
    guard !isUnreachable(connection) else { return hold(.rediscovered(id), over: id) }
    connections[id]?.isRediscovering = false
    captureDiscovery(over: id, subscribes: false)
    connections[id]?.services = services
    actions.append(.servicesChanged(id))
  }

  /// - Parameter side: the side whose packet ends the connection; nil without such a packet.
  mutating func disconnect(_ id: ConnectionID, by side: AdapterID? = nil) {
    guard connections[id] != nil else { return }
    endPairing(id, .failure(.failed))
    guard let connection = connections.removeValue(forKey: id) else { return }
    connectionsOfPairs[AdapterPair(connection.central, connection.peripheral)] = nil
    capture?.disconnected(id, byCentral: side.map { $0 == connection.central }, at: now)
    for procedure in [connection.active].compactMap(\.self) + connection.waiting {
      actions.append(.completed(procedure.id, .failure(.disconnected)))
    }
    endChannels(over: id)
    dropSubscriptions(of: connection)
    actions.append(.disconnected(id, central: connection.central, peripheral: connection.peripheral))
    resumeAdvertising(after: id)
  }

  /// A central without a bond loses its subscriptions; a bonded central keeps them without a report (measured).
  private mutating func dropSubscriptions(of connection: AirConnection) {
    guard let peer = adapters[connection.central]?.identity, let server = adapters[connection.peripheral],
      !server.bonds.contains(peer)
    else { return }
    for descriptor in server.database.configured(by: peer) {
      configure(descriptor, of: peer, on: connection.peripheral, to: 0, over: nil)
    }
  }
}
