package import BleperaBluetooth
import BleperaHost
package import BleperaLoop
package import BleperaRadio

/// The central role.
extension HostRadio {
  package nonisolated var hasCentralRole: Bool { true }

  package func scan(_ scan: ScanWindow?) {
    later { if $0.isUsable, $0.isOn { $0.ask(.scan(scan)) } }
  }

  package func connect(to peripherals: Set<PeripheralID>, listening scan: ScanWindow) {
    let connected = self.peripherals.identifiers
    later { this in
      guard this.isUsable, this.isOn, let waiting = this.adapter.state?.connecting else { return }
      // A connection that was made meanwhile is not made again.
      let made = this.peripherals.identifiers.subtracting(connected)
      let wanted = Set(peripherals.subtracting(made).compactMap { this.peripherals.address(of: $0) })
      this.ask(.listen(scan))
      for address in waiting.subtracting(wanted).sorted() { this.ask(.cancelConnect(address)) }
      for address in wanted.subtracting(waiting).sorted() {
        // A peripheral that is connected already is waited for until after the end of the connection.
        if let link = this.adapter.withHost({ $0.linksOfPeers[address] }) ?? nil, this.peripherals[link] == nil {
          this.adopt(link)
        } else {
          this.ask(.connect(address))
        }
      }
    }
  }

  package func disconnect(from peripheral: PeripheralID) {
    guard let id = peripherals.connection(to: peripheral) else { return }
    later { this in
      // A connection that the other side has made stays.
      guard this.hostLink(id)?.isCentral == false else { return this.ask(.disconnect(id)) }
      this.peripheralDisconnected(id, .byPhone)
    }
  }

  package func perform(_ procedure: GATTProcedure, as id: PeripheralOperationID, at peripheral: PeripheralID) {
    operate(id, at: peripheral) { .host(.perform($0, $1, procedure)) }
  }

  package func readRSSI(of peripheral: PeripheralID, as id: PeripheralOperationID) {
    operate(id, at: peripheral) { .linkLayer(.readRSSI($0, $1)) }
  }

  /// Reports the result of an operation, unless the operation ends with the connection.
  private func operate(
    _ id: PeripheralOperationID, at peripheral: PeripheralID,
    _ request: @escaping @Sendable (OperationID, ConnectionID) -> AdapterRequest
  ) {
    guard let link = peripherals.connection(to: peripheral) else {
      return later { $0.report(.completed(id, .failure(.notConnected))) }
    }
    later { this in
      this.operate({ request($0, link) }) { this, result in
        guard this.peripherals[link] != nil, result != .failure(.disconnected), result != .failure(.notConnected) else {
          return
        }
        this.updatePeripheral(link)
        this.report(.completed(id, result))
      }
    }
  }

  package func openChannel(
    _ psm: L2CAPPSM, at peripheral: PeripheralID,
    _ completion: @escaping @Sendable (Result<any ByteStream, ProcedureFailure>) -> Void
  ) {
    let link = peripherals.connection(to: peripheral)
    later { this in
      guard let link else { return completion(.failure(.notConnected)) }
      this.openChannel(psm, over: link, hasPaired: false, completion)
    }
  }

  /// A channel that requires encryption is opened after pairing.
  private func openChannel(
    _ psm: L2CAPPSM, over link: ConnectionID, hasPaired: Bool,
    _ completion: @escaping @Sendable (Result<any ByteStream, ProcedureFailure>) -> Void
  ) {
    let open: @Sendable (OperationID) -> AdapterRequest = { .host(.openChannel($0, link, psm)) }
    operate(open) { this, result in
      switch result {
      case .success(let answer):
        let end = ChannelEnd(link, LittleEndian.number(answer.bytes))
        completion(.success(ChannelStream(of: this.adapter, end)))
      case .failure(.channel(.notEncrypted)) where !hasPaired:
        let pair: @Sendable (OperationID) -> AdapterRequest = { .host(.pair(link, $0)) }
        this.operate(pair) { this, result in
          switch result {
          case .success: this.openChannel(psm, over: link, hasPaired: true, completion)
          case .failure: completion(.failure(.pairing(.failed)))
          }
        }
      case .failure(let failure): completion(.failure(failure))
      }
    }
  }

