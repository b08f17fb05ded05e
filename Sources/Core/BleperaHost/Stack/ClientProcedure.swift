package import BleperaBluetooth

extension GATTProcedure {
  fileprivate var part: ServiceDiscovery.Part? {
    switch self {
    case .services: .services
    case .knownServices(let services): .knownServices(services)
    case .includedServices(let range): .includedServices(range)
    case .characteristics(let range): .characteristics(range)
    case .descriptors(let range): .descriptors(range)
    case .read, .readByType, .write, .command, .prepared: nil
    }
  }

  /// Whether the procedure finds or knows the services of a peer.
  var isOfServices: Bool {
    switch self {
    case .services, .knownServices: true
    case .read, .readByType, .write, .command, .prepared, .includedServices, .characteristics, .descriptors: false
    }
  }
}

/// Splits a GATT procedure into requests, one at a time.
struct ClientProcedure: Sendable {
  private enum Phase: Hashable {
    /// Reads, or writes with one request.
    case direct
    case preparing
    case executing
    /// Discards the prepared pieces, because of the error if there is one.
    case canceling(ATTError?)
  }

  let id: OperationID
  let kind: GATTProcedure
  /// Whether securing the link has been tried for this procedure; it is tried once.
  var hasSecured = false
  private var collected: [UInt8] = []
  /// The first value that a search has found; `rest` has the handles that it has not searched.
  private var found: [UInt8]?
  private var rest = AttributeHandle(rawValue: 1)...AttributeHandle(rawValue: .max)
  private var phase = Phase.direct
  /// The pieces that are still to be prepared, the next piece last.
  private var pieces: [AttributeWrite] = []
  /// The discovery in progress; nil for a procedure that does not discover.
  private var discovery: ServiceDiscovery?

  init(_ id: OperationID, _ kind: GATTProcedure) { (self.id, self.kind) = (id, kind) }

  /// Returns the first request, also to start over.
  mutating func start(mtu: Int) -> ClientTask.Step {
    (collected, phase, pieces) = ([], .direct, [])
    switch kind {
    case .read(let handle, let offset):
      return .send(offset == 0 ? .readRequest(handle) : .readBlobRequest(handle, offset: offset))
    case .command(let handle, let value):
      guard value.count <= mtu - 3 else { return .finish(.failure(.invalidAttributeValueLength)) }
      return .send(.writeCommand(handle, value))
    case .write(let handle, let value, let offset, let isReliable):
      if offset == 0, !isReliable, value.count <= mtu - 3 { return .send(.writeRequest(handle, value)) }
      return prepare(AttributeWrite(handle: handle, offset: offset, value: value).pieces(mtu: mtu))
    case .prepared(let writes, _): return prepare(writes)
    case .readByType(let type): return .send(.readByTypeRequest(rest, type: type))
    case .services, .knownServices, .includedServices, .characteristics, .descriptors:
      discovery = kind.part.map { ServiceDiscovery($0) }
      return discovery?.next() ?? .ended
    }
  }

  mutating func take(_ pdu: ATTPDU, mtu: Int) -> ClientTask.Step {
    if case .readByType(let type) = kind { return search(type, pdu) }
    if discovery != nil {
      if let error = discovery?.error(in: pdu) { return .finish(.failure(error)) }
      discovery?.take(pdu)
      return discovery?.next() ?? .ended
    }
    let response = pdu.result
    switch (phase, response) {
    case (.direct, _): return takeDirect(response, mtu: mtu)
    case (.preparing, .success(let echo)):
      let sent = pieces.removeLast()
      if isReliable, echo != sent.value { return cancel(.unlikelyError) }
      return sendNextPiece()
    case (.preparing, .failure(let error)): return cancel(error)
    case (.executing, .success), (.canceling(nil), _): return .finish(.success(.done))
    case (.executing, .failure(let error)): return .finish(.failure(error))
    case (.canceling(let error?), _): return .finish(.failure(error))
    }
  }

  private mutating func takeDirect(_ response: Result<[UInt8], ATTError>, mtu: Int) -> ClientTask.Step {
    guard case .read(let handle, let offset) = kind else { return .finish(response.map { _ in .done }) }
    switch response {
    case .success(let part):
      collected += part
      guard part.count == mtu - 1, offset + collected.count < AttributeValue.maximumLength else {
        return .finish(.success(.value(collected)))
      }
      return .send(.readBlobRequest(handle, offset: offset + collected.count))
    case .failure(let error):
      // The value ended exactly at the end of the packet.
      let isEnd = error == .invalidOffset || error == .attributeNotLong
      return .finish(isEnd && !collected.isEmpty ? .success(.value(collected)) : .failure(error))
    }
  }

  private mutating func search(_ type: BluetoothUUID, _ pdu: ATTPDU) -> ClientTask.Step {
    guard case .readByTypeResponse(let rows) = pdu, let first = rows.first, let last = rows.last?.handle else {
      return .finish(found.map { .success(.value($0)) } ?? pdu.result.map { .value($0) })
    }
    let value = found ?? first.value
    found = value
    guard let next = last.successor, next <= rest.upperBound else { return .finish(.success(.value(value))) }
    rest = next...rest.upperBound
    return .send(.readByTypeRequest(rest, type: type))
  }

  // MARK: Prepared writes

  private var isReliable: Bool {
    switch kind {
    case .write(_, _, _, let isReliable): isReliable
    case .prepared: true
    case .read, .readByType, .command, .services, .knownServices, .includedServices, .characteristics, .descriptors:
      false
    }
  }

  private mutating func prepare(_ pieces: [AttributeWrite]) -> ClientTask.Step {
    phase = .preparing
    self.pieces = pieces.reversed()
    return sendNextPiece()
  }

  private mutating func sendNextPiece() -> ClientTask.Step {
    if let next = pieces.last { return .send(.prepareWriteRequest(next)) }
    if case .prepared(_, false) = kind { return cancel(nil) }
    phase = .executing
    return .send(.executeWriteRequest(true))
  }

  private mutating func cancel(_ error: ATTError?) -> ClientTask.Step {
    phase = .canceling(error)
    return .send(.executeWriteRequest(false))
  }
}

extension AttributeWrite {
  /// The pieces of MTU - 5 bytes in which the value is prepared; none for an empty value.
  package func pieces(mtu: Int) -> [AttributeWrite] {
    stride(from: 0, to: value.count, by: mtu - 5).map { start in
      AttributeWrite(handle: handle, offset: offset + start, value: Array(value[start...].prefix(mtu - 5)))
    }
  }
}

extension ATTPDU {
  /// The value or the error in a response to a read or a write.
  fileprivate var result: Result<[UInt8], ATTError> {
    switch self {
    case .errorResponse(let response): .failure(response.error)
    case .readResponse(let value), .readBlobResponse(let value): .success(value)
    case .prepareWriteResponse(let write): .success(write.value)
    default: .success([])
    }
  }
}
