import BleperaBluetooth

/// How a stack handles the requests of a client (as BlueZ src/shared/gatt-server.c, src/gatt-database.c).
extension HostStack {
  mutating func serve(_ pdu: ATTPDU, over id: ConnectionID) {
    switch pdu {
    case .handleValueConfirmation: return confirmed(over: id)
    case .writeCommand(let handle, let value): return write(value, to: handle, isCommand: true, over: id)
    // A signature needs a key of a bond.
    case .signedWriteCommand: return
    // The client has to wait for the response (Core Specification, Vol 3, Part F, 3.3.2).
    case _ where links[id]?.pending != nil: return
    default: break
    }
    links[id]?.request = pdu
    switch pdu {
    case .exchangeMTURequest(let mtu): exchangeMTU(Int(mtu), over: id)
    case .readRequest(let handle): read(handle, offset: 0, over: id)
    case .readBlobRequest(let handle, let offset): read(handle, offset: offset, over: id)
    case .writeRequest(let handle, let value): write(value, to: handle, isCommand: false, over: id)
    case .prepareWriteRequest(let write): prepare(write, over: id)
    case .executeWriteRequest(let isWanted): execute(isWanted, over: id)
    case .readMultipleRequest(let handles), .readMultipleVariableRequest(let handles):
      links[id]?.multiple = MultipleRead(rest: handles)
      readNext(over: id)
    case .findInformationRequest: search(nil, pdu, over: id)
    case .findByTypeValueRequest(_, let type, _), .readByTypeRequest(_, let type),
      .readByGroupTypeRequest(_, let type):
      search(type, pdu, over: id)
    default: respond(.failure(.requestNotSupported), over: id)
    }
  }

  /// Answers the request that is not answered.
  ///
  /// - Parameter result: the value of a read, else nothing.
  mutating func respond(_ result: Result<[UInt8], ATTError>, over id: ConnectionID) {
    guard let mtu = links[id]?.mtu, let request = links[id]?.request else { return }
    let attribute = links[id]?.multiple?.rest.first ?? failedPiece(result, over: id) ?? 0
    links[id]?.request = nil
    links[id]?.multiple = nil
    links[id]?.executing = nil
    send(request.answer(result, mtu: mtu, at: attribute), over: id)
  }

