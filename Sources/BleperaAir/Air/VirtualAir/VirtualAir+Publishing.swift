import BleperaBluetooth

/// Applications and their notifications.
extension VirtualAir {
  mutating func publish(_ id: ApplicationID, on adapterID: AdapterID, _ services: [PublishedService]) {
    guard var database = adapters[adapterID]?.database else { return }
    var begun: [AttributeHandle] = []
    do throws(PublicationRefusal) {
      guard !services.isEmpty else { throw .noService }
      let ranges = try database.insert(id, services, begun: &begun)
      update(adapterID) { $0.database = database }
      applications[id] = adapterID
      actions.append(.published(id, services: ranges.map(\.lowerBound), objects: database.handles(of: id)))
      sendServiceChanged(of: adapterID, count: ranges.count)
    } catch {
      update(adapterID) { $0.database = database }
      actions.append(.publicationRefused(id, error, begun: begun))
    }
  }

  /// Removes an application or one service. Subscriptions end unreported: the application has ended or requested it.
  mutating func unpublish(_ id: ApplicationID, place: Int?) {
    guard let adapterID = applications[id] else { return }
    var count = 0
    update(adapterID) { count = $0.database.remove(id, place: place).count }
    if place == nil { applications[id] = nil }
    // The application will not respond to pending requests (measured).
    for connection in connections.values.sorted(by: { $0.id < $1.id }) {
      guard let pending = connection.pending,
        pending.objects.contains(where: { object in
          object.application == id && adapters[adapterID]?.database.handle(of: object) == nil
        })
      else { continue }
      answer(pending.id, .failure(.requestNotSupported))
    }
    sendServiceChanged(of: adapterID, count: count)
  }

  /// Sends a value to connected subscribers, truncated to each ATT_MTU, whether changed or not (measured).
  mutating func updateValue(_ object: ApplicationObject, _ value: [UInt8], to devices: Set<DeviceAddress>?) {
    guard let adapterID = applications[object.application], let database = adapters[adapterID]?.database,
      let handle = database.handle(of: object)
    else { return }
    for (peer, configuration) in database.subscribers(of: handle) where devices?.contains(peer) ?? true {
      guard let connection = connection(from: peer, to: adapterID) else { continue }
      let cut = Array(value.prefix(min(connection.mtu - 3, AttributeValue.maximumLength)))
      if configuration == 2 {
        connections[connection.id]?.indications.append((handle, cut))
        indicate(over: connection.id)
      } else {
        send(.value(handle, cut, isIndication: false), over: connection.id)
      }
    }
  }

  /// One indication at a time (Core Specification, Vol 3, Part F, 3.3.2).
  mutating func indicate(over id: ConnectionID) {
    guard let connection = connections[id], connection.indicating == nil, !connection.indications.isEmpty,
      let next = connections[id]?.indications.removeFirst()
    else { return }
    connections[id]?.indicating = next.handle
    send(.value(next.handle, next.value, isIndication: true), over: id)
  }

  mutating func confirmed(over id: ConnectionID) {
    guard let connection = connections[id], let handle = connection.indicating else { return }
    connections[id]?.indicating = nil
    if case .application(let object)? = adapters[connection.peripheral]?.database.attribute(handle)?.content {
      actions.append(.confirmed(object, connection.centralIdentity))
    }
    indicate(over: id)
  }
}
