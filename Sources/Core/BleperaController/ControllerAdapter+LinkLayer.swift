import BleperaBluetooth
import BleperaHost
import BleperaHostRadio
import BleperaLoop

/// The requests to the link layer, and its events.
extension ControllerAdapter {
  func perform(_ request: LinkLayerRequest, at now: Duration) {
    switch request {
    case .power(let isOn): setPower(isOn, at: now)
    case .changeAddress:
      privacy.restart(at: now)
      addressChanged()
    case .advertise(let id, let packets, let lifetime, let events):
      if isPowered { asked[id] = packets }
      outputs += layer.run(.advertise(id, packets.sent(by: privacy), lifetime: lifetime, events: events), at: now)
    case .replacePackets(let id, let packets):
      asked[id] = packets
      outputs += layer.run(.replacePackets(id, packets.sent(by: privacy)), at: now)
    case .withdraw(let id):
      forget(id)
      outputs += layer.run(request, at: now)
    case .connect(let address):
      guard isPowered, connection.isReady else { return report(.connectFailed(address)) }
      connecting.insert(address)
      updatePending()
    case .cancelConnect(let address):
      connecting.remove(address)
      updatePending()
    case .listen(let window):
      listening = window
      updatePending()
    case .readRSSI(let operation, _) where !connection.isReady: report(.rssi(operation, nil))
    case .scan, .link, .readRSSI, .dataLength: outputs += layer.run(request, at: now)
    // An attempt is that of a host without this adapter, and a controller has the defects that it has.
    case .attempt, .defects: break
    }
  }

  private func forget(_ id: AdvertisementID) {
    asked[id] = nil
    onAir.remove(id)
  }

  private func setPower(_ isOn: Bool, at now: Duration) {
    guard isOn != isPowered else { return }
    isPowered = isOn
    if isOn {
      privacy.restart(at: now)
      addressChanged()
    } else {
      for address in connecting.sorted() { report(.connectFailed(address)) }
      (connecting, listening, asked, onAir) = ([], nil, [:], [])
      updatePending()
    }
    outputs += layer.run(.power(isOn), at: now)
  }

  /// The tag of Nearby Info changes with the address.
  func addressChanged() {
    for (id, packets) in asked where packets.tag != nil {
      outputs += layer.run(.replacePackets(id, packets.sent(by: privacy)), at: loop.now)
    }
    outputs += layer.setAddress(privacy.address, at: loop.now)
  }

  /// One attempt waits for all devices that are not connected.
  func updatePending() {
    var peers: [DeviceAddress: IdentityResolvingKey?] = [:]
    for address in connecting {
      let known = host.knownAddress(of: address)
      guard host.linksOfPeers[known] == nil else { continue }
      let identity = host.bonds[known]?.identity
      peers.updateValue(identity?.key, forKey: identity?.address.deviceAddress ?? known)
    }
    let pending =
      peers.isEmpty
      ? nil : PendingConnections(peers, ownKey: privacy.key, window: listening, parameters: linkParameters)
    guard pending != self.pending else { return }
    self.pending = pending
    outputs += layer.wait(for: pending, at: loop.now)
  }

  func take(_ event: LinkLayerEvent) {
    switch event {
    case .connected(let id, let opening): connected(id, opening)
    case .link(let id, .ended(let end)): ended(id, end)
    case .link(let id, let notice): change { $0.receive(notice, over: id) }
    case .received(let received): report(.received(received.known(to: host)))
    case .advertising(let id):
      onAir.insert(id)
      report(event)
    case .advertisementRefused(let id), .advertisementReleased(let id, _):
      forget(id)
      report(event)
    case .poweredOff, .connectFailed, .rssi, .removed, .added: report(event)
    }
  }

  private func connected(_ id: ConnectionID, _ opening: LinkOpening) {
    var opening = opening
    if opening.isCentral {
      let known = host.knownAddress(of: opening.wanted)
      guard let wanted = connecting.sorted().first(where: { host.knownAddress(of: $0) == known }) else {
        // The connection was made while it was cancelled.
        return outputs += layer.run(.link(id, .disconnect(.userTerminated)), at: loop.now)
      }
      connecting.remove(wanted)
      opening = LinkOpening(
        isCentral: true, own: opening.own, peer: opening.peer, wanted: wanted, parameters: opening.parameters)
    }
    report(.connected(id, opening))
    change { $0.open(id, opening, isStrict: isStrict && !opening.isCentral, random: .system) }
    updatePending()
  }

  private func ended(_ id: ConnectionID, _ end: LinkEnd) {
    var cause: DisconnectionCause?
    change { cause = $0.disconnected(id, because: end) }
    if let cause { reports.append(.action(.disconnected(id, cause))) }
    updatePending()
  }
}

extension AdvertisementReport {
  /// The report with the address by which a bonded sender is known.
  fileprivate func known(to host: HostStack) -> AdvertisementReport {
    let known = host.knownAddress(of: address)
    guard known != address else { return self }
    return AdvertisementReport(
      address: known, isConnectable: isConnectable, isExtended: isExtended, isScannable: isScannable, rssi: rssi,
      data: data, scanResponse: scanResponse)
  }
}
