import BleperaBluetooth

/// What a host asks of its peer: one request at a time, as ATT requires.
extension HostStack {
  mutating func beginDiscovery(over id: ConnectionID) {
    links[id]?.waiting = [.exchangeMTU, .discovery(ServiceDiscovery())]
    advance(id)
  }

  /// - Parameter known: the peer's services as they were over an earlier connection.
  mutating func exchangeMTU(knowing known: [RemoteService], over id: ConnectionID) {
    links[id]?.services = known
    links[id]?.waiting.append(.exchangeMTU)
    advance(id)
  }

  /// Discovers all services but those that are as they were, like bluetoothd.
  mutating func discover(over id: ConnectionID) {
    guard let known = links[id]?.services else { return }
    links[id]?.waiting.append(.discovery(ServiceDiscovery(known: known)))
    advance(id)
  }

  /// A peripheral may be a client, too.
  mutating func discoverAsPeripheral(over id: ConnectionID) {
    guard let link = links[id] else { return }
    links[id]?.waiting = (link.hasExchangedMTU ? [] : [.exchangeMTU]) + [.primaryServices(from: 1)]
    advance(id)
  }

  mutating func perform(_ operation: OperationID, _ what: ClientOperation, over id: ConnectionID) {
    guard links[id] != nil else { return act(.completed(operation, .failure(.notConnected))) }
    links[id]?.waiting.append(.operation(ClientProcedure(operation, what)))
    advance(id)
  }

  private mutating func advance(_ id: ConnectionID) {
    guard links[id]?.active == nil, links[id]?.waiting.isEmpty == false,
      let next = links[id]?.waiting.removeFirst()
    else { return }
    links[id]?.active = next
    start(over: id)
  }

  mutating func start(over id: ConnectionID) {
    if case .operation(let procedure)? = links[id]?.active, procedure.operation.isOfServices, let link = links[id] {
      if procedure.operation == .services, link.hasServices, link.changes.isEmpty {
        return finish(.success(.services(link.services)), over: id)
      }
      links[id]?.hasServices = false
      links[id]?.changes = []
    }
    guard let mtu = links[id]?.mtu, let step = links[id]?.active?.start(mtu: mtu, offering: offeredMTU) else { return }
    run(step, over: id)
  }

  private mutating func run(_ step: ClientTask.Step, over id: ConnectionID) {
    switch step {
    case .send(let pdu) where pdu.opcode.kind == .request:
      send(pdu, over: id)
      links[id]?.unanswered = pdu
      let turn = startTimer(.request) { .answerTimesOut(id, turn: $0) }
      links[id]?.answerTurn = turn
    case .send(let pdu):
      guard behavior.client == .phone, case .operation(let procedure)? = links[id]?.active else {
        send(pdu, over: id)
        return finish(.success(.bytes([])), over: id)
      }
      send(L2CAPFrame(channel: L2CAPFrame.attributes, payload: pdu.bytes), as: .command(procedure.id), over: id)
      ended(over: id)
    case .agreed(let mtu):
      agree(onMTU: min(offeredMTU, mtu ?? ATTMTU.range.lowerBound), over: id)
      ended(over: id)
    case .ended: ended(over: id)
    case .discovered(let services, let name, let range):
      if let name { links[id]?.peerName = name }
      discovered(services, in: range, over: id)
    case .finish(.success(let answer)): finish(.success(answer), over: id)
    case .finish(.failure(let error)):
      guard secure(id, after: error) else { return finish(.failure(.att(error)), over: id) }
    }
  }

  mutating func answerTimesOut(_ id: ConnectionID, turn: Int) {
    guard let link = links[id], link.unanswered != nil, link.answerTurn == turn else { return }
    end(id, because: .timeout)
  }

  mutating func finish(_ result: Result<ClientAnswer, ClientFailure>, over id: ConnectionID) {
    guard case .operation(let procedure)? = links[id]?.active else { return }
    act(.completed(procedure.id, result))
    ended(over: id)
  }

  private mutating func ended(over id: ConnectionID) {
    links[id]?.active = nil
    advance(id)
  }

  /// Takes what the peer's server sends.
  mutating func receive(_ pdu: ATTPDU, over id: ConnectionID) {
    switch pdu {
    case .handleValueNotification(let handle, let value): act(.valueChanged(id, handle, value))
    case .multipleHandleValueNotification(let rows):
      for row in rows { act(.valueChanged(id, row.handle, row.value)) }
    case .handleValueIndication(let handle, let value):
      if links[id]?.serviceChanged == handle {
        serviceChanged(value, over: id)
      } else {
        act(.valueChanged(id, handle, value))
      }
      send(.handleValueConfirmation, over: id)
    default: receive(response: pdu, over: id)
    }
  }

  /// A response that no server gives ends its request with an error, as in bluetoothd (src/shared/att.c,
  /// src/shared/gatt-helpers.c); the code is ours.
  ///
  /// - Parameter response: nil for bytes that are no response.
  mutating func receive(response: ATTPDU?, over id: ConnectionID) {
    // Nothing for a response after its procedure has ended, or to nothing.
    guard let request = links[id]?.unanswered, let mtu = links[id]?.mtu else { return }
    let valid = response.flatMap { $0.responds(to: request) ? $0 : nil }
    guard let step = links[id]?.active?.take(valid ?? request.error(.unlikelyError), mtu: mtu) else { return }
    links[id]?.unanswered = nil
    continueTask(with: step, over: id)
  }

