import BleperaBluetooth

/// How a peripheral's stack handles the requests of a central (as BlueZ src/shared/gatt-server.c, src/gatt-database.c).
extension VirtualAir {
  func stack(of connection: AirConnection) -> StackBehavior {
    adapters[connection.peripheral]?.description.stack ?? StackBehavior()
  }

  mutating func serve(_ request: ATTRequest, over id: ConnectionID) {
    guard let connection = connections[id] else { return }
    guard let handle = request.handle else {
      guard case .execute(let isWanted) = request else { return }
      return execute(isWanted, over: id)
    }
    guard let attribute = adapters[connection.peripheral]?.database.attribute(handle) else {
      return respond(request, .failure(.invalidHandle), over: id)
    }
    switch request {
    case .read: read(attribute, offset: 0, over: id)
    case .readBlob(_, let offset): read(attribute, offset: offset, over: id)
    case .write(_, let value), .command(_, let value): write(value, to: attribute, request, over: id)
    case .prepare(_, let offset, let value): prepare(attribute, offset, value, over: id)
    case .execute: break
    }
  }

  mutating func respond(
    _ request: ATTRequest?, _ response: Result<[UInt8], ATTError>, over id: ConnectionID
  ) {
    if case .command? = request { return }
    send(.response(response), over: id)
  }

  func options(_ connection: AirConnection, offset: Int = 0) -> AttributeRequestOptions {
    AttributeRequestOptions(
      connection: connection.id, device: connection.centralIdentity,
      mtu: connection.mtu, offset: offset)
  }

  mutating func ask(
    _ purpose: PendingRequest.Purpose, _ objects: ApplicationObject..., over id: ConnectionID
  ) -> AirRequestID { ask(purpose, objects, over: id) }

  mutating func ask(
    _ purpose: PendingRequest.Purpose, _ objects: [ApplicationObject], over id: ConnectionID
  ) -> AirRequestID {
    let request = AirRequestID(number: nextNumber())
    connections[id]?.pending = PendingRequest(id: request, objects: objects, purpose: purpose)
    let timeout = connections[id].map { stack(of: $0) }?.requestTimeout ?? .zero
    timers.add(.requestTimesOut(request, id), at: now + timeout)
    return request
  }

  /// Either the stack responds itself, or the central disconnects.
  mutating func requestTimesOut(_ request: AirRequestID, over id: ConnectionID) {
    guard let connection = connections[id], connection.pending?.id == request else { return }
    guard let error = stack(of: connection).timeoutError else { return disconnect(id) }
    answer(request, .failure(error))
  }

  /// bluetoothd does not wait for the application if the attribute also permits writing without response.
  func respondsItself(to attribute: DatabaseAttribute, over connection: AirConnection) -> Bool {
    attribute.flags.contains(.writeWithoutResponse) && stack(of: connection).respondsForApplications
  }

  private func isOpen(_ attribute: DatabaseAttribute, over connection: AirConnection) -> Bool {
    attribute.access.isEmpty && stack(of: connection).ignoresEmptyPermissions
  }

  func refusal(ofReading attribute: DatabaseAttribute, over connection: AirConnection) -> ATTError? {
    guard !isOpen(attribute, over: connection) else { return nil }
    return attribute.access.refusal(ofReadingOver: connection.security).map { refusal($0, over: connection) }
  }

  func refusal(ofWriting attribute: DatabaseAttribute, over connection: AirConnection) -> ATTError? {
    guard !isOpen(attribute, over: connection) else { return nil }
    return attribute.access.refusal(ofWritingOver: connection.security).map { refusal($0, over: connection) }
  }

  private func refusal(_ error: ATTError, over connection: AirConnection) -> ATTError {
    guard error == .insufficientEncryption, let server = adapters[connection.peripheral],
      !server.bonds.contains(connection.centralIdentity)
    else { return error }
    return server.description.stack.missingKeyError
  }

  // MARK: Reads

  private mutating func read(_ attribute: DatabaseAttribute, offset: Int, over id: ConnectionID) {
    guard let connection = connections[id], let server = adapters[connection.peripheral] else { return }
    if let error = refusal(ofReading: attribute, over: connection) {
      return respond(nil, .failure(error), over: id)
    }
    if case .application(let object) = attribute.content {
      let request = ask(.read, object, over: id)
      return actions.append(.read(request, object, options(connection, offset: offset)))
    }
    let value = storedValue(of: attribute, at: server, over: connection) ?? []
    do throws(ATTError) {
      respond(nil, .success(cut(try AttributeValue.slice(value, from: offset), to: connection.mtu)), over: id)
    } catch {
      respond(nil, .failure(error), over: id)
    }
  }