  /// Once in a connection.
  private mutating func exchangeMTU(_ mtu: Int, over id: ConnectionID) {
    guard links[id]?.hasExchangedMTU == false else { return respond(.failure(.requestNotSupported), over: id) }
    links[id]?.hasExchangedMTU = true
    links[id]?.request = nil
    send(.exchangeMTUResponse(UInt16(clamping: offeredMTU)), over: id)
    agree(onMTU: min(offeredMTU, mtu), over: id)
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
      links[id]?.request = nil
      send(response, over: id)
    case .ask(let handle):
      guard let type else { return }
      // The response and an error have that attribute.
      links[id]?.request = .readByTypeRequest(handle...handle, type: type)
      read(handle, offset: 0, over: id)
    case nil: respond(.failure(.requestNotSupported), over: id)
    }
  }

  private func searched(_ attribute: DatabaseAttribute, by client: LinkClient) -> ATTAttribute.Value {
    if let error = refusal(ofReading: attribute, by: client) { return .refused(error) }
    return storedValue(of: attribute, for: client).map { .bytes($0) } ?? .asked
  }

  // MARK: Applications

  func options(_ id: ConnectionID, _ client: LinkClient, offset: Int = 0) -> AttributeRequestOptions {
    AttributeRequestOptions(connection: id, device: client.address, mtu: client.mtu, offset: offset)
  }

  mutating func ask(
    _ purpose: PendingRequest.Purpose, _ objects: ApplicationObject..., over id: ConnectionID
  ) -> AttributeRequestID { ask(purpose, objects, over: id) }

  mutating func ask(
    _ purpose: PendingRequest.Purpose, _ objects: [ApplicationObject], over id: ConnectionID
  ) -> AttributeRequestID {
    lastRequest += 1
    let request = AttributeRequestID(link: id, number: lastRequest)
    links[id]?.pending = PendingRequest(id: request, objects: objects, purpose: purpose)
    outputs.append(.timer(.requestTimesOut(request), after: behavior.requestTimeout))
    return request
  }

  /// Either the stack responds itself, or it disconnects.
  mutating func requestTimesOut(_ request: AttributeRequestID) {
    guard links[request.link]?.pending?.id == request else { return }
    guard let error = behavior.timeoutError else {
      return outputs.append(.link(request.link, .disconnect(.userTerminated)))
    }
    answer(request, .failure(error))
  }

  /// Accepts the first response to a request if the connection still exists.
  mutating func answer(_ request: AttributeRequestID, _ result: Result<[UInt8], ATTError>) {
    let id = request.link
    guard let mtu = links[id]?.mtu, let pending = links[id]?.pending, pending.id == request else { return }
    links[id]?.pending = nil
    guard case .success(let value) = result else { return respond(result, over: id) }
    switch pending.purpose {
    case .read where links[id]?.multiple != nil:
      links[id]?.multiple?.take(value)
      readNext(over: id)
    case .read: respond(.success(cut(value, to: mtu)), over: id)
    case .write: respond(.success([]), over: id)
    case .prepare(let handle, let offset, let value): enqueue(handle, offset, value, over: id)
    case .execute(let rest): continueExecution(rest, over: id)
    }
  }

  /// bluetoothd does not wait for the application if the attribute also permits writing without response.
  func respondsItself(to attribute: DatabaseAttribute) -> Bool {
    attribute.flags.contains(.writeWithoutResponse) && behavior.respondsForApplications
  }

  // MARK: Permissions

  private func isOpen(_ attribute: DatabaseAttribute) -> Bool {
    attribute.access.isEmpty && behavior.ignoresEmptyPermissions
  }

  func refusal(ofReading attribute: DatabaseAttribute, by client: LinkClient) -> ATTError? {
    guard !isOpen(attribute) else { return nil }
    return attribute.access.refusal(ofReadingOver: client.security).map { refusal($0, of: client) }
  }

  func refusal(ofWriting attribute: DatabaseAttribute, by client: LinkClient) -> ATTError? {
    guard !isOpen(attribute) else { return nil }
    return attribute.access.refusal(ofWritingOver: client.security).map { refusal($0, of: client) }
  }

  private func refusal(_ error: ATTError, of client: LinkClient) -> ATTError {
    error == .insufficientEncryption && !isBonded(with: client.address) ? behavior.missingKeyError : error
  }

  // MARK: Reads

  /// One after the other (Core Specification, Vol 3, Part F, 3.4.4.7 and 3.4.4.11); the first error ends it.
  private mutating func readNext(over id: ConnectionID) {
    guard let link = links[id], let read = link.multiple, let request = link.request else { return }
    guard let next = read.rest.first else {
      links[id]?.multiple = nil
      let values =
        if case .readMultipleRequest = request { read.values.flatMap(\.self) } else {
          ATTPDU.lengthsAndValues(read.values)
        }
      return respond(.success(cut(values, to: link.mtu)), over: id)
    }
    self.read(next, offset: 0, over: id)
  }

  private mutating func read(_ handle: AttributeHandle, offset: Int, over id: ConnectionID) {
    guard let client = links[id]?.client else { return }
    guard let attribute = database.attribute(handle) else { return respond(.failure(.invalidHandle), over: id) }
    if let error = refusal(ofReading: attribute, by: client) { return respond(.failure(error), over: id) }
    if case .application(let object) = attribute.content {
      let request = ask(.read, object, over: id)
      return act(.read(request, object, options(id, client, offset: offset)))
    }
    do throws(ATTError) {
      let value = try AttributeValue.slice(storedValue(of: attribute, for: client) ?? [], from: offset)
      if links[id]?.multiple != nil {
        links[id]?.multiple?.take(value)
        readNext(over: id)
      } else {
        respond(.success(cut(value, to: client.mtu)), over: id)
      }
    } catch {
      respond(.failure(error), over: id)
    }
  }

  /// Nil where the application has to be asked.
  private func storedValue(of attribute: DatabaseAttribute, for client: LinkClient) -> [UInt8]? {
    switch attribute.content {
    case .application: nil
    case .fixed(let bytes): bytes
    case .deviceName: Array(name.utf8)
    case .databaseHash: database.hash
    case .clientFeatures: [0]
    case .clientConfiguration: LittleEndian.bytes(database.configuration(attribute.handle, of: client.address))
    }
  }

  private func cut(_ value: [UInt8], to mtu: Int) -> [UInt8] {
    Array(value.prefix(min(mtu - 1, AttributeValue.maximumLength)))
  }

  // MARK: Writes

  private mutating func write(_ value: [UInt8], to handle: AttributeHandle, isCommand: Bool, over id: ConnectionID) {
    guard let client = links[id]?.client else { return }
    let result = write(value, to: handle, isCommand: isCommand, over: id, client)
    if let result, !isCommand { respond(result, over: id) }
  }

  /// Returns nil where the application responds.
  private mutating func write(
    _ value: [UInt8], to handle: AttributeHandle, isCommand: Bool, over id: ConnectionID, _ client: LinkClient
  ) -> Result<[UInt8], ATTError>? {
    guard let attribute = database.attribute(handle) else { return .failure(.invalidHandle) }
    if let error = refusal(ofWriting: attribute, by: client) { return .failure(error) }
    guard value.count <= behavior.longestWrite || isCommand && behavior.fillsPackets else {
      return .failure(.invalidAttributeValueLength)
    }
    switch attribute.content {
    case .application(let object):
      let isAnswered = isCommand || respondsItself(to: attribute)
      let request = isAnswered ? nil : ask(.write, object, over: id)
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

/// The peer of a link as a client.
struct LinkClient: Sendable {
  let address: DeviceAddress
  let security: LinkSecurity
  let mtu: Int
}

extension HostLink {
  /// What the answers to requests depend on, without the rest.
  var client: LinkClient { LinkClient(address: peer, security: security, mtu: mtu) }
}