  private func operate(
    _ request: @Sendable (OperationID) -> AdapterRequest,
    _ completion: @escaping @Sendable (isolated HostRadio, Result<ProcedureAnswer, ProcedureFailure>) -> Void
  ) {
    adapter.operate(request) { [weak self] result in self?.assumeIsolated { completion($0, result) } }
  }

  // MARK: Connections

  func receive(_ report: AdvertisementReport) {
    self.report(
      .received(
        peripherals.identifier(of: report.address),
        ReceivedAdvertisement(
          AdvertisingData(leniently: report.data), scanResponse: AdvertisingData(leniently: report.scanResponse),
          isConnectable: report.isConnectable, rssi: report.rssi)))
  }

  /// - Parameter address: the one with which the phone has waited, for a connection that has ended already.
  func peripheralConnected(_ id: ConnectionID, as address: DeviceAddress) {
    let peripheral =
      radioPeripheral(id)
      ?? RadioPeripheral(
        id: peripherals.identifier(of: address), isBonded: isBonded(with: address), mtu: ATTMTU.range.lowerBound)
    peripherals.set(peripheral, over: id)
    report(.peripheralConnected(peripheral))
  }

  /// A device that connects to the phone is a peripheral to an app that waits for it: two devices have one connection.
  func adoptLink(_ id: ConnectionID) {
    guard let peer = hostLink(id)?.peer, adapter.state?.connecting.contains(peer) == true else { return }
    ask(.cancelConnect(peer))
    adopt(id)
  }

  private func adopt(_ id: ConnectionID) {
    guard peripherals[id] == nil, let peripheral = radioPeripheral(id) else { return }
    peripherals.set(peripheral, over: id)
    report(.peripheralConnected(peripheral))
  }

  func peripheralDisconnected(_ id: ConnectionID, _ cause: DisconnectionCause) {
    guard let peripheral = peripherals.remove(id) else { return }
    report(.peripheralDisconnected(peripheral.id, cause))
  }

  func peripheralBonded(_ id: ConnectionID) {
    guard let former = peripherals[id], let peripheral = radioPeripheral(id) else { return }
    peripherals.set(peripheral, over: id)
    report(.peripheralBonded(former.id, peripheral))
  }

  /// Reports the MTU and the name if they have changed.
  func updatePeripheral(_ id: ConnectionID) {
    guard let former = peripherals[id], let link = hostLink(id) else { return }
    let peripheral = RadioPeripheral(id: former.id, isBonded: former.isBonded, mtu: link.mtu, name: link.peerName)
    if peripherals.set(peripheral, over: id) { report(.peripheralChanged(peripheral)) }
  }

  private func radioPeripheral(_ id: ConnectionID) -> RadioPeripheral? {
    guard let link = hostLink(id) else { return nil }
    return RadioPeripheral(
      id: peripherals.identifier(of: link.peer), isBonded: isBonded(with: link.peer), mtu: link.mtu,
      name: link.peerName)
  }

  func endCentralRole() {
    ask(.scan(nil))
    for address in adapter.state?.connecting.sorted() ?? [] { ask(.cancelConnect(address)) }
    for id in peripherals.connections { ask(.disconnect(id)) }
    peripherals.removeAll()
  }

  // MARK: Pairing

  /// The phone's user confirms, and types the passkey that the peripheral shows, unless the phone refuses pairings. A
  /// number, and a passkey that the radio cannot read on the peripheral's display, are questions to the user.
  func askAsCentral(_ question: PairingRequest, _ id: ConnectionID) {
    guard peripherals[id] != nil else { return }
    if case .show = question, let link = hostLink(id) {
      return report(.pairingQuestion(PairingQuestion(address: "\(link.peer)", isCentral: false, question)))
    }
    later { this in
      if let question = this.pairingQuestion(over: id) { return this.report(.pairingQuestion(question)) }
      let answer: PairingResponse =
        switch question {
        case _ where this.pairing == .refuse: .no
        case .type: this.adapter.passkey(shownOver: id).map { .passkey($0) } ?? .no
        case .authorize, .compare, .show: .yes
        }
      this.ask(.respondToPairing(id, answer))
    }
  }
}
