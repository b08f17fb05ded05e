import BleperaBluetooth

/// How a peripheral's stack handles prepared writes (Core Specification, Vol 3, Part F, 3.4.6).
extension VirtualAir {
  mutating func prepare(
    _ attribute: DatabaseAttribute, _ offset: Int, _ value: [UInt8], over id: ConnectionID
  ) {
    guard let connection = connections[id] else { return }
    if let error = refusal(ofWriting: attribute, over: connection) {
      return respond(nil, .failure(error), over: id)
    }
    // For an untrusted device, the application authorizes the write without its value.
    if attribute.flags.contains(.authorize), case .application(let object) = attribute.content {
      let request = ask(.prepare(attribute.handle, offset: offset, value), object, over: id)
      var options = options(connection, offset: offset)
      options.isPrepareAuthorize = true
      return actions.append(.write(request, object, [], options))
    }
    enqueue(attribute.handle, offset, value, over: id)
  }

  mutating func enqueue(
    _ handle: AttributeHandle, _ offset: Int, _ value: [UInt8], over id: ConnectionID
  ) {
    guard var queue = connections[id]?.prepared else { return }
    do throws(ATTError) {
      try queue.enqueue(handle, offset: offset, value: value)
      connections[id]?.prepared = queue
      respond(nil, .success(value), over: id)
    } catch {
      respond(nil, .failure(error), over: id)
    }
  }

  mutating func execute(_ isWanted: Bool, over id: ConnectionID) {
    guard var queue = connections[id]?.prepared, let connection = connections[id] else { return }
    let pieces = isWanted ? queue.requests : []
    let writes = isWanted ? queue.execute() : []
    queue.cancel()
    connections[id]?.prepared = queue
    guard stack(of: connection).joinsPreparedWrites else { return execute(pieces, joined: writes, over: id) }
    let database = adapters[connection.peripheral]?.database
    let targets = Set(writes.map(\.handle))
    // Writing several attributes at once requires the extended property reliable-write.
    let isReliable = targets.allSatisfy { database?.attribute($0)?.flags.contains(.reliableWrite) ?? false }
    guard targets.count <= 1 || isReliable else {
      return respond(nil, .failure(.requestNotSupported), over: id)
    }
    continueExecution(writes, over: id)
  }

  /// Passes all pieces to the application together; those of configurations alone are written in order. An execution of
  /// both is not supported, which is ours.
  private mutating func execute(_ pieces: [AttributeWrite], joined: [AttributeWrite], over id: ConnectionID) {
    guard let connection = connections[id] else { return }
    let database = adapters[connection.peripheral]?.database
    var writes: [ObjectWrite] = []
    for piece in pieces {
      guard let attribute = database?.attribute(piece.handle) else {
        return respond(nil, .failure(.invalidHandle), over: id)
      }
      guard piece.offset + piece.value.count <= stack(of: connection).longestLongWrite else {
        return respond(nil, .failure(.invalidAttributeValueLength), over: id)
      }
      guard case .application(let object) = attribute.content else { continue }
      writes.append(ObjectWrite(object: object, offset: piece.offset, value: piece.value))
    }
    guard !writes.isEmpty else { return continueExecution(joined, over: id) }
    guard writes.count == pieces.count else { return respond(nil, .failure(.requestNotSupported), over: id) }
    let request = ask(.execute(rest: []), writes.map(\.object), over: id)
    actions.append(.preparedWrite(request, writes, options(connection)))
  }

  mutating func continueExecution(_ writes: [AttributeWrite], over id: ConnectionID) {
    guard let write = writes.first, let connection = connections[id] else {
      return respond(nil, .success([]), over: id)
    }
    guard let attribute = adapters[connection.peripheral]?.database.attribute(write.handle) else {
      return respond(nil, .failure(.invalidHandle), over: id)
    }
    guard write.offset + write.value.count <= stack(of: connection).longestLongWrite else {
      return respond(nil, .failure(.invalidAttributeValueLength), over: id)
    }
    let rest = Array(writes.dropFirst())
    switch attribute.content {
    case .application(let object):
      let options = options(connection, offset: write.offset)
      if respondsItself(to: attribute, over: connection) {
        actions.append(.write(nil, object, write.value, options))
        continueExecution(rest, over: id)
      } else {
        let request = ask(.execute(rest: rest), object, over: id)
        actions.append(.write(request, object, write.value, options))
      }
    case .clientConfiguration:
      let result = subscribe(attribute, write.value, over: connection)
      guard case .success = result else { return respond(nil, result, over: id) }
      continueExecution(rest, over: id)
    case .clientFeatures: continueExecution(rest, over: id)
    case .fixed, .deviceName, .databaseHash: respond(nil, .failure(.writeNotPermitted), over: id)
    }
  }
}
