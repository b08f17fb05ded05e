package import BleperaBluetooth
package import BleperaHost
import BleperaLoop
package import BleperaRadio

/// Handles what the adapter reports to the phone.
extension HostRadio: AdapterUser {
  package nonisolated func receive(_ event: LinkLayerEvent) { assumeIsolated { $0.take(event) } }

  package nonisolated func receive(_ action: HostAction) { assumeIsolated { $0.take(action) } }

  private func take(_ event: LinkLayerEvent) {
    switch event {
    case .removed(let reason): adapterRemoved(reason)
    case .added: adapterAdded()
    case _ where !isUsable: break
    case .advertising(let id): advertisingBegan(id)
    case .advertisementRefused(let id): advertisingFailed(id)
    case .connected(let id, let opening):
      guard !opening.isCentral else { return peripheralConnected(id, as: opening.wanted) }
      centralConnected(id)
      adoptLink(id)
    case .received(let advertisement): receive(advertisement)
    case .poweredOff: powerChanged(false)
    case .advertisementReleased, .connectFailed, .rssi, .link: break
    }
  }

  private func take(_ action: HostAction) {
    guard isUsable else { return }
    switch action {
    case .disconnected(let id, let cause):
      peripheralDisconnected(id, cause)
      centralDisconnected(id)
    case .published(let id, _, _): published(id)
    case .publicationRefused(let id, _, _): refused(id)
    case .valueChanged(let id, let handle, let value):
      if let peripheral = peripherals[id] { report(.valueReceived(peripheral.id, handle, value)) }
    case .servicesChanged(let id, let range):
      if let peripheral = peripherals[id] { report(.servicesChanged(peripheral.id, [range])) }
    case .pairingRequest(let id, let question): ask(question, id)
    case .paired(let id):
      peripheralBonded(id)
      guard let central = links[id]?.central else { return }
      report(.bonded(radioCentral(central)))
      resumeSubscriptions(of: central, over: id)
    case .keyUnknown(let id):
      if let central = links[id]?.central { report(.keysUnknown(radioCentral(central))) }
    case .secured(let id):
      if let central = links[id]?.central { resumeSubscriptions(of: central, over: id) }
    case .read(let id, let object, let options): receive(id, object.handle, options, writes: nil)
    case .write(let id, let object, let value, let options):
      let write = AttributeWrite(handle: object.handle, offset: options.offset, value: value)
      receive(id, object.handle, options, writes: [write])
    case .preparedWrite(let id, let pieces, let options):
      let writes = pieces.map { AttributeWrite(handle: $0.object.handle, offset: $0.offset, value: $0.value) }
      if let first = writes.first { receive(id, first.handle, options, writes: writes) }
    case .subscribed(let object, let id, _, _):
      useLink(id)
      guard let central = links[id]?.central, subscriptions.subscribe(central, to: object.handle) else { return }
      report(.subscribed(object.handle, radioCentral(central)))
    case .unsubscribed(let object, let address, _):
      let central = CentralID(address)
      // A subscription that ends with the connection is reported after the end of the connection in the central role.
      if let id = links.connection(of: central), hostLink(id) == nil { return }
      guard subscriptions.unsubscribe(central, from: object.handle) else { return }
      report(.unsubscribed(object.handle, radioCentral(central)))
    case .confirmed(let object, _): report(.confirmed(object.handle))
    case .channelOpened(let end, let psm): channelOpened(end, psm)
    case .mtuChanged(let id):
      if let mtu = hostLink(id)?.mtu { links.set(mtu: mtu, over: id) }
      updatePeripheral(id)
    case .servicesResolved, .pairingCancelled, .completed, .channelChanged: break
    }
  }

  // MARK: Centrals

  func hostLink(_ id: ConnectionID) -> HostLink? {
    adapter.withHost { $0.links[id] } ?? nil
  }

  func isBonded(with address: DeviceAddress) -> Bool { adapter.withHost { $0.isBonded(with: address) } == true }

  func radioCentral(_ id: CentralID) -> RadioCentral {
    let isBonded = links.address(of: id).map { self.isBonded(with: $0) } == true
    return RadioCentral(id: id, isBonded: isBonded, mtu: links.connection(of: id).flatMap { links[$0]?.mtu } ?? 23)
  }

