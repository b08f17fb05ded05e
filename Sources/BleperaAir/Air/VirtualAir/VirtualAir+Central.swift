import BleperaBluetooth

/// Operations of centrals over their connections: one request at a time, as ATT requires.
extension VirtualAir {
  mutating func perform(_ id: OperationID, _ connection: ConnectionID, _ operation: ClientOperation) {
    guard connections[connection] != nil else {
      return actions.append(.completed(id, .failure(.notConnected)))
    }
    connections[connection]?.waiting.append(ClientProcedure(id, operation))
    advance(connection)
  }

  private mutating func advance(_ id: ConnectionID) {
    guard var connection = connections[id], connection.active == nil, !connection.waiting.isEmpty else { return }
    connection.active = connection.waiting.removeFirst()
    connections[id] = connection
    startProcedure(over: id)
  }

  mutating func startProcedure(over id: ConnectionID) {
    guard let mtu = connections[id]?.mtu, let step = connections[id]?.active?.start(mtu: mtu) else { return }
    run(step, over: id)
  }

  private mutating func run(_ step: ClientProcedure.Step, over id: ConnectionID) {
    switch step {
    case .send(.command(let handle, let value)):
      send(.request(.command(handle, value)), over: id)
      finish(.success([]), over: id)
    case .send(let request):
      connections[id]?.request = request.opcode
      send(.request(request), over: id)
    case .finish(.success(let value)): finish(.success(value), over: id)
    case .finish(.failure(let error)):
      guard secure(id, after: error) else { return finish(.failure(.att(error)), over: id) }
    }
  }

  mutating func finish(_ result: Result<[UInt8], ClientFailure>, over id: ConnectionID) {
    guard let procedure = connections[id]?.active else { return }
    connections[id]?.active = nil
    actions.append(.completed(procedure.id, result))
    advance(id)
  }

  /// Like bluetoothd, raises the security of an insufficiently secured link by pairing, and repeats the request.
  private mutating func secure(_ id: ConnectionID, after error: ATTError) -> Bool {
    guard error == .insufficientEncryption || error == .insufficientAuthentication, let connection = connections[id],
      connection.active?.hasSecured == false, connection.pairing == nil
    else { return false }
    connections[id]?.active?.hasSecured = true
    connections[id]?.isSecuring = true
    beginPairing(id, nil, by: connection.central)
    return true
  }

  mutating func receive(_ packet: LinkPacket, over id: ConnectionID) {
    guard let connection = connections[id] else { return }
    if connection.edge != nil, deliverOutside(packet, over: connection) { return }
    capturePacket(packet, over: connection)
    switch packet {
    case .request(let request): serve(request, over: id)
    case .response(let response):
      guard let step = connections[id]?.active?.take(response, mtu: connection.mtu) else { return }
      run(step, over: id)
    case .value(let handle, let value, let isIndication):
      connections[id]?.valuesInTransit -= 1
      actions.append(.valueChanged(id, handle, value))
      if isIndication { send(.confirmation, over: id) }
    case .confirmation: confirmed(over: id)
    case .serviceChanged: serviceChanged(id)
    case .channel(let packet): receive(packet, over: id)
    case .data(let data, let isUpward): receive(data, isUpward: isUpward, over: connection)
    case .control(let control, let isUpward): receive(control, isUpward: isUpward, over: connection)
    }
  }
}
