import BleperaBluetooth
import BleperaHost

/// The start and end of connections.
extension VirtualAir {
  package func connection(between first: AdapterID, and second: AdapterID) -> AirConnection? {
    connectionsOfPairs[AdapterPair(first, second)].flatMap { connections[$0] }
  }

  mutating func connect(_ id: AdapterID, to address: DeviceAddress) {
    guard let adapter = adapters[id] else { return }
    guard adapter.isPowered else { return actions.append(.linkLayer(id, .connectFailed(address))) }
    let now = now
    update(id) {
      // The kernel's window begins with the first device.
      if $0.listening == nil, $0.connecting.isEmpty { $0.listeningStart = now }
      $0.connecting.insert(address)
    }
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
    guard address == peripheral.address || peripheral.description.isController else { return nil }
    if central.connecting.contains(peripheral.identity) { return peripheral.identity }
    guard let key = hosts[central.id]?.bonds[peripheral.identity]?.identity?.key, peripheral.isKnown(with: key) else {
      return nil
    }
    return central.connecting.sorted().first { key.resolves($0.bits) }
  }

  /// - Parameters:
  ///   - address: the address with which the central began to connect.
  ///   - sent: the address that the peripheral has sent.
  ///   - advertisement: the advertisement that the central answers, which ends.
  mutating func establish(
    central: AdapterID, peripheral: AdapterID, as address: DeviceAddress, sending sent: DeviceAddress,
    _ advertisement: AdvertisementID, on channel: AdvertisingChannel
  ) {
    guard let first = adapters[central], let second = adapters[peripheral] else { return }
    let id = ConnectionID(nextNumber())
    let connection = AirConnection(
      id: id, central: first, peripheral: second, advertisement: advertisement,
      address: sent,
      parameters: first.attempt?.parameters
        ?? LinkParameters(
          interval: connectionInterval(of: peripheral), supervisionTimeout: first.description.supervisionTimeout),
      at: now)
    add(connection)
    capture?.connected(connection, on: channel, at: now)
    update(central) {
      $0.connecting.remove(address)
      $0.attempt = nil
    }
    advertisements[advertisement] = nil
    let openings = [peripheral, central].map { ($0, connection.opening(at: $0, wanted: address)) }
    for (side, opening) in openings { actions.append(.linkLayer(side, .connected(id, opening))) }
    exchangeDataLength(over: id)
    storm(over: id)
    for (side, opening) in openings { open(connection, opening, at: side) }
  }

  /// - Parameters:
  ///   - side: the side whose packet ends the connection; nil without such a packet.
  ///   - reason: what the hosts are given.
  mutating func disconnect(_ id: ConnectionID, by side: AdapterID? = nil, reason: LinkEnd? = nil) {
    guard let connection = removeConnection(id) else { return }
    capture?.disconnected(id)
    let reason = reason ?? (side == nil ? .connectionTimeout : .userTerminated)
    func end(at adapter: AdapterID) -> LinkEnd { side == adapter ? .hostTerminated : reason }
    for adapter in [connection.central, connection.peripheral] { notify(adapter, .ended(end(at: adapter)), over: id) }
    let causes = [connection.central, connection.peripheral].map { adapter in
      var cause: DisconnectionCause?
      host(adapter) { cause = $0.disconnected(id, because: end(at: adapter)) }
      return cause.map { AirAction.host(adapter, .disconnected(id, $0)) }
    }
    // The peripheral's user is the first.
    actions += causes.reversed().compactMap(\.self)
  }
}