  /// A search lets what waits go first after each response, as with one queue of requests in bluetoothd.
  private mutating func continueTask(with step: ClientTask.Step, over id: ConnectionID) {
    guard let search = links[id]?.active, search.isSearch, case .send = step, links[id]?.waiting.isEmpty == false else {
      return run(step, over: id)
    }
    links[id]?.waiting.append(search)
    ended(over: id)
  }

  // MARK: Services

  private mutating func discovered(
    _ services: [RemoteService], in range: ClosedRange<AttributeHandle>?, over id: ConnectionID
  ) {
    if case .operation? = links[id]?.active {
      links[id]?.services = services
      links[id]?.hasServices = true
      return finish(.success(.services(services)), over: id)
    }
    if let range {
      let others = links[id]?.services.filter { !$0.range.overlaps(range) } ?? []
      links[id]?.services = (others + services).sorted { $0.range.lowerBound < $1.range.lowerBound }
      act(.servicesChanged(id, range))
      links[id]?.isFollowingChange = false
      followChange(over: id)
    } else {
      links[id]?.services = services
      act(.servicesResolved(id))
    }
    ended(over: id)
  }

  /// The peer's services in a range of handles have changed.
  private mutating func serviceChanged(_ value: [UInt8], over id: ConnectionID) {
    guard value.count == 4 else { return }
    let (start, end): (UInt16, UInt16) = (LittleEndian.number(value[..<2]), LittleEndian.number(value[2...]))
    guard start <= end else { return }
    let range = AttributeHandle(rawValue: max(1, start))...AttributeHandle(rawValue: max(1, end))
    links[id]?.changes.append(range)
    guard behavior.client != .phone else { return act(.servicesChanged(id, range)) }
    followChange(over: id)
    advance(id)
  }

  /// One change after the other.
  private mutating func followChange(over id: ConnectionID) {
    guard let link = links[id], !link.isFollowingChange, let changed = link.changes.first else { return }
    links[id]?.changes.removeFirst()
    links[id]?.isFollowingChange = true
    let known = behavior.client == .discovering ? nil : link.services.filter { changed.overlaps($0.range) }
    links[id]?.waiting.append(.discovery(ServiceDiscovery(of: changed, known: known)))
  }
}

extension HostLink {
  /// The value handle of the peer's Service Changed.
  fileprivate var serviceChanged: AttributeHandle? { services.characteristic(AttributeTypes.serviceChanged)?.value }
}

/// What a host asks of its peer in several requests.
enum ClientTask: Sendable {
  case exchangeMTU
  /// Those with at least that handle, of which nothing is kept.
  case primaryServices(from: AttributeHandle)
  case discovery(ServiceDiscovery)
  case operation(ClientProcedure)

  enum Step: Sendable {
    case send(ATTPDU)
    /// On the peer's MTU; nil where it has none.
    case agreed(Int?)
    case ended
    /// In a range that has changed; nil for all, and with the Device Name if the peer has one.
    case discovered([RemoteService], name: String?, in: ClosedRange<AttributeHandle>?)
    case finish(Result<ClientAnswer, ATTError>)
  }

  var isSearch: Bool {
    switch self {
    case .exchangeMTU: false
    case .primaryServices, .discovery: true
    case .operation(let procedure): if case .readByType = procedure.operation { true } else { false }
    }
  }

  /// Returns the first request, also where the task begins again; a search continues where it was.
  mutating func start(mtu: Int, offering offered: Int) -> Step {
    switch self {
    case .exchangeMTU: return .send(.exchangeMTURequest(UInt16(clamping: offered)))
    case .primaryServices(let start): return .send(Self.primaryServices(from: start))
    case .discovery(var discovery):
      defer { self = .discovery(discovery) }
      return discovery.next()
    case .operation(var procedure):
      defer { self = .operation(procedure) }
      return procedure.start(mtu: mtu)
    }
  }

  mutating func take(_ response: ATTPDU, mtu: Int) -> Step {
    switch self {
    case .exchangeMTU:
      guard case .exchangeMTUResponse(let peer) = response else { return .agreed(nil) }
      return .agreed(Int(peer))
    case .primaryServices:
      guard case .readByGroupTypeResponse(let groups) = response, let next = groups.last?.range.upperBound.successor
      else { return .ended }
      self = .primaryServices(from: next)
      return .send(Self.primaryServices(from: next))
    case .discovery(var discovery):
      defer { self = .discovery(discovery) }
      // The services that were being discovered are then not there, as in bluetoothd.
      if discovery.error(in: response) != nil { return .discovered([], name: nil, in: discovery.range) }
      discovery.take(response)
      return discovery.next()
    case .operation(var procedure):
      defer { self = .operation(procedure) }
      return procedure.take(response, mtu: mtu)
    }
  }

  private static func primaryServices(from start: AttributeHandle) -> ATTPDU {
    .readByGroupTypeRequest(start...AttributeHandle(rawValue: .max), type: AttributeTypes.primaryService)
  }
}