  /// Nil where the application has to be asked.
  func storedValue(
    of attribute: DatabaseAttribute, at server: AirAdapter, over connection: AirConnection
  ) -> [UInt8]? {
    switch attribute.content {
    case .application: nil
    case .fixed(let bytes): bytes
    case .deviceName: Array(server.alias.utf8)
    case .databaseHash: server.database.hash
    case .clientFeatures: [0]
    case .clientConfiguration:
      LittleEndian.bytes(server.database.configuration(attribute.handle, of: connection.centralIdentity))
    }
  }

  private func cut(_ value: [UInt8], to mtu: Int) -> [UInt8] {
    Array(value.prefix(min(mtu - 1, AttributeValue.maximumLength)))
  }

  // MARK: Writes

  private mutating func write(
    _ value: [UInt8], to attribute: DatabaseAttribute, _ request: ATTRequest, over id: ConnectionID
  ) {
    guard let connection = connections[id] else { return }
    if let error = refusal(ofWriting: attribute, over: connection) {
      return respond(request, .failure(error), over: id)
    }
    guard value.count <= stack(of: connection).longestWrite else {
      return respond(request, .failure(.invalidAttributeValueLength), over: id)
    }
    switch attribute.content {
    case .application(let object):
      if case .command = request {
        actions.append(.write(nil, object, value, options(connection)))
      } else if respondsItself(to: attribute, over: connection) {
        actions.append(.write(nil, object, value, options(connection)))
        respond(request, .success([]), over: id)
      } else {
        let request = ask(.write, object, over: id)
        actions.append(.write(request, object, value, options(connection)))
      }
    case .clientConfiguration:
      respond(request, subscribe(attribute, value, over: connection), over: id)
    case .clientFeatures: respond(request, .success([]), over: id)
    case .fixed, .deviceName, .databaseHash: respond(request, .failure(.writeNotPermitted), over: id)
    }
  }

  /// Two bytes: 1 for notifications, 2 for indications, if the characteristic supports them; otherwise error 0xFD.
  mutating func subscribe(
    _ attribute: DatabaseAttribute, _ value: [UInt8], over connection: AirConnection
  ) -> Result<[UInt8], ATTError> {
    guard value.count == 2 else { return .failure(.invalidAttributeValueLength) }
    let configuration: UInt16 = LittleEndian.number(value)
    let isOffered =
      switch configuration {
      case 0: true
      case 1: attribute.flags.contains(.notify)
      case 2: attribute.flags.contains(.indicate)
      default: false
      }
    guard isOffered else { return .failure(.cccdImproperlyConfigured) }
    configure(
      attribute.handle, of: connection.centralIdentity, on: connection.peripheral, to: configuration,
      over: connection.id)
    return .success([])
  }

  /// Changes a Client Characteristic Configuration and reports a change to or from 0.
  mutating func configure(
    _ descriptor: AttributeHandle, of peer: DeviceAddress, on server: AdapterID, to value: UInt16,
    over id: ConnectionID?
  ) {
    guard let database = adapters[server]?.database, let attribute = database.attribute(descriptor),
      case .clientConfiguration(let characteristic) = attribute.content
    else { return }
    let before = database.configuration(descriptor, of: peer)
    guard before != value else { return }
    let isFirst = database.subscribers(of: characteristic).isEmpty
    update(server) { $0.database.configure(descriptor, of: peer, to: value) }
    guard case .application(let object)? = database.attribute(characteristic)?.content else { return }
    if before == 0, let id {
      actions.append(.subscribed(object, id, isFirst: isFirst, isIndication: value == 2))
    } else if value == 0 {
      let isLast = adapters[server]?.database.subscribers(of: characteristic).isEmpty ?? true
      actions.append(.unsubscribed(object, peer, isLast: isLast))
    }
  }

  // MARK: Responses

  /// Accepts the first response to a request if the connection still exists.
  mutating func answer(_ request: AirRequestID, _ result: Result<[UInt8], ATTError>) {
    guard let connection = connections.values.first(where: { $0.pending?.id == request }),
      let pending = connection.pending
    else { return }
    let id = connection.id
    connections[id]?.pending = nil
    guard case .success(let value) = result else { return respond(nil, result, over: id) }
    switch pending.purpose {
    case .read: respond(nil, .success(cut(value, to: connection.mtu)), over: id)
    case .write: respond(nil, .success([]), over: id)
    case .prepare(let handle, let offset, let value): enqueue(handle, offset, value, over: id)
    case .execute(let rest): continueExecution(rest, over: id)
    }
  }
}
