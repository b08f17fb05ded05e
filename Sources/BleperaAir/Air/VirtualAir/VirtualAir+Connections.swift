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
      let peripheral = adapters.values.first(where: {
        wantedAddress(of: $0, sending: $0.address, by: central) == address
      }),
      advertised(by: peripheral.id).contains(where: \.isConnectable)
    else { return }
    establish(central: id, peripheral: peripheral.id, as: address, sending: peripheral.address, nil)
  }

  /// The address with which the central tries to connect to the peripheral: its current address; its identity address,
  /// which a story may know without a bond; or, for a bonded central, which has the key, an earlier private address.
  /// Nil without an attempt, and if the two are connected. A host outside the air knows the address that is sent alone.
  func wantedAddress(
    of peripheral: AirAdapter, sending address: DeviceAddress, by central: AirAdapter
  ) -> DeviceAddress? {
    guard central.isConnecting, connection(between: central.id, and: peripheral.id) == nil else { return nil }
    if let attempt = central.attempt { return attempt.accepts(address) ? address : nil }
    if central.connecting.contains(address) { return address }
    guard address == peripheral.address else { return nil }
    if central.connecting.contains(peripheral.identity) { return peripheral.identity }
    guard let key = peripheral.privacy?.key, central.bonds.contains(peripheral.identity) else { return nil }
    return central.connecting.sorted().first { key.resolves($0.bits) }
  }

  /// - Parameters:
  ///   - address: the address with which the central began to connect.
  ///   - sent: the address that the peripheral has sent.
  ///   - advertisement: the advertisement that the central answers; nil where it is not known.
  mutating func establish(
    central: AdapterID, peripheral: AdapterID, as address: DeviceAddress, sending sent: DeviceAddress,
    _ advertisement: AdvertisementID?
  ) {
    guard let first = adapters[central], let second = adapters[peripheral] else { return }
    let id = ConnectionID(nextNumber())
    let isInside = !first.description.isController && !second.description.isController
    let isBonded = first.bonds.contains(second.identity) && second.bonds.contains(first.identity)
    let mtu = max(ATTMTU.range.lowerBound, min(first.description.mtu, second.description.mtu))
    var connection = AirConnection(
      id: id, central: first, peripheral: second, advertisement: advertisement, address: sent,
      parameters: first.attempt?.parameters
        ?? LinkParameters(
          interval: connectionInterval(of: peripheral), supervisionTimeout: first.description.supervisionTimeout),
      mtu: isInside ? mtu : ATTMTU.range.lowerBound, security: isInside && isBonded ? .encrypted : .open, at: now)
    if first.description.isController, !second.description.isController { connection.edge = edge(of: connection) }
    add(connection)
    capture?.connected(connection, first, second, at: now)
    update(central) {
      $0.connecting.remove(address)
      $0.attempt = nil
    }
    // The host above a controller starts it again.
    if connection.isBetweenControllers {
      if let advertisement { advertisements[advertisement] = nil }
    } else {
      suspendAdvertising(of: peripheral, for: id)
    }
    actions.append(.connected(id, central: central, peripheral: peripheral, as: address))
    guard isInside else {
      exchangeDataLength(over: id)
      if let greeting = second.description.stack.greeting { greet(with: greeting, over: id) }
      return
    }
    timers.add(.discovered(id), at: now + latency(central, peripheral) * Self.discoveryPackets)
  }

  mutating func discovered(_ id: ConnectionID) {
    guard let connection = connections[id], let services = adapters[connection.peripheral]?.database.remoteServices
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
      adapter.database.configure(descriptor, of: connection.centralIdentity, to: 2)
    }
    actions.append(.servicesResolved(id))
  }

  /// Sends Service Changed to every subscribed central, once for each added or removed service.
  mutating func sendServiceChanged(of adapter: AdapterID, count: Int) {
    guard let database = adapters[adapter]?.database, let value = database.serviceChanged else { return }
    let peers = database.subscribers(of: value).map(\.peer)
    for id in connections.keys.sorted() {
      guard let connection = connections[id], connection.peripheral == adapter,
        peers.contains(connection.centralIdentity)
      else { continue }
      guard connection.edge == nil else {
        connections[id]?.indications.append((value, AttributeDatabase.allHandles))
        indicate(over: id)
        continue
      }
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

  /// - Parameters:
  ///   - side: the side whose packet ends the connection; nil without such a packet.
  ///   - reason: what the hosts outside the air are given.
  mutating func disconnect(_ id: ConnectionID, by side: AdapterID? = nil, reason: LinkEnd? = nil) {
    guard connections[id] != nil else { return }
    endPairing(id, .failure(.failed))
    guard let connection = removeConnection(id) else { return }
    endSecurity(of: connection)
    capture?.disconnected(
      id, byCentral: connection.events == nil ? side.map { $0 == connection.central } : nil, at: now)
    let reason = reason ?? (side == nil ? .connectionTimeout : .userTerminated)
    for adapter in [connection.central, connection.peripheral] {
      notify(adapter, .ended(side == adapter ? .hostTerminated : reason), over: id)
    }
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
    let peer = connection.centralIdentity
    guard let server = adapters[connection.peripheral], !server.bonds.contains(peer) else { return }
    for descriptor in server.database.configured(by: peer) {
      configure(descriptor, of: peer, on: connection.peripheral, to: 0, over: nil)
    }
  }
}