  func centralConnected(_ id: ConnectionID) {
    // The connection may have ended already.
    if let link = hostLink(id) { add(link, id) }
    restartAdvertising()
  }

  /// A peripheral that is a client, too, is known as a central once it uses an attribute.
  func useLink(_ id: ConnectionID) {
    guard links[id] == nil, peripherals[id] != nil, let link = hostLink(id) else { return }
    add(link, id)
  }

  private func add(_ link: HostLink, _ id: ConnectionID) {
    let central = links.connect(link.peer, over: id, mtu: link.mtu)
    report(.connected(radioCentral(central)))
    if link.security != .open { resumeSubscriptions(of: central, over: id) }
  }

  func centralDisconnected(_ id: ConnectionID) {
    guard let central = links[id]?.central else { return }
    let lost = radioCentral(central)
    links.disconnect(id)
    requests = requests.filter { $0.value.connection != id }
    for characteristic in subscriptions.characteristics(of: central) {
      if lost.isBonded { retain(characteristic, of: central) }
      _ = subscriptions.unsubscribe(central, from: characteristic)
      report(.unsubscribed(characteristic, lost))
    }
    report(.disconnected(lost))
    if !lost.isBonded { links.forget(central) }
  }

  /// The centrals connected to the adapter, whether reported or not.
  package var connectedCentrals: [RadioCentral] {
    adapter.withHost { host in
      host.links.values.filter { !$0.isCentral }.map { link in
        RadioCentral(id: CentralID(link.peer), isBonded: host.isBonded(with: link.peer), mtu: link.mtu)
      }
    } ?? []
  }

  package func disconnect(_ central: CentralID) {
    guard let id = links.connection(of: central) else { return }
    later { $0.ask(.disconnect(id)) }
  }

  // MARK: Pairing

  private func ask(_ question: PairingRequest, _ id: ConnectionID) {
    if defects.contains(.addressInPairing) { ask(.changeAddress) }
    guard hostLink(id)?.isCentral == false, let central = links[id]?.central else { return askAsCentral(question, id) }
    let refusal = pairing.refusal(of: question)
    if let refusal { report(.pairingRefused(radioCentral(central), refusal)) }
    if case .show(let passkey) = question {
      if refusal == nil { report(.passkey(radioCentral(central), passkey)) }
    } else if let question = pairingQuestion(over: id) {
      report(.pairingQuestion(question))
    } else {
      later { $0.ask(.respondToPairing(id, refusal == nil ? .yes : .no)) }
    }
  }

  package var pairingQuestions: [PairingQuestion] { openQuestions.map(\.question) }

  private var openQuestions: [(link: ConnectionID, question: PairingQuestion)] {
    let links = adapter.withHost { $0.links.keys.sorted() } ?? []
    return links.compactMap { id in pairingQuestion(over: id).map { (id, $0) } }
  }

  package func answerPairing(_ question: PairingQuestion, _ response: PairingResponse) {
    guard let link = openQuestions.first(where: { $0.question == question })?.link else { return }
    answer(.respondToPairing(link, response))
  }

  /// The question about the pairing over a link, if the user has to answer: the radio itself types a passkey that it
  /// reads on the other side's display.
  func pairingQuestion(over id: ConnectionID) -> PairingQuestion? {
    guard let link = hostLink(id), let request = link.question,
      link.isCentral || pairing.refusal(of: request) == nil
    else { return nil }
    let isForUser =
      switch request {
      case .compare: pairing == .compare
      case .type: pairing != .refuse && adapter.passkey(shownOver: id) == nil
      case .authorize, .show: false
      }
    return isForUser ? PairingQuestion(address: "\(link.peer)", isCentral: !link.isCentral, request) : nil
  }
}

extension CentralID {
  package init(_ address: DeviceAddress) { self.init(rawValue: address.description) }
}

extension PairingMode {
  var capability: PairingCapability {
    switch self {
    case .justWorks, .refuse: .noInputNoOutput
    case .passkey: .displayOnly
    case .compare: .displayYesNo
    }
  }
}
