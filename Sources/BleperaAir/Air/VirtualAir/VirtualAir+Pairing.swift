import BleperaBluetooth
import BleperaHost

/// Pairing of two adapters.
extension VirtualAir {
  mutating func pair(_ id: ConnectionID, _ operation: OperationID, by initiator: AdapterID) {
    guard let connection = connections[id] else {
      return actions.append(.completed(operation, .failure(.notConnected)))
    }
    guard connection.edge == nil else { return requestSecurity(operation, over: id) }
    guard connection.pairing == nil else {
      return actions.append(.completed(operation, .failure(.pairing(.inProgress))))
    }
    beginPairing(id, operation, by: initiator)
  }

  mutating func beginPairing(_ id: ConnectionID, _ operation: OperationID?, by initiator: AdapterID) {
    guard let connection = connections[id], let first = adapters[initiator],
      let second = adapters[connection.central == initiator ? connection.peripheral : connection.central]
    else { return }
    // Without an agent, no user can type or read.
    let method = PairingMethod(
      initiator: first.capability ?? .noInputNoOutput, responder: second.capability ?? .noInputNoOutput,
      isAuthenticated: true, isSecureConnections: true)
    let passkey = UInt32.random(in: 0...999_999, using: &random)
    connections[id]?.pairing = AirPairing(
      initiator: initiator, operation: operation, method: method, passkey: passkey, asked: [])
    // A Just Works request without an agent to authorize it is refused, unless AlwaysPairable.
    guard second.isPairable, second.capability != nil else { return endPairing(id, .failure(.failed)) }
    switch method {
    case .justWorks: ask(.authorize, second.id, over: id)
    case .numericComparison:
      ask(.compare(passkey), first.id, over: id)
      ask(.compare(passkey), second.id, over: id)
    case .passkey(let initiatorTypes, let responderTypes):
      ask(initiatorTypes ? .type : .show(passkey), first.id, over: id)
      ask(responderTypes ? .type : .show(passkey), second.id, over: id)
    }
  }

  private mutating func ask(_ question: PairingRequest, _ adapter: AdapterID, over id: ConnectionID) {
    if case .show = question {
    } else {
      connections[id]?.pairing?.asked.insert(adapter)
    }
    actions.append(.pairingRequest(id, adapter, question))
  }

  mutating func respondToPairing(_ id: ConnectionID, _ adapter: AdapterID, _ answer: PairingResponse) {
    if connections[id]?.edge != nil { return respondToPairing(answer, over: id) }
    guard let pairing = connections[id]?.pairing, pairing.asked.contains(adapter) else { return }
    switch answer {
    case .no:
      connections[id]?.pairing?.asked.remove(adapter)
      return endPairing(id, .failure(.failed))
    case .passkey(let passkey) where passkey != pairing.passkey: return endPairing(id, .failure(.failed))
    case .passkey, .yes: break
    }
    connections[id]?.pairing?.asked.remove(adapter)
    if connections[id]?.pairing?.asked.isEmpty == true { endPairing(id, .success(())) }
  }

  mutating func endPairing(_ id: ConnectionID, _ result: Result<Void, PairingFailure>) {
    guard let connection = connections[id], let pairing = connection.pairing else { return }
    connections[id]?.pairing = nil
    for adapter in pairing.asked.sorted() { actions.append(.pairingCancelled(id, adapter)) }
    switch result {
    case .success:
      guard let central = adapters[connection.central], let peripheral = adapters[connection.peripheral] else {
        return
      }
      update(central.id) { $0.bonds.insert(peripheral.identity) }
      update(peripheral.id) { $0.bonds.insert(central.identity) }
      connections[id]?.security = pairing.method.security
      actions.append(.paired(id))
      if let operation = pairing.operation { actions.append(.completed(operation, .success([]))) }
      guard connection.isSecuring else { return }
      connections[id]?.isSecuring = false
      startProcedure(over: id)
    case .failure(let failure):
      if let operation = pairing.operation {
        actions.append(.completed(operation, .failure(.pairing(failure))))
      }
      guard connection.isSecuring else { return }
      connections[id]?.isSecuring = false
      finish(.failure(.att(.unlikelyError)), over: id)
    }
  }
}
