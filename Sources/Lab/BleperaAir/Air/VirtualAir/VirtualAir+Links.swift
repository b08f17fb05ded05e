import BleperaBluetooth
import BleperaHost

/// The two controllers of a connection, as their hosts use them.
extension VirtualAir {
  mutating func link(_ request: LinkRequest, by side: AdapterID, over id: ConnectionID) {
    guard connections[id]?.has(side) == true else { return }
    let isUpward = connections[id]?.central == side
    switch request {
    case .data(let data): send(.data(data, isUpward: isUpward), over: id)
    case .disconnect(let reason): leave(id, by: side, reason: reason)
    case .readFeatures: ask(.featureRequest(byCentral: isUpward), isUpward: isUpward, over: id)
    case .readVersion: ask(.version(isAnswer: false), isUpward: isUpward, over: id)
    case .abandon: cut(id)
    case .update(let parameters):
      connections[id]?.parameterTurn = nil
      send(.control(.update(parameters), isUpward: isUpward), over: id)
    case .requestParameters(let request):
      let turn = startProcedure(.parameters, over: id)
      connections[id]?.parameterTurn = turn
      send(.control(.parameterRequest(request), isUpward: isUpward), over: id)
    case .refuseParameters(let reason):
      connections[id]?.parameterTurn = nil
      send(.control(.rejectParameters(reason: reason), isUpward: isUpward), over: id)
    case .encrypt(let key): encrypt(with: key, over: id)
    case .key(let key): answer(key: key, over: id)
    case .setDataLength(let length):
      if isUpward { connections[id]?.offeredLengths.up = length } else { connections[id]?.offeredLengths.down = length }
      ask(.lengthRequest(length), isUpward: isUpward, over: id)
    }
  }

  private mutating func ask(_ control: LinkControl, isUpward: Bool, over id: ConnectionID) {
    let turn = startProcedure(.exchange, over: id)
    connections[id]?.openRequests.append((turn, isUpward))
    send(.control(control, isUpward: isUpward), over: id)
  }

  /// Both sides begin with what their controllers prefer; where it is the least, nothing is exchanged.
  mutating func exchangeDataLength(over id: ConnectionID) {
    guard let connection = connections[id], let up = adapters[connection.central]?.dataLength,
      let down = adapters[connection.peripheral]?.dataLength
    else { return }
    connections[id]?.offeredLengths = (up, down)
    if up > LinkEvents.shortestPDU {
      ask(.lengthRequest(up), isUpward: true, over: id)
    } else if down > LinkEvents.shortestPDU {
      ask(.lengthRequest(down), isUpward: false, over: id)
    }
  }

  /// The link layers answer without their hosts, except for parameters.
  private mutating func receive(_ control: LinkControl, isUpward: Bool, over connection: AirConnection) {
    let id = connection.id
    let receiver = isUpward ? connection.peripheral : connection.central
    switch control {
    case .terminate(let reason):
      disconnect(id, by: isUpward ? connection.central : connection.peripheral, reason: reason)
    case .featureRequest: send(.control(.featureResponse, isUpward: !isUpward), over: id)
    case .featureResponse:
      notify(receiver, .features, over: id)
      requestEnded(isUpward: !isUpward, over: id)
    case .version(isAnswer: false): send(.control(.version(isAnswer: true), isUpward: !isUpward), over: id)
    case .version(isAnswer: true):
      notify(receiver, .version, over: id)
      requestEnded(isUpward: !isUpward, over: id)
    case .update(let parameters):
      let instant = now + connection.parameters.interval * Self.instant
      timers.add(.parametersChange(id, parameters), at: instant)
    case .parameterRequest(let request):
      // An update that crosses the request is its answer.
      if connection.parameterTurn != nil { notify(receiver, .parametersRequested(request), over: id) }
    case .rejectParameters(let reason): notify(receiver, .parametersRefused(reason: reason), over: id)
    case .encryption(let control): receive(control, isUpward: isUpward, over: connection)
    case .lengthRequest(let length):
      let answer = isUpward ? connection.offeredLengths.down : connection.offeredLengths.up
      setDataLength(length, isUpward: isUpward, answer, over: connection)
      send(.control(.lengthResponse(answer), isUpward: !isUpward), over: id)
    case .lengthResponse(let length):
      let own = isUpward ? connection.offeredLengths.down : connection.offeredLengths.up
      notifyDataLength(to: receiver, sent: own, received: length, over: id)
      notify(receiver, .dataLengthAnswered, over: id)
      requestEnded(isUpward: !isUpward, over: id)
    }
  }

  /// Both lengths change at the request; the side that has asked knows it with the response.
  private mutating func setDataLength(_ length: Int, isUpward: Bool, _ answer: Int, over connection: AirConnection) {
    connections[connection.id]?.dataLengths = isUpward ? (length, answer) : (answer, length)
    notifyDataLength(
      to: isUpward ? connection.peripheral : connection.central, sent: answer, received: length, over: connection.id)
  }

  /// LE Data Length Change is reported where a length has changed.
  private mutating func notifyDataLength(to side: AdapterID, sent: Int, received: Int, over id: ConnectionID) {
    let known = connections[id]?.knownLengths[side] ?? (LinkEvents.shortestPDU, LinkEvents.shortestPDU)
    guard known != (sent, received) else { return }
    connections[id]?.knownLengths[side] = (sent, received)
    notify(side, .dataLength(sent: sent, received: received), over: id)
  }

  mutating func parametersChange(_ parameters: LinkParameters, over id: ConnectionID) {
    guard let connection = connections[id] else { return }
    connections[id]?.parameters = parameters
    connections[id]?.events = LinkEvents(anchor: now, interval: parameters.interval)
    for side in [connection.central, connection.peripheral] { notify(side, .parametersChanged(parameters), over: id) }
  }

  /// How many events after an update its instant is (Core Specification, Vol 6, Part B, 5.1.1).
  static let instant = 6

  mutating func notify(_ side: AdapterID, _ notice: LinkNotice, over id: ConnectionID) {
    if hosts.contains(side) {
      host(side) { $0.receive(notice, over: id) }
    } else {
      actions.append(.linkLayer(side, .link(id, notice)))
    }
  }

  mutating func receive(_ packet: LinkPacket, over id: ConnectionID, between sides: AirConnection.Sides) {
    capture?.received(packet, over: id, at: now)
    switch packet.content {
    case .data(let data):
      notify(packet.isUpward ? sides.central : sides.peripheral, .sent, over: id)
      notify(packet.isUpward ? sides.peripheral : sides.central, .data(data), over: id)
    case .control(let control):
      if let connection = connections[id] { receive(control, isUpward: packet.isUpward, over: connection) }
    }
  }
}
