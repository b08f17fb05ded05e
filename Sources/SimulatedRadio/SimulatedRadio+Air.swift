package import BlueZ
package import DBus
import GATT
import VirtualBlueZ

/// What the air does to the phone.
extension SimulatedRadio: Station {
  nonisolated func hear(_ action: AirAction) { assumeIsolated { $0.take(action) } }

  private func take(_ action: AirAction) {
    guard hasDaemon else { return }
    switch action {
    case .published(let id, _, _):
      guard let (number, entry) = published.first(where: { $0.value.id == id }) else { return }
      run(.registered(.application(number), entry.attempt))
    case .publicationRefused(let id, let refusal):
      guard let (number, entry) = published.first(where: { $0.value.id == id }) else { return }
      published[number] = nil
      run(.failed(.application(number), entry.attempt, .remote(BlueZError.failed.reply(refusal.rawValue))))
    case .advertising(let id):
      guard let (number, entry) = advertised.first(where: { $0.value.id == id }) else { return }
      run(.registered(.advertisement(number), entry.attempt))
    case .advertisementRefused(let id, let refusal): refused(id, refusal)
    case .advertisementReleased(let id):
      guard let number = advertised.first(where: { $0.value.id == id })?.key else { return }
      advertised[number] = nil
      run(.released(.advertisement(number)))
    case .connected(let id, _, let peripheral): if peripheral == adapter { greet(id) }
    case .disconnected(let id, _, let peripheral): if peripheral == adapter { lose(id) }
    case .poweredOff: powerChanged(false)
    case .pairingQuestion(let id, _, let question): ask(question, id)
    case .paired(let id):
      guard let path = links.first(where: { $0.value == id })?.key else { return }
      if let address = addresses[path] { bonds.insert(address) }
      tell(.paired(device(at: path)))
    case .read(let id, let object, let options): request(id, object, options, value: nil)
    case .write(let id, let object, let value, let options): request(id, object, options, value: value)
    case .subscribed(let object, let id, _, _):
      guard let path = path(of: object), let device = links.first(where: { $0.value == id })?.key else { return }
      mtus[device] = air.assumeIsolated { $0.air.connections[id]?.mtu }
      if let change = subscribers.subscribe(device, to: path) { tell(change, at: path) }
    case .unsubscribed(let object, _, let isLast):
      // bluetoothd tells when the last one has left.
      guard isLast, let path = path(of: object) else { return }
      for change in subscribers.stop(on: path) { tell(change, at: path) }
    case .confirmed(let object, _):
      if let address = path(of: object).flatMap({ address(of: $0) }) { tell(.confirmed(address)) }
    case .heard, .connectFailed, .servicesResolved, .servicesChanged, .pairingCancelled, .completed, .valueChanged:
      break
    }
  }

  private func refused(_ id: AdvertisementID, _ refusal: AdvertisementRefusal) {
    guard let (number, entry) = advertised.first(where: { $0.value.id == id }) else { return }
    advertised[number] = nil
    let reply: DBusErrorReply
    switch refusal {
    case .tooMany: reply = BlueZError.notPermitted.reply("Maximum advertisements reached")
    case .notParsed: reply = BlueZError.failed.reply("Failed to parse advertisement.")
    case .notRegistered: reply = BlueZError.failed.reply("Failed to register advertisement")
    case .neverAnswered: return
    }
    run(.failed(.advertisement(number), entry.attempt, .remote(reply)))
  }

  // MARK: Power

  /// The adapter is on or off, or it is the first look at it.
  func powerChanged(_ isOn: Bool) {
    self.isOn = isOn
    radioChanged()
  }

  package func switchPower(on isOn: Bool, _ completion: @escaping @Sendable (DBusFailure?) -> Void) -> Bool {
    guard isUsable else { return false }
    isSwitchedOff = !isOn
    later { this in
      guard this.isUsable else { return completion(.remote(BlueZError.failed.reply("the adapter is gone"))) }
      if isOn != this.isOn {
        this.run(.set(this.adapter, .powered(isOn)))
        if isOn { this.powerChanged(true) }
      }
      completion(nil)
    }
    return true
  }

