import BleperaBluetooth

/// Applications and their notifications.
extension HostStack {
  mutating func publish(_ id: ApplicationID, _ services: [PublishedService]) {
    var begun: [AttributeHandle] = []
    do throws(PublicationRefusal) {
      guard !services.isEmpty else { throw .noService }
      let ranges = try database.insert(id, services, begun: &begun)
      act(.published(id, services: ranges.map(\.lowerBound), objects: database.handles(of: id)))
      sendServiceChanged(ranges)
    } catch {
      act(.publicationRefused(id, error, begun: begun))
    }
  }

  /// Removes an application or one service. Subscriptions end unreported: the application has ended or requested it.
  mutating func unpublish(_ id: ApplicationID, place: Int?) {
    let ranges = database.remove(id, place: place)
    // The application will not respond to pending requests (measured).
    for pending in links.keys.compactMap({ links[$0]?.server.pending })
    where pending.objects.contains(where: { $0.application == id && database.handle(of: $0) == nil }) {
      answer(pending.id, .failure(.requestNotSupported))
    }
    sendServiceChanged(ranges)
  }

  /// Sends Service Changed to every subscribed peer, once for each added or removed service.
  private mutating func sendServiceChanged(_ ranges: [ClosedRange<AttributeHandle>]) {
    guard !ranges.isEmpty, let handle = database.serviceChanged else { return }
    for (peer, _) in database.subscribers(of: handle) {
      guard let id = linksOfPeers[peer] else { continue }
      for range in ranges {
        let value = LittleEndian.bytes(range.lowerBound) + LittleEndian.bytes(range.upperBound)
        links[id]?.indications.add(handle, value)
      }
      indicate(over: id)
    }
  }

  /// Sends a value to connected subscribers, truncated to each ATT_MTU, whether changed or not (measured).
  mutating func updateValue(_ object: ApplicationObject, _ value: [UInt8], to devices: Set<DeviceAddress>?) {
    guard let handle = database.handle(of: object) else { return }
    for (peer, configuration) in database.subscribers(of: handle) where devices?.contains(peer) ?? true {
      guard let id = linksOfPeers[peer], let mtu = links[id]?.mtu else { continue }
      let limit = behavior.fillsPackets ? mtu - 3 : min(mtu - 3, AttributeValue.maximumLength)
      let cut = Array(value.prefix(limit))
      if configuration == 2 {
        links[id]?.indications.add(handle, cut)
        indicate(over: id)
      } else {
        send(.handleValueNotification(handle, cut), as: .value, over: id)
      }
    }
  }

  private mutating func indicate(over id: ConnectionID) {
    guard let next = links[id]?.indications.next else { return }
    let timer = startTimer(.indication) { .indicationTimesOut(id, turn: $0) }
    links[id]?.indications.sent(timer: timer)
    send(.handleValueIndication(next.handle, next.value), as: .value, over: id)
  }

  mutating func confirmed(over id: ConnectionID) {
    guard let peer = links[id]?.peer, let handle = links[id]?.indications.confirm() else { return }
    if case .application(let object)? = database.attribute(handle)?.content { act(.confirmed(object, peer)) }
    indicate(over: id)
  }
}
