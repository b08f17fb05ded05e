import BleperaBluetooth

/// The requests of a host to its peer.
extension HostStack {
  mutating func beginDiscovery(over id: ConnectionID) {
    add(.exchangeMTU, over: id)
    add(.discovery(ServiceDiscovery()), over: id)
  }

  /// - Parameter known: the peer's services as they were over an earlier connection.
  mutating func exchangeMTU(knowing known: [RemoteService], over id: ConnectionID) {
    links[id]?.remote.know(known)
    add(.exchangeMTU, over: id)
  }

  /// Discovers all services but those that are as they were, like bluetoothd.
  mutating func discover(over id: ConnectionID) {
    guard let known = links[id]?.services else { return }
    add(.discovery(ServiceDiscovery(known: known)), over: id)
  }

  /// A peripheral may be a client, too.
  mutating func discoverAsPeripheral(over id: ConnectionID) {
    if links[id]?.server.hasExchangedMTU == false { add(.exchangeMTU, over: id) }
    add(.primaryServices(from: 1), over: id)
  }

  mutating func perform(_ operation: OperationID, _ what: GATTProcedure, over id: ConnectionID) {
    guard links[id] != nil else { return act(.completed(operation, .failure(.notConnected))) }
    add(.operation(ClientProcedure(operation, what)), over: id)
  }

  private mutating func add(_ task: ClientTask, over id: ConnectionID) {
    links[id]?.tasks.add(task)
    advance(id)
  }

  mutating func advance(_ id: ConnectionID) {
    if links[id]?.awaitsDataLength == false, links[id]?.tasks.begin() == true { start(over: id) }
  }

  mutating func start(over id: ConnectionID) {
    let offered = offeredMTU(over: id)
    if let step = links[id]?.start(offered: offered) { run(step, over: id) }
  }

  private mutating func run(_ step: ClientTask.Step, over id: ConnectionID) {
    switch step {
    case .send(let pdu) where pdu.opcode.kind == .request:
      send(pdu, over: id)
      let timer = startTimer(.request) { .answerTimesOut(id, turn: $0) }
      links[id]?.tasks.sent(pdu, timer: timer)
    case .send(let pdu):
      guard behavior.client == .phone, let procedure = links[id]?.tasks.operation else {
        send(pdu, over: id)
        return finish(.success(.done), over: id)
      }
      send(pdu, as: .command(procedure.id), over: id)
      ended(over: id)
    case .agreed(let mtu):
      agree(onMTU: mtu ?? ATTMTU.range.lowerBound, over: id)
      ended(over: id)
    case .ended: ended(over: id)
    case .discovered(let services, let name, let range):
      if let name { links[id]?.remote.name = name }
      discovered(services, in: range, over: id)
    case .finish(.success(let answer)): finish(.success(answer), over: id)
    case .finish(.failure(let error)):
      guard secure(id, after: error) else { return finish(.failure(.att(error)), over: id) }
    }
  }

  mutating func finish(_ result: Result<ProcedureAnswer, ProcedureFailure>, over id: ConnectionID) {
    guard let procedure = links[id]?.tasks.operation else { return }
    act(.completed(procedure.id, result))
    ended(over: id)
  }

  private mutating func ended(over id: ConnectionID) {
    links[id]?.tasks.end()
    advance(id)
  }

  /// Takes what the peer's server sends.
  mutating func receive(_ pdu: ATTPDU, over id: ConnectionID) {
    switch pdu {
    case .handleValueNotification(let handle, let value): act(.valueChanged(id, handle, value))
    case .multipleHandleValueNotification(let rows):
      for row in rows { act(.valueChanged(id, row.handle, row.value)) }
    case .handleValueIndication(let handle, let value):
      if links[id]?.remote.serviceChanged == handle {
        serviceChanged(value, over: id)
      } else {
        act(.valueChanged(id, handle, value))
      }
      send(.handleValueConfirmation, over: id)
    default: receive(response: pdu, over: id)
    }
  }

  /// - Parameter response: nil for bytes that are no response.
  mutating func receive(response: ATTPDU?, over id: ConnectionID) {
    guard let mtu = links[id]?.mtu, let step = links[id]?.tasks.take(response, mtu: mtu) else { return }
    run(step, over: id)
  }

  // MARK: Services

  private mutating func discovered(
    _ services: [RemoteService], in range: ClosedRange<AttributeHandle>?, over id: ConnectionID
  ) {
    if links[id]?.tasks.operation != nil {
      links[id]?.remote.know(services, isWanted: true)
      return finish(.success(.services(services)), over: id)
    }
    if let range {
      links[id]?.remote.replace(range, with: services)
      act(.servicesChanged(id, range))
      followChange(over: id)
    } else {
      links[id]?.remote.know(services)
      act(.servicesResolved(id))
    }
    ended(over: id)
  }

  /// The peer's services in a range of handles have changed.
  private mutating func serviceChanged(_ value: [UInt8], over id: ConnectionID) {
    guard let range = links[id]?.remote.changed(value) else { return }
    guard behavior.client != .phone else { return act(.servicesChanged(id, range)) }
    followChange(over: id)
    advance(id)
  }

  private mutating func followChange(over id: ConnectionID) {
    let search = links[id]?.remote.followChange(comparing: behavior.client != .discovering)
    if let search { links[id]?.tasks.add(.discovery(search)) }
  }
}
