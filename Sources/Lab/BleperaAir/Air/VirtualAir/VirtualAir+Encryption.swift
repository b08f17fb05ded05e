import BleperaBluetooth
import BleperaHost

/// Encryption of a connection (Core Specification, Vol 6, Part B, 5.1.3): what is sent stays
/// clear, and the two sides compare their keys where real ones fail to decrypt.
extension VirtualAir {
  /// The central begins; an encrypted connection pauses and changes its key.
  mutating func encrypt(with key: LinkKey, over id: ConnectionID) {
    guard connections[id]?.encryption?.requested == nil else { return }
    var encryption = connections[id]?.encryption ?? LinkEncryption()
    guard connections[id]?.openRequests.isEmpty == true else {
      encryption.next = key
      connections[id]?.encryption = encryption
      return
    }
    encryption.requested = key
    encryption.next = nil
    encryption.answered = nil
    encryption.isHolding.up = true
    encryption.turn = startProcedure(.encryption, over: id)
    connections[id]?.encryption = encryption
    if encryption.isOn {
      send(.control(.encryption(.pauseRequest), isUpward: true), over: id)
    } else {
      requestEncryption(with: key, over: id)
    }
  }

  /// A request of the link layers is answered: the first of that direction, because they are answered in order.
  mutating func requestEnded(isUpward: Bool, over id: ConnectionID) {
    guard let first = connections[id]?.openRequests.firstIndex(where: { $0.isUpward == isUpward }) else { return }
    connections[id]?.openRequests.remove(at: first)
    if let key = connections[id]?.encryption?.next { encrypt(with: key, over: id) }
  }

  private mutating func requestEncryption(with key: LinkKey, over id: ConnectionID) {
    let request = EncryptionControl.request(
      random: key.random, diversifier: key.diversifier, session: keyRandom.next(),
      vector: UInt32(truncatingIfNeeded: keyRandom.next()))
    send(.control(.encryption(request), isUpward: true), over: id)
  }

  /// The peripheral's host has answered; nil where it has no key.
  mutating func answer(key: UInt128?, over id: ConnectionID) {
    guard let encryption = connections[id]?.encryption, encryption.requested != nil, encryption.answered == nil,
      encryption.isHolding.down
    else { return }
    if let key {
      connections[id]?.encryption?.answered = key
      return send(.control(.encryption(.startRequest), isUpward: false), over: id)
    }
    // A connection that was encrypted may not continue without encryption.
    guard !encryption.isOn else { return disconnect(id, reason: .missingKey) }
    send(.control(.encryption(.reject(.missingKey)), isUpward: false), over: id)
    release(isUpward: false, over: id)
  }

  mutating func receive(_ control: EncryptionControl, isUpward: Bool, over connection: AirConnection) {
    let id = connection.id
    if isUpward, adapters[connection.central]?.defects.contains(.encryptionTimeout) == true { return }
    switch control {
    case .request(let random, let diversifier, _, _):
      connections[id]?.encryption?.isHolding.down = true
      let response = EncryptionControl.response(
        session: keyRandom.next(), vector: UInt32(truncatingIfNeeded: keyRandom.next()))
      send(.control(.encryption(response), isUpward: false), over: id)
      notify(connection.peripheral, .keyRequested(random: random, diversifier: diversifier), over: id)
    case .response: break
    case .startRequest: send(.control(.encryption(.startResponse), isUpward: true), over: id)
    case .startResponse: started(isUpward: isUpward, over: connection)
    case .pauseRequest:
      connections[id]?.encryption?.isHolding.down = true
      send(.control(.encryption(.pauseResponse), isUpward: false), over: id)
    case .pauseResponse:
      guard !isUpward, let key = connection.encryption?.requested else { return }
      send(.control(.encryption(.pauseResponse), isUpward: true), over: id)
      requestEncryption(with: key, over: id)
    case .reject(let reason):
      connections[id]?.encryption?.requested = nil
      notify(connection.central, .encryptionRefused(reason), over: id)
      release(isUpward: true, over: id)
    }
  }

  /// The peripheral is the first that receives something encrypted, and then the central.
  private mutating func started(isUpward: Bool, over connection: AirConnection) {
    let id = connection.id
    guard let encryption = connection.encryption, let key = encryption.requested else { return }
    if isUpward {
      guard key.value == encryption.answered else { return disconnect(id, reason: .integrityFailure) }
      send(.control(.encryption(.startResponse), isUpward: false), over: id)
      notify(connection.peripheral, .encrypted(isRefresh: encryption.isOn), over: id)
    } else {
      connections[id]?.encryption?.requested = nil
      connections[id]?.encryption?.isOn = true
      notify(connection.central, .encrypted(isRefresh: encryption.isOn), over: id)
    }
    release(isUpward: !isUpward, over: id)
  }

  /// A side sends what it has kept back.
  private mutating func release(isUpward: Bool, over id: ConnectionID) {
    guard let held = connections[id]?.encryption?.held else { return }
    if isUpward {
      connections[id]?.encryption?.isHolding.up = false
    } else {
      connections[id]?.encryption?.isHolding.down = false
    }
    connections[id]?.encryption?.held = held.filter { $0.isUpward != isUpward }
    for packet in held where packet.isUpward == isUpward { transmit(packet, over: id) }
  }

  mutating func procedureTimesOut(_ id: ConnectionID, turn: Int) {
    let encryption = connections[id]?.encryption
    let isEncrypting = encryption?.requested != nil && encryption?.turn == turn
    let isAsking = connections[id]?.openRequests.contains { $0.turn == turn } == true
    if isEncrypting || isAsking || connections[id]?.parameterTurn == turn { disconnect(id, reason: .responseTimeout) }
  }

  /// Returns the number of its timer.
  mutating func startProcedure(_ timeout: ProcedureTimeout, over id: ConnectionID) -> Int {
    let turn = nextNumber()
    timers.add(.procedureTimesOut(id, turn: turn), at: now + timeout.other)
    return turn
  }
}
