package import BleperaBluetooth

/// An operation of a central on an attribute, or on several.
package enum ClientOperation: Hashable, Sendable {
  /// Reads from the offset to the end of the value, in as many requests as needed.
  case read(AttributeHandle, offset: Int)
  /// Reads the first value of that type; as bluetoothd does, also those after it.
  case readByType(BluetoothUUID)
  /// Uses one request if the value fits at offset 0, otherwise prepared writes; a reliable write is always prepared.
  case write(AttributeHandle, [UInt8], offset: Int, isReliable: Bool)
  case command(AttributeHandle, [UInt8])
  /// Prepares these pieces in order, and executes or cancels them.
  case prepared([AttributeWrite], isExecuted: Bool = true)
  /// The primary services, as far as they are not known. The host also subscribes to Service Changed and reads the Device
  /// Name; of Generic Attribute and Generic Access the services have what that needs.
  case services
  /// Does that with the services of an earlier connection.
  case knownServices([RemoteService])
  /// Those that are included in a service of these handles, not as primary ones.
  case includedServices(ClosedRange<AttributeHandle>)
  case characteristics(ClosedRange<AttributeHandle>)
  case descriptors(ClosedRange<AttributeHandle>)

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

  /// Whether it finds or knows the services of a peer.
  var isOfServices: Bool {
    switch self {
    case .services, .knownServices: true
    case .read, .readByType, .write, .command, .prepared, .includedServices, .characteristics, .descriptors: false
    }
  }
}

/// What an operation completes with.
package enum ClientAnswer: Hashable, Sendable {
  /// The value of a read, or the number of an opened channel; else empty.
  case bytes([UInt8])
  case services([RemoteService])
  case characteristics([RemoteCharacteristic])
  case descriptors([RemoteDescriptor])
  /// In dBm.
  case rssi(Int)

  package var bytes: [UInt8] { if case .bytes(let bytes) = self { bytes } else { [] } }
}

/// Why an operation of a central failed.
package enum ClientFailure: Error, Hashable, Sendable {
  case att(ATTError)
  case notConnected
  /// The connection has ended before the response.
  case disconnected
  case pairing(PairingFailure)
  case channel(ChannelRefusal)
}

extension ClientFailure: CustomStringConvertible {
  package var description: String {
    switch self {
    case .att(let error): "\(error)"
    case .notConnected: "not connected"
    case .disconnected: "the connection has ended"
    case .pairing: "not paired, and the link has to be encrypted"
    case .channel(let refusal): "\(refusal)"
    }
  }
}

/// Splits an operation of a central into requests, one at a time.
struct ClientProcedure: Sendable {
  private enum Phase: Hashable {
    /// Reads, or writes with one request.
    case direct
    case preparing
    case executing
    /// Discards what was prepared, because of the error if there is one.
    case canceling(ATTError?)
  }

  let id: OperationID
  let operation: ClientOperation
  /// Whether securing the link has been tried for this operation; it is tried once.
  var hasSecured = false
  private var collected: [UInt8] = []
  /// Of a search: the first value, and what has not been searched.
  private var found: [UInt8]?
  private var rest = AttributeHandle(rawValue: 1)...AttributeHandle(rawValue: .max)
  private var phase = Phase.direct
  /// What is to be prepared, the next piece last.
  private var pieces: [AttributeWrite] = []
  /// Of an operation that discovers.
  private var discovery: ServiceDiscovery?

  init(_ id: OperationID, _ operation: ClientOperation) {
    self.id = id
    self.operation = operation
  }

  /// Returns the first request, also to start over.
  mutating func start(mtu: Int) -> ClientTask.Step {
    (collected, phase, pieces) = ([], .direct, [])
    switch operation {
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
      discovery = operation.part.map { ServiceDiscovery($0) }
      return discovery?.next() ?? .ended
    }
  }

  mutating func take(_ pdu: ATTPDU, mtu: Int) -> ClientTask.Step {
    if case .readByType(let type) = operation { return search(type, pdu) }
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
    case (.executing, .success), (.canceling(nil), _): return .finish(.success(.bytes([])))
    case (.executing, .failure(let error)): return .finish(.failure(error))
    case (.canceling(let error?), _): return .finish(.failure(error))
    }
  }

  private mutating func takeDirect(_ response: Result<[UInt8], ATTError>, mtu: Int) -> ClientTask.Step {
    guard case .read(let handle, let offset) = operation else { return .finish(response.map { _ in .bytes([]) }) }
    switch response {
    case .success(let part):
      collected += part
      guard part.count == mtu - 1, offset + collected.count < AttributeValue.maximumLength else {
        return .finish(.success(.bytes(collected)))
      }
      return .send(.readBlobRequest(handle, offset: offset + collected.count))
    case .failure(let error):
      // The value ended exactly at the end of the packet.
      let isEnd = error == .invalidOffset || error == .attributeNotLong
      return .finish(isEnd && !collected.isEmpty ? .success(.bytes(collected)) : .failure(error))
    }
  }

  private mutating func search(_ type: BluetoothUUID, _ pdu: ATTPDU) -> ClientTask.Step {
    guard case .readByTypeResponse(let rows) = pdu, let first = rows.first, let last = rows.last?.handle else {
      return .finish(found.map { .success(.bytes($0)) } ?? pdu.result.map { .bytes($0) })
    }
    let value = found ?? first.value
    found = value
    guard let next = last.successor, next <= rest.upperBound else { return .finish(.success(.bytes(value))) }
    rest = next...rest.upperBound
    return .send(.readByTypeRequest(rest, type: type))
  }

  // MARK: Prepared writes

  private var isReliable: Bool {
    switch operation {
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
    if case .prepared(_, false) = operation { return cancel(nil) }
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
  /// What a response to a read or a write carries.
  fileprivate var result: Result<[UInt8], ATTError> {
    switch self {
    case .errorResponse(let response): .failure(response.error)
    case .readResponse(let value), .readBlobResponse(let value): .success(value)
    case .prepareWriteResponse(let write): .success(write.value)
    default: .success([])
    }
  }
}