  package var takesIntervals: Bool? {
    isUsable ? air.assumeIsolated { $0.air.behavior.takesIntervals } : nil
  }

  package var version: DaemonVersion? {
    isUsable ? DaemonVersion(5, air.assumeIsolated { $0.air.behavior.minor }) : nil
  }

  // MARK: Centrals

  func device(at path: ObjectPath) -> RemoteDevice {
    guard let address = addresses[path] else {
      return RemoteDevice(path: path, address: path.deviceAddress ?? path.rawValue)
    }
    return RemoteDevice(
      path: path, address: address.description, isConnected: links[path] != nil, isPaired: bonds.contains(address))
  }

  private func devicePath(_ address: DeviceAddress) -> ObjectPath {
    BlueZName.root.appending(adapter.description).appending(address.pathElement)
  }

  func greet(_ id: ConnectionID) {
    guard let connection = air.assumeIsolated({ $0.air.connections[id] }),
      let address = air.assumeIsolated({ $0.address(of: connection.central) })
    else { return }
    let path = devicePath(address)
    links[path] = id
    addresses[path] = address
    tell(.connected(device(at: path)))
    for (characteristic, change) in subscribers.connected(path) { tell(change, at: characteristic) }
    // The controller stops advertising at a connection: a second central would not see us.
    for number in advertised.keys.sorted() { run(.renew(.advertisement(number))) }
  }

  func lose(_ id: ConnectionID) {
    guard let path = links.first(where: { $0.value == id })?.key else { return }
    links[path] = nil
    let device = device(at: path)
    for (characteristic, change) in subscribers.disconnected(path, isBonded: device.isPaired) {
      tell(change, at: characteristic)
    }
    mtus[path] = nil
    tell(.disconnected(device))
  }

  /// As the air has them, greeted or not.
  private var connections: [(id: ConnectionID, address: DeviceAddress)] {
    air.assumeIsolated { [adapter] air in
      air.air.connections.values.filter { $0.peripheral == adapter }.sorted { $0.id < $1.id }
        .compactMap { connection in air.address(of: connection.central).map { (connection.id, $0) } }
    }
  }

  package var connectedAddresses: Set<String> { Set(connections.map(\.address.description)) }

  package func disconnect(address: String) {
    guard let id = connections.first(where: { $0.address.description == address })?.id else { return }
    later { $0.run(.disconnect(id)) }
  }

  package func maximumUpdateValueLength(of device: ObjectPath) -> Int { (mtus[device] ?? 23) - 3 }

  /// As the agent of `Peripheral` answers.
  private func ask(_ question: PairingQuestion, _ id: ConnectionID) {
    guard let path = links.first(where: { $0.value == id })?.key else { return }
    let device = DBusValue.objectPath(path)
    let (member, arguments): (MemberName, [DBusValue]) =
      switch question {
      case .authorize: ("RequestAuthorization", [device])
      case .compare(let passkey): ("RequestConfirmation", [device, .uint32(passkey)])
      case .type: ("RequestPasskey", [device])
      case .show(let passkey): ("DisplayPasskey", [device, .uint32(passkey), .uint16(0)])
      }
    let isShown = if case .show = question { true } else { false }
    var answer = PairingAnswer.yes
    switch pairing.answer(to: member, arguments) {
    case .accept, .acknowledge: break
    case .show(_, let passkey): tell(.passkey(self.device(at: path), passkey))
    case .reject:
      answer = .no
      tell(.pairingRefused(self.device(at: path)))
    }
    guard !isShown else { return }
    later { [answer] in $0.run(.answerPairing(id, $0.adapter, answer)) }
  }
}
