import BleperaBluetooth

/// How a stack handles the requests of a client (as BlueZ src/shared/gatt-server.c, src/gatt-database.c).
extension HostStack {
  mutating func serve(_ pdu: ATTPDU, over id: ConnectionID) {
    switch pdu {
    case .handleValueConfirmation: return confirmed(over: id)
    case .writeCommand(let handle, let value):
      _ = write(value, to: handle, isCommand: true, over: id)
      return
    // A signature needs a key of a bond.
    case .signedWriteCommand: return
    default: break
    }
    guard links[id]?.server.begin(pdu) == true else { return }
    switch pdu {
    case .exchangeMTURequest(let mtu): exchangeMTU(Int(mtu), over: id)
    case .readRequest(let handle): read(handle, offset: 0, over: id)
    case .readBlobRequest(let handle, let offset): read(handle, offset: offset, over: id)
    case .writeRequest(let handle, let value):
      if let result = write(value, to: handle, isCommand: false, over: id) { respond(result, over: id) }
    case .prepareWriteRequest(let write): prepare(write, over: id)
    case .executeWriteRequest(let isWanted): execute(isWanted, over: id)
    case .readMultipleRequest(let handles), .readMultipleVariableRequest(let handles):
      read(handles[0], offset: 0, over: id)
    case .findInformationRequest: search(nil, pdu, over: id)
    case .findByTypeValueRequest(_, let type, _), .readByTypeRequest(_, let type),
      .readByGroupTypeRequest(_, let type):
      search(type, pdu, over: id)
    default: respond(.failure(.requestNotSupported), over: id)
    }
  }

  /// Answers the request with the value of a read, or with nothing.
  mutating func respond(_ result: Result<[UInt8], ATTError>, over id: ConnectionID) {
    guard let mtu = links[id]?.mtu else { return }
    let response = links[id]?.server.respond(result, mtu: mtu, joined: behavior.joinsPreparedWrites)
    if let response { send(response, over: id) }
  }

  private mutating func exchangeMTU(_ mtu: Int, over id: ConnectionID) {
    guard links[id]?.server.exchangeMTU() == true else { return respond(.failure(.requestNotSupported), over: id) }
    let offered = offeredMTU(over: id)
    send(.exchangeMTUResponse(UInt16(clamping: offered)), over: id)
    agree(onMTU: min(offered, mtu), over: id)
  }

  /// The last completed exchange decides where both sides have asked.
  mutating func agree(onMTU mtu: Int, over id: ConnectionID) {
    links[id]?.mtu = max(ATTMTU.range.lowerBound, mtu)
    act(.mtuChanged(id))
  }

  private mutating func search(_ type: BluetoothUUID?, _ pdu: ATTPDU, over id: ConnectionID) {
    guard let client = links[id]?.client else { return }
    let attributes = database.searched { attribute in
      attribute.type == type ? searched(attribute, by: client) : .bytes([])
    }
    switch AttributeSearch(attributes, mtu: client.mtu).answer(pdu) {
    case .response(let response):
      links[id]?.server.end()
      send(response, over: id)
    case .ask(let handle):
      guard let type else { return }
      // The response and an error have that attribute.
      links[id]?.server.begin(.readByTypeRequest(handle...handle, type: type))
      read(handle, offset: 0, over: id)
    case nil: respond(.failure(.requestNotSupported), over: id)
    }
  }

  private func searched(_ attribute: DatabaseAttribute, by client: ATTClient) -> ATTAttribute.Value {
    if let error = refusal(ofReading: attribute, by: client) { return .refused(error) }
    return storedValue(of: attribute, for: client).map { .bytes($0) } ?? .asked
  }

  // MARK: Applications

  func options(_ id: ConnectionID, _ client: ATTClient, offset: Int = 0) -> AttributeRequestOptions {
    AttributeRequestOptions(connection: id, device: client.address, mtu: client.mtu, offset: offset)
  }

  mutating func ask(
    _ purpose: PendingRequest.Purpose, _ objects: [ApplicationObject], over id: ConnectionID
  ) -> AttributeRequestID {
    lastRequest += 1
    let request = AttributeRequestID(link: id, number: lastRequest)
    links[id]?.server.wait(for: PendingRequest(id: request, objects: objects, purpose: purpose))
    outputs.append(.timer(.requestTimesOut(request), after: behavior.requestTimeout))
    return request
  }

  /// The stack responds itself, or disconnects.
  mutating func requestTimesOut(_ request: AttributeRequestID) {
    guard links[request.link]?.server.pending?.id == request else { return }
    guard let error = behavior.timeoutError else {
      return outputs.append(.link(request.link, .disconnect(.userTerminated)))
    }
    answer(request, .failure(error))
  }

  /// Accepts the first response to a request if the connection still exists.
  mutating func answer(_ request: AttributeRequestID, _ result: Result<[UInt8], ATTError>) {
    let id = request.link
    guard let purpose = links[id]?.server.answered(request) else { return }
    guard case .success(let value) = result else { return respond(result, over: id) }
    switch purpose {
    case .read: hasRead(value, over: id)
    case .write: respond(.success([]), over: id)
    case .prepare(let write): enqueue(write, over: id)
    case .execute(let rest): continueExecution(rest, over: id)
    }
  }

