import BleperaBluetooth
import BleperaHost

/// Pairing of a peripheral of the air with a host outside it, and the keys that they keep.
extension VirtualAir {
  /// What a peripheral of the air is towards a host outside it.
  mutating func edge(of connection: AirConnection) -> HostEdge? {
    guard let adapter = adapters[connection.peripheral] else { return nil }
    var settings = SecuritySettings()
    settings.capability = adapter.capability ?? .noInputNoOutput
    settings.requirements = [.bonding, .authentication, .secureConnections]
    settings.identity = SecurityIdentity(address: SecurityAddress(adapter.identity), key: adapter.privacy?.key)
    // Without an agent, no user can answer.
    settings.isPairable = adapter.isPairable && adapter.capability != nil
    settings.hasBond = adapter.bonds.contains(connection.centralIdentity)
    settings.isStrict = adapters[connection.central]?.description.meetsStrictPhones == true
    return HostEdge(
      security: SecurityManager(
        role: .responder, own: SecurityAddress(connection.addresses.peripheral),
        peer: SecurityAddress(connection.addresses.central), settings: settings,
        random: SplitMix64(seed: random.next())))
  }

  mutating func receiveSecurity(_ bytes: [UInt8], over id: ConnectionID) {
    perform(connections[id]?.edge?.security.receive(bytes), over: id)
  }

  /// The peripheral's user, or its own host, begins.
  mutating func requestSecurity(_ operation: OperationID, over id: ConnectionID) {
    connections[id]?.edge?.operation = operation
    perform(connections[id]?.edge?.security.start(), over: id)
  }

  mutating func respondToPairing(_ answer: PairingResponse, over id: ConnectionID) {
    connections[id]?.edge?.isAsked = false
    perform(connections[id]?.edge?.security.respond(answer), over: id)
  }

  mutating func pairingTimesOut(_ id: ConnectionID, turn: Int) {
    guard connections[id]?.edge?.pairingTurn == turn else { return }
    perform(connections[id]?.edge?.security.timeOut(), over: id)
  }

  /// The key that the peripheral has for the central: of the pairing under way, or of the bond.
  mutating func key(random: UInt64, diversifier: UInt16, over connection: AirConnection) -> UInt128? {
    if let key = connection.edge?.security.key(random: random, diversifier: diversifier) { return key }
    guard let bond = adapters[connection.peripheral]?.keys[connection.centralIdentity],
      let key = bond.asPeripheral, key.random == random, key.diversifier == diversifier
    else { return nil }
    connections[connection.id]?.edge?.bondSecurity = bond.security
    return key.value
  }

  /// The link of a peripheral of the air is encrypted.
  mutating func secured(_ id: ConnectionID) {
    let bonded = connections[id]?.edge?.bondSecurity
    connections[id]?.security = bonded ?? .encrypted
    if bonded != nil { actions.append(.secured(id)) }
    perform(connections[id]?.edge?.security.encryptionChanged(isEncrypted: true), over: id)
  }

  /// The connection has ended.
  mutating func endSecurity(of connection: AirConnection) {
    guard let edge = connection.edge else { return }
    if edge.isAsked { actions.append(.pairingCancelled(connection.id, connection.peripheral)) }
    if let operation = edge.operation { actions.append(.completed(operation, .failure(.pairing(.failed)))) }
  }

  private mutating func perform(_ steps: [SecurityAction]?, over id: ConnectionID) {
    for step in steps ?? [] { perform(step, over: id) }
  }

  private mutating func perform(_ step: SecurityAction, over id: ConnectionID) {
    guard let connection = connections[id] else { return }
    switch step {
    case .send(let bytes): answer(L2CAPFrame(channel: L2CAPFrame.security, payload: bytes), over: id)
    // Of a central.
    case .encrypt, .requested: break
    case .ask(let question):
      if case .show = question {} else { connections[id]?.edge?.isAsked = true }
      actions.append(.pairingRequest(id, connection.peripheral, question))
    case .startTimer:
      let turn = nextNumber()
      connections[id]?.edge?.pairingTurn = turn
      timers.add(.pairingTimesOut(id, turn: turn), at: now + Self.pairingTimeout)
    case .stopTimer: connections[id]?.edge?.pairingTurn = nil
    case .paired(let bond): paired(bond, over: connection)
    case .failed: pairingEnded(.failure(.pairing(.failed)), over: connection)
    case .timedOut:
      pairingEnded(.failure(.pairing(.failed)), over: connection)
      leave(id, by: connection.peripheral, reason: .authenticationFailure)
    }
  }

  private mutating func paired(_ bond: SecurityBond, over connection: AirConnection) {
    connections[connection.id]?.security = bond.security
    if bond.isBonded {
      update(connection.peripheral) {
        $0.bonds.insert(connection.centralIdentity)
        $0.keys[connection.centralIdentity] = bond
      }
      actions.append(.paired(connection.id))
    }
    pairingEnded(.success([]), over: connection)
  }

  private mutating func pairingEnded(_ result: Result<[UInt8], ClientFailure>, over connection: AirConnection) {
    let id = connection.id
    if connection.edge?.isAsked == true { actions.append(.pairingCancelled(id, connection.peripheral)) }
    if let operation = connection.edge?.operation { actions.append(.completed(operation, result)) }
    connections[id]?.edge?.isAsked = false
    connections[id]?.edge?.operation = nil
  }

  /// Vol 3, Part H, 3.4.
  private static let pairingTimeout = Duration.seconds(30)
}

extension SecurityBond {
  var security: LinkSecurity { isAuthenticated ? .authenticated : .encrypted }
}

extension SecurityAddress {
  init(_ address: DeviceAddress) { self.init(bits: address.bits, isRandom: address.isRandom) }

  var deviceAddress: DeviceAddress { DeviceAddress(bits: bits, isRandom: isRandom) }
}

extension AirAdapter {
  /// The name by which a central is known that connects from that address: the address of its pairing, where its keys
  /// say that it is the same device.
  func knownAddress(of central: DeviceAddress) -> DeviceAddress {
    let known = keys.first { _, bond in
      guard let identity = bond.identity else { return false }
      return identity.address.deviceAddress == central
        || central.isRandom && identity.key?.resolves(central.bits) == true
    }
    return known?.key ?? central
  }
}
