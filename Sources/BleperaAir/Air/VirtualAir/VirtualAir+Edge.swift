import BleperaBluetooth
import BleperaHost

/// The host stack of a peripheral of the air towards a host outside it: frames become the air's own requests, and the
/// answers become frames.
struct HostEdge: Sendable {
  var reassembler = L2CAPReassembler()
  /// The request that the next response answers.
  var request: ATTPDU?
  /// Whether the two MTUs have been exchanged, which happens once.
  var hasExchangedMTU = false
  var security: SecurityManager
  /// The number of the timer that runs; nil for none.
  var pairingTurn: Int?
  /// Whether the user's answer is awaited.
  var isAsked = false
  /// What the peripheral's own host waits for.
  var operation: OperationID?
  /// Of the bond whose key the central asked for; nil while there is none.
  var bondSecurity: LinkSecurity?

  init(security: SecurityManager) { self.security = security }
}

/// What a peripheral of the air does with the frames of a host outside it.
extension VirtualAir {
  mutating func receive(_ frame: L2CAPFrame, over id: ConnectionID) {
    switch frame.channel {
    case L2CAPFrame.attributes: receiveAttributes(frame.payload, over: id)
    case L2CAPFrame.signaling: receiveSignal(frame.payload, over: id)
    case L2CAPFrame.security: receiveSecurity(frame.payload, over: id)
    default: receiveChannelFrame(frame, over: id)
    }
  }

  mutating func greet(with bytes: [UInt8], over id: ConnectionID) {
    if connections[id]?.edge != nil { answer(L2CAPFrame(channel: Self.greetings, payload: bytes), over: id) }
  }

  private static let greetings: UInt16 = 0x003A

  private mutating func receiveAttributes(_ bytes: [UInt8], over id: ConnectionID) {
    do throws(ATTFault) {
      receive(try ATTPDU(bytes), over: id)
    } catch {
      if case .answered(let response) = error { answer(.errorResponse(response), over: id) }
    }
  }

  private mutating func receive(_ pdu: ATTPDU, over id: ConnectionID) {
    switch pdu {
    case .handleValueConfirmation: return confirmed(over: id)
    case .writeCommand(let handle, let value): return serve(.command(handle, value), over: id)
    // The client has to wait for the response (Core Specification, Vol 3, Part F, 3.3.2).
    case _ where connections[id]?.pending != nil: return
    case .exchangeMTURequest(let mtu): exchangeMTU(Int(mtu), pdu, over: id)
    case .readRequest(let handle): serve(.read(handle), of: pdu, over: id)
    case .readBlobRequest(let handle, let offset): serve(.readBlob(handle, offset: offset), of: pdu, over: id)
    case .writeRequest(let handle, let value): serve(.write(handle, value), of: pdu, over: id)
    case .prepareWriteRequest(let write):
      serve(.prepare(write.handle, offset: write.offset, write.value), of: pdu, over: id)
    case .executeWriteRequest(let isWanted): serve(.execute(isWanted), of: pdu, over: id)
    case .findInformationRequest: search(nil, pdu, over: id)
    case .findByTypeValueRequest(_, let type, _), .readByTypeRequest(_, let type),
      .readByGroupTypeRequest(_, let type):
      search(type, pdu, over: id)
    case .readMultipleRequest, .readMultipleVariableRequest: answer(pdu.error(.requestNotSupported), over: id)
    // A signature needs a key of a bond, and the peripheral asks for nothing itself.
    default: break
    }
  }

  private mutating func serve(_ request: ATTRequest, of pdu: ATTPDU, over id: ConnectionID) {
    connections[id]?.edge?.request = pdu
    serve(request, over: id)
  }

  /// Once in a connection.
  private mutating func exchangeMTU(_ mtu: Int, _ pdu: ATTPDU, over id: ConnectionID) {
    guard let connection = connections[id], connection.edge?.hasExchangedMTU == false,
      let own = adapters[connection.peripheral]?.description.mtu
    else { return answer(pdu.error(.requestNotSupported), over: id) }
    connections[id]?.edge?.hasExchangedMTU = true
    answer(.exchangeMTUResponse(UInt16(clamping: own)), over: id)
    connections[id]?.mtu = max(ATTMTU.range.lowerBound, min(own, mtu))
    actions.append(.mtuChanged(id))
  }

  private mutating func search(_ type: BluetoothUUID?, _ pdu: ATTPDU, over id: ConnectionID) {
    guard let connection = connections[id], let server = adapters[connection.peripheral] else { return }
    let attributes = server.database.searched { attribute in
      attribute.type == type ? searched(attribute, of: server, over: connection) : .bytes([])
    }
    switch AttributeSearch(attributes, mtu: connection.mtu).answer(pdu) {
    case .response(let response): answer(response, over: id)
    case .ask(let handle):
      guard let type else { return }
      // The response and an error have that attribute.
      serve(.read(handle), of: .readByTypeRequest(handle...handle, type: type), over: id)
    case nil: break
    }
  }

  private func searched(
    _ attribute: DatabaseAttribute, of server: AirAdapter, over connection: AirConnection
  ) -> ATTAttribute.Value {
    if let error = refusal(ofReading: attribute, over: connection) { return .refused(error) }
    return storedValue(of: attribute, at: server, over: connection).map { .bytes($0) } ?? .asked
  }

  // MARK: Answers

  /// - Returns: false for a packet that hosts outside the air exchange as it is.
  mutating func deliverOutside(_ packet: LinkPacket, over connection: AirConnection) -> Bool {
    switch packet {
    case .data, .control: return false
    case .value(let handle, let value, let isIndication):
      connections[connection.id]?.valuesInTransit -= 1
      deliver(.value(handle, value, isIndication: isIndication), over: connection)
    case .response(let response):
      if let request = connection.edge?.request {
        deliver(request.answer(response, mtu: connection.mtu), over: connection)
      }
    case .channel(let packet):
      if let frame = frame(of: packet) { deliver(frame, over: connection) }
    // Only stacks of the air send these.
    case .request, .confirmation, .serviceChanged: break
    }
    return true
  }

  private mutating func deliver(_ pdu: ATTPDU, over connection: AirConnection) {
    deliver(L2CAPFrame(channel: L2CAPFrame.attributes, payload: pdu.bytes), over: connection)
  }

  private mutating func deliver(_ frame: L2CAPFrame, over connection: AirConnection) {
    for data in frame.linkData {
      capturePacket(.data(data, isUpward: false), over: connection)
      actions.append(.link(connection.id, to: connection.central, .data(data)))
    }
  }

  private mutating func answer(_ pdu: ATTPDU, over id: ConnectionID) {
    answer(L2CAPFrame(channel: L2CAPFrame.attributes, payload: pdu.bytes), over: id)
  }

  mutating func answer(_ frame: L2CAPFrame, over id: ConnectionID) {
    for data in frame.linkData { send(.data(data, isUpward: false), over: id) }
  }
}

extension L2CAPFrame {
  fileprivate var linkData: [LinkData] {
    fragments(of: LinkEvents.longestPDU).map { LinkData(isStart: $0.isStart, $0.bytes) }
  }
}
