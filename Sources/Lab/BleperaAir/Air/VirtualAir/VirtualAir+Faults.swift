import BleperaBluetooth
import BleperaHost

/// Faults between two adapters.
///
/// A connection over which no packet arrives is silent. Both sides notice when the supervision timeout expires (Core
/// Specification, Vol 6, Part B, 4.5.2); if packets arrive again before, the link layer has lost nothing.
extension VirtualAir {
  /// The conditions specific to two adapters.
  package func conditions(between first: AdapterID, and second: AdapterID) -> PairConditions {
    specificConditions(first, second) ?? PairConditions()
  }

  /// Most airs have none, so that a pair is not looked up.
  func specificConditions(_ first: AdapterID, _ second: AdapterID) -> PairConditions? {
    pairs.isEmpty ? nil : pairs[AdapterPair(first, second)]
  }

  func loss(_ first: AdapterID, _ second: AdapterID) -> Double {
    specificConditions(first, second)?.loss ?? conditions.loss
  }

  func latency(_ first: AdapterID, _ second: AdapterID) -> Duration {
    specificConditions(first, second)?.latency ?? conditions.latency
  }

  mutating func isLost(_ first: AdapterID, _ second: AdapterID) -> Bool {
    let loss = loss(first, second)
    return loss > 0 && Double.random(in: 0..<1, using: &random) < loss
  }

  // MARK: Silence

  /// Reevaluates every connection after a change of the conditions.
  mutating func conditionsChanged() {
    for id in connections.keys {
      guard let connection = connections[id] else { continue }
      let isSilent = connection.isCut || loss(connection.central, connection.peripheral) >= 1
      if isSilent, connection.silence == nil {
        let turn = nextNumber()
        connections[id]?.silence = turn
        // Without a packet in its first six events a connection is not established.
        let (deadline, reason): (Duration, LinkEnd) =
          if now < connection.firstEvent {
            (connection.firstEvent + connection.parameters.interval * 5, .notEstablished)
          } else {
            (now + connection.parameters.supervisionTimeout, .connectionTimeout)
          }
        timers.add(.supervisionEnds(id, turn: turn, reason), at: deadline)
      } else if !isSilent {
        connections[id]?.silence = nil
      }
      resume(id)
    }
  }

  /// Resumes held packets, if they can proceed now.
  private mutating func resume(_ id: ConnectionID) {
    guard let connection = connections[id] else { return }
    guard !connection.held.isEmpty else { return }
    let latency = latency(connection.central, connection.peripheral)
    timers.add(.released(id), at: connection.events.first(after: now) + latency)
  }

  mutating func supervisionEnds(_ id: ConnectionID, turn: Int, _ reason: LinkEnd) {
    if connections[id]?.silence == turn { disconnect(id, reason: reason) }
  }

  /// Disconnecting sends a packet, before which arrives what was sent before: if it does not arrive, both sides wait
  /// for the timeout.
  mutating func leave(_ id: ConnectionID, by side: AdapterID, reason: LinkEnd = .userTerminated) {
    guard let connection = connections[id] else { return }
    if connection.silence == nil, side == connection.peripheral, isStalled(connection.sides) {
      // The central acknowledges nothing.
      disconnect(id, by: side)
    } else {
      send(.control(.terminate(reason), isUpward: connection.central == side), over: id)
    }
  }

  /// Whether the central currently receives nothing from the peripheral.
  private func isStalled(_ sides: AirConnection.Sides) -> Bool {
    specificConditions(sides.central, sides.peripheral)?.isStalled == true
  }

  // MARK: Packets

  mutating func arrive(_ packet: LinkPacket, over id: ConnectionID) {
    guard let sides = connections[id]?.sides else { return }
    if connections[id]?.delays(packet) == true || !packet.isUpward && isStalled(sides) {
      connections[id]?.held.append(packet)
    } else if isCut(by: packet, between: sides) {
      connections[id]?.held.append(packet)
      cut(id)
    } else {
      receive(packet, over: id, between: sides)
    }
  }

  mutating func release(_ id: ConnectionID) {
    guard let held = connections[id]?.held else { return }
    connections[id]?.held = []
    for packet in held { arrive(packet, over: id) }
  }

  // MARK: Cuts

  /// Has no effect if the two are not connected.
  mutating func cut(_ first: AdapterID, _ second: AdapterID) {
    if let id = connection(between: first, and: second)?.id { cut(id) }
  }

  /// No packet arrives over the connection from now on.
  mutating func cut(_ id: ConnectionID) {
    connections[id]?.isCut = true
    conditionsChanged()
  }

  private mutating func isCut(by packet: LinkPacket, between sides: AirConnection.Sides) -> Bool {
    guard !cuts.isEmpty else { return false }
    let pair = AdapterPair(sides.central, sides.peripheral)
    switch cuts[pair] {
    case nil: return false
    case .packet(let count) where count > 1:
      cuts[pair] = .packet(count - 1)
      return false
    case .pdu(let count) where packet.opcode != nil && count > 1:
      cuts[pair] = .pdu(count - 1)
      return false
    case .pdu where packet.opcode == nil: return false
    case .first(let wanted) where packet.opcode != wanted: return false
    case .packet, .pdu, .first:
      cuts[pair] = nil
      return true
    }
  }
}