  /// bluetoothd does not wait for the application if the attribute also permits writing without response.
  func respondsItself(to attribute: DatabaseAttribute) -> Bool {
    attribute.flags.contains(.writeWithoutResponse) && behavior.respondsForApplications
  }

  // MARK: Permissions

  func refusal(ofReading attribute: DatabaseAttribute, by client: ATTClient) -> ATTError? {
    refusal(attribute.access.refusal(ofReadingOver: client.security), of: attribute, by: client)
  }

  func refusal(ofWriting attribute: DatabaseAttribute, by client: ATTClient) -> ATTError? {
    refusal(attribute.access.refusal(ofWritingOver: client.security), of: attribute, by: client)
  }

  private func refusal(_ error: ATTError?, of attribute: DatabaseAttribute, by client: ATTClient) -> ATTError? {
    if attribute.access.isEmpty, behavior.ignoresEmptyPermissions { return nil }
    return error == .insufficientEncryption && !isBonded(with: client.address) ? behavior.missingKeyError : error
  }

  // MARK: Reads

  private mutating func hasRead(_ value: [UInt8], over id: ConnectionID) {
    guard let mtu = links[id]?.mtu else { return }
    if let whole = links[id]?.server.hasRead(value) {
      respond(.success(Array(whole.prefix(min(mtu - 1, AttributeValue.maximumLength)))), over: id)
    } else if let next = links[id]?.server.reading {
      read(next, offset: 0, over: id)
    }
  }

  private mutating func read(_ handle: AttributeHandle, offset: Int, over id: ConnectionID) {
    guard let client = links[id]?.client else { return }
    guard let attribute = database.attribute(handle) else { return respond(.failure(.invalidHandle), over: id) }
    if let error = refusal(ofReading: attribute, by: client) { return respond(.failure(error), over: id) }
    if case .application(let object) = attribute.content {
      let request = ask(.read, [object], over: id)
      return act(.read(request, object, options(id, client, offset: offset)))
    }
    do throws(ATTError) {
      hasRead(try AttributeValue.slice(storedValue(of: attribute, for: client) ?? [], from: offset), over: id)
    } catch {
      respond(.failure(error), over: id)
    }
  }

  /// Nil where the application has to be asked.
  private func storedValue(of attribute: DatabaseAttribute, for client: ATTClient) -> [UInt8]? {
    switch attribute.content {
    case .application: nil
    case .fixed(let bytes): bytes
    case .deviceName: Array(name.utf8)
    case .databaseHash: database.hash
    case .clientFeatures: [0]
    case .clientConfiguration: LittleEndian.bytes(database.configuration(attribute.handle, of: client.address))
    }
  }

  // MARK: Writes

  /// Returns nil where the application responds.
  private mutating func write(
    _ value: [UInt8], to handle: AttributeHandle, isCommand: Bool, over id: ConnectionID
  ) -> Result<[UInt8], ATTError>? {
    guard let client = links[id]?.client else { return nil }
    guard let attribute = database.attribute(handle) else { return .failure(.invalidHandle) }
    if let error = refusal(ofWriting: attribute, by: client) { return .failure(error) }
    guard value.count <= behavior.longestWrite || isCommand && behavior.fillsPackets else {
      return .failure(.invalidAttributeValueLength)
    }
    switch attribute.content {
    case .application(let object):
      let isAnswered = isCommand || respondsItself(to: attribute)
      let request = isAnswered ? nil : ask(.write, [object], over: id)
      act(.write(request, object, value, options(id, client)))
      return isAnswered ? .success([]) : nil
    case .clientConfiguration: return subscribe(attribute, value, over: id)
    case .clientFeatures: return .success([])
    case .fixed, .deviceName, .databaseHash: return .failure(.writeNotPermitted)
    }
  }

  /// Two bytes: 1 for notifications, 2 for indications, if the characteristic supports them; otherwise error 0xFD.
  mutating func subscribe(
    _ attribute: DatabaseAttribute, _ value: [UInt8], over id: ConnectionID
  ) -> Result<[UInt8], ATTError> {
    guard value.count == 2, let peer = links[id]?.peer else { return .failure(.invalidAttributeValueLength) }
    let configuration: UInt16 = LittleEndian.number(value)
    let isOffered =
      switch configuration {
      case 0: true
      case 1: attribute.flags.contains(.notify)
      case 2: attribute.flags.contains(.indicate)
      default: false
      }
    guard isOffered else { return .failure(.cccdImproperlyConfigured) }
    configure(attribute.handle, of: peer, to: configuration, over: id)
    return .success([])
  }

  /// Changes a Client Characteristic Configuration and reports a change to or from 0.
  mutating func configure(
    _ descriptor: AttributeHandle, of peer: DeviceAddress, to value: UInt16, over id: ConnectionID?
  ) {
    guard let attribute = database.attribute(descriptor),
      case .clientConfiguration(let characteristic) = attribute.content
    else { return }
    let before = database.configuration(descriptor, of: peer)
    guard before != value else { return }
    let isFirst = database.subscribers(of: characteristic).isEmpty
    database.configure(descriptor, of: peer, to: value)
    guard case .application(let object)? = database.attribute(characteristic)?.content else { return }
    if before == 0, let id {
      act(.subscribed(object, id, isFirst: isFirst, isIndication: value == 2))
    } else if value == 0 {
      act(.unsubscribed(object, peer, isLast: database.subscribers(of: characteristic).isEmpty))
    }
  }
}
