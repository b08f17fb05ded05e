import BleperaBluetooth

/// How a stack handles prepared writes (Core Specification, Vol 3, Part F, 3.4.6).
extension HostStack {
  mutating func prepare(_ write: AttributeWrite, over id: ConnectionID) {
    guard let client = links[id]?.client else { return }
    guard let attribute = database.attribute(write.handle) else { return respond(.failure(.invalidHandle), over: id) }
    if let error = refusal(ofWriting: attribute, by: client) { return respond(.failure(error), over: id) }
    // For an untrusted device, the application authorizes the write without its value.
    if attribute.flags.contains(.authorize), case .application(let object) = attribute.content {
      let request = ask(.prepare(write), [object], over: id)
      var options = options(id, client, offset: write.offset)
      options.isPrepareAuthorize = true
      return act(.write(request, object, [], options))
    }
    enqueue(write, over: id)
  }

  mutating func enqueue(_ write: AttributeWrite, over id: ConnectionID) {
    do throws(ATTError) {
      try links[id]?.server.prepared.enqueue(write.handle, offset: write.offset, value: write.value)
      respond(.success(write.value), over: id)
    } catch {
      respond(.failure(error), over: id)
    }
  }

  mutating func execute(_ isWanted: Bool, over id: ConnectionID) {
    if !isWanted { links[id]?.server.prepared.cancel() }
    let pieces = links[id]?.server.prepared.requests ?? []
    let writes = links[id]?.server.prepared.execute() ?? []
    guard behavior.joinsPreparedWrites else { return execute(pieces, joined: writes, over: id) }
    // Writing several attributes at once requires the extended property reliable-write.
    let unreliable = writes.first { database.attribute($0.handle)?.flags.contains(.reliableWrite) != true }
    if let unreliable, Set(writes.map(\.handle)).count > 1 {
      links[id]?.server.executes(unreliable.handle)
      return respond(.failure(.requestNotSupported), over: id)
    }
    continueExecution(writes, over: id)
  }

  /// Passes all pieces to the application together; pieces of configurations alone are written in order. An execution
  /// of both is not supported, which is ours.
  private mutating func execute(_ pieces: [AttributeWrite], joined: [AttributeWrite], over id: ConnectionID) {
    guard let client = links[id]?.client else { return }
    var writes: [ObjectWrite] = []
    for piece in pieces {
      guard let attribute = database.attribute(piece.handle) else { return respond(.failure(.invalidHandle), over: id) }
      guard piece.offset + piece.value.count <= behavior.longestLongWrite else {
        return respond(.failure(.invalidAttributeValueLength), over: id)
      }
      guard case .application(let object) = attribute.content else { continue }
      writes.append(ObjectWrite(object: object, offset: piece.offset, value: piece.value))
    }
    guard !writes.isEmpty else { return continueExecution(joined, over: id) }
    guard writes.count == pieces.count else { return respond(.failure(.requestNotSupported), over: id) }
    // Core Bluetooth has one answer for all pieces, to the first one.
    links[id]?.server.executes(pieces[0].handle)
    let request = ask(.execute(rest: []), writes.map(\.object), over: id)
    act(.preparedWrite(request, writes, options(id, client)))
  }

  mutating func continueExecution(_ writes: [AttributeWrite], over id: ConnectionID) {
    guard let write = writes.first, let client = links[id]?.client else { return respond(.success([]), over: id) }
    links[id]?.server.executes(write.handle)
    guard let attribute = database.attribute(write.handle) else { return respond(.failure(.invalidHandle), over: id) }
    guard write.offset + write.value.count <= behavior.longestLongWrite else {
      return respond(.failure(.invalidAttributeValueLength), over: id)
    }
    let rest = Array(writes.dropFirst())
    switch attribute.content {
    case .application(let object):
      let options = options(id, client, offset: write.offset)
      if respondsItself(to: attribute) {
        act(.write(nil, object, write.value, options))
        continueExecution(rest, over: id)
      } else {
        let request = ask(.execute(rest: rest), [object], over: id)
        act(.write(request, object, write.value, options))
      }
    case .clientConfiguration:
      let result = subscribe(attribute, write.value, over: id)
      guard case .success = result else { return respond(result, over: id) }
      continueExecution(rest, over: id)
    case .clientFeatures: continueExecution(rest, over: id)
    case .fixed, .deviceName, .databaseHash: respond(.failure(.writeNotPermitted), over: id)
    }
  }
}
