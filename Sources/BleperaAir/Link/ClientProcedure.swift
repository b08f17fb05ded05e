package import BleperaBluetooth

/// An operation of a central on an attribute.
package enum ClientOperation: Hashable, Sendable {
  /// Reads from the offset to the end of the value, in as many requests as needed.
  case read(AttributeHandle, offset: Int)
  /// Uses one request if the value fits at offset 0, otherwise prepared writes; a reliable write is always prepared.
  case write(AttributeHandle, [UInt8], offset: Int, isReliable: Bool)
  case command(AttributeHandle, [UInt8])
}

/// Why an operation of a central failed.
package enum ClientFailure: Error, Hashable, Sendable {
  case att(ATTError)
  case notConnected
  /// The connection has ended before the response.
  case disconnected
  case pairing(PairingFailure)
}

/// Splits an operation of a central into requests, one at a time.
struct ClientProcedure: Hashable, Sendable {
  enum Step: Hashable, Sendable {
    case send(ATTRequest)
    case finish(Result<[UInt8], ATTError>)
  }

  let id: OperationID
  let operation: ClientOperation
  /// Whether securing the link has been tried for this operation; it is tried once.
  var hasSecured = false
  private var collected: [UInt8] = []
  private var sent = 0
  private var mismatched = false
  private var isExecuting = false

  init(_ id: OperationID, _ operation: ClientOperation) {
    self.id = id
    self.operation = operation
  }

  /// Returns the first request, also to start over.
  mutating func start(mtu: Int) -> Step {
    (collected, sent, mismatched, isExecuting) = ([], 0, false, false)
    switch operation {
    case .read(let handle, let offset):
      return .send(offset == 0 ? .read(handle) : .readBlob(handle, offset: offset))
    case .command(let handle, let value): return .send(.command(handle, value))
    case .write(let handle, let value, let offset, let isReliable):
      if offset == 0, !isReliable, value.count <= mtu - 3 { return .send(.write(handle, value)) }
      return nextChunk(handle, value, offset, mtu)
    }
  }

  mutating func take(_ response: Result<[UInt8], ATTError>, mtu: Int) -> Step {
    switch (operation, response) {
    case (.read(let handle, let offset), .success(let part)):
      collected += part
      guard part.count == mtu - 1, offset + collected.count < AttributeValue.maximumLength else {
        return .finish(.success(collected))
      }
      return .send(.readBlob(handle, offset: offset + collected.count))
    case (.read, .failure(let error)):
      // The value ended exactly at the end of the packet.
      let isEnd = error == .invalidOffset || error == .attributeNotLong
      return .finish(isEnd && !collected.isEmpty ? .success(collected) : .failure(error))
    case (.command, _): return .finish(response)
    case (.write(let handle, let value, let offset, let isReliable), .success(let echo)):
      if isExecuting {
        return .finish(mismatched ? .failure(.unlikelyError) : .success([]))
      }
      guard sent > 0 || offset > 0 || isReliable || value.count > mtu - 3 else { return .finish(.success([])) }
      if isReliable, echo != Array(value[(sent - echo.count)..<sent]) { mismatched = true }
      return nextChunk(handle, value, offset, mtu)
    case (.write, .failure(let error)): return .finish(.failure(error))
    }
  }

  private mutating func nextChunk(_ handle: AttributeHandle, _ value: [UInt8], _ offset: Int, _ mtu: Int) -> Step {
    guard sent < value.count, !mismatched else {
      isExecuting = true
      return .send(.execute(!mismatched))
    }
    let chunk = Array(value[sent...].prefix(mtu - 5))
    defer { sent += chunk.count }
    return .send(.prepare(handle, offset: offset + sent, chunk))
  }
}
