import BleperaAppLink
import BleperaBluetooth

/// A peripheral manager's side of the link: the published services and channels, and the callbacks.
final class ManagerAppLink: QueuedAppLink<CBPeripheralManager>, SessionAppLink, @unchecked Sendable {  // `lock`
  private var storedIsAdvertising = false
  private var published = PublishedObjects()
  /// The numbers of the L2CAP channels that are published.
  private var channels: [L2CAPPSM] = []
  /// Calls of `updateValue` that wait for the phone.
  private var updates = 0
  /// Whether an update was turned away, so that the app waits for room in the transmit queue.
  private var isWaiting = false

  /// Removes services, channels and the advertisement when the manager is deallocated.
  func close() {
    guard state == .poweredOn else { return }
    send(.stopAdvertising)
    send(.removeAllServices)
    for psm in lock.withLock({ channels }) { send(.unpublishL2CAPChannel(psm)) }
  }

  // MARK: Calls

  var isAdvertising: Bool { lock.withLock { storedIsAdvertising } }

  func send(_ call: PeripheralManagerCall) { session.port.send(.peripheral(id.name, call)) }

  func startAdvertising(_ data: AdvertisementData) { send(.startAdvertising(data)) }

  func stopAdvertising() {
    lock.withLock { storedIsAdvertising = false }
    send(.stopAdvertising)
  }

  func add(_ service: CBMutableService) {
    let definition: ServiceDefinition
    do throws(ServiceReader.Refusal) {
      definition = try ServiceReader.definition(of: service)
    } catch {
      switch error {
      case .exception(let reason): Misuse.end(reason)
      case .code(let code):
        return onQueue { $1.peripheralManager($0, didAdd: service, error: CBError(code)) }
      }
    }
    let number = session.nextService()
    let isNew = lock.withLock { published.add(service, number) }
    guard isNew else { Misuse.end("Services cannot be added more than once") }
    send(.addService(number, definition))
  }

  func remove(_ service: CBMutableService) {
    guard let number = lock.withLock({ published.remove(service) }) else { return }
    send(.removeService(number))
  }

  func removeAllServices() {
    lock.withLock { published = PublishedObjects() }
    send(.removeAllServices)
  }

  func update(_ characteristic: CBMutableCharacteristic, _ value: [UInt8], _ centrals: [CentralID]?) -> Bool {
    let place = lock.withLock { () -> CharacteristicID? in
      guard let place = published.place(of: characteristic) else { return nil }
      updates += 1
      return place
    }
    guard let place else { return false }
    let isQueued = session.port.update(place, value, centrals: centrals, by: id.name)
    lock.withLock {
      updates -= 1
      if !isQueued { isWaiting = true }
    }
    return isQueued
  }

  // MARK: Callbacks

  /// Runs a callback on the manager's queue while manager and delegate exist.
  func onQueue(_ body: @escaping (CBPeripheralManager, any CBPeripheralManagerDelegate) -> Void) {
    onQueue { manager in
      if let delegate = manager.delegate { body(manager, delegate) }
    }
  }

  func receive(_ message: PhoneMessage) {
    guard case .peripheral(_, let callback) = message else { return }
    if case .didUpdateState(let state) = callback { note(state) }
    onQueue(message) { [self] manager in handle(callback, manager) }
  }

  private func handle(_ callback: PeripheralManagerCallback, _ manager: CBPeripheralManager) {
    let delegate = manager.delegate
    switch callback {
    case .didUpdateState(let state):
      change(to: state)
      delegate?.peripheralManagerDidUpdateState(manager)
    case .willRestoreState(let state):
      let dictionary = restore(state)
      delegate?.peripheralManager(manager, willRestoreState: dictionary)
    case .didAddService(let number, let error):
      guard let service = lock.withLock({ published.service(number) }) else { return }
      if error != nil { lock.withLock { _ = published.remove(service) } }
      delegate?.peripheralManager(
        manager, didAdd: service, error: error.map { CBError($0.code(in: service), reason: $0) })
    case .didStartAdvertising(let error, let code):
      if error == nil { lock.withLock { storedIsAdvertising = true } }
      delegate?.peripheralManagerDidStartAdvertising(
        manager, error: error.map { CBError(code == .alreadyAdvertising ? .alreadyAdvertising : .unknown, reason: $0) })
    case .didSubscribe(let central, let place):
      guard let characteristic = characteristic(place) else { return }
      let central = session.central(central)
      if !characteristic.subscribers.contains(central) { characteristic.subscribers.append(central) }
      delegate?.peripheralManager(manager, central: central, didSubscribeTo: characteristic)
    case .didUnsubscribe(let central, let place):
      guard let characteristic = characteristic(place) else { return }
      let central = session.central(central)
      characteristic.subscribers.removeAll { $0 == central }
      delegate?.peripheralManager(manager, central: central, didUnsubscribeFrom: characteristic)
    case .didReceiveRead(let request):
      guard let characteristic = characteristic(request.characteristic) else {
        return send(.respond(request.id, error: .invalidHandle, value: []))
      }
      let object = CBATTRequest(
        request.id, session.central(request.central), characteristic, offset: request.offset, value: nil, isRead: true)
      answer(object, delegate) { $0.peripheralManager(manager, didReceiveRead: object) }
    case .didReceiveWrite(let requests): receive(requests, manager, delegate)
    case .isReadyToUpdateSubscribers:
      let isAwaited = lock.withLock {
        defer { isWaiting = false }
        return isWaiting || updates > 0
      }
      if isAwaited { delegate?.peripheralManagerIsReady(toUpdateSubscribers: manager) }
    case .didPublishL2CAPChannel(let psm, let error):
      if let psm { lock.withLock { channels.append(psm) } }
      delegate?.peripheralManager(
        manager, didPublishL2CAPChannel: psm?.rawValue ?? 0, error: error.map { CBError(.unknown, reason: $0) })
    case .didUnpublishL2CAPChannel(let psm, let error):
      lock.withLock { channels.removeAll { $0 == psm } }
      delegate?.peripheralManager(
        manager, didUnpublishL2CAPChannel: psm.rawValue, error: error.map { CBError(.invalidParameters, reason: $0) })
    case .didOpenL2CAPChannel(let channel):
      guard let stream = session.takeStream(channel.id) else { return }
      delegate?.peripheralManager(
        manager,
        didOpen: CBL2CAPChannel(
          stream, peer: session.central(channel.central), psm: channel.psm.rawValue, port: session.port), error: nil)
    case .didUpdateValue: break
    }
  }

  private func receive(
    _ writes: [WriteRequest], _ manager: CBPeripheralManager, _ delegate: (any CBPeripheralManagerDelegate)?
  ) {
    guard let first = writes.first else { return }
    let objects = writes.compactMap { write in
      characteristic(write.characteristic).map { characteristic in
        CBATTRequest(
          first.id, session.central(write.central), characteristic, offset: write.offset, value: Data(write.value),
          isRead: false)
      }
    }
    guard objects.count == writes.count else { return send(.respond(first.id, error: .invalidHandle, value: [])) }
    answer(objects[0], delegate) { $0.peripheralManager(manager, didReceiveWrite: objects) }
  }

  /// Passes a request to the delegate; without a delegate the system refuses the request.
  private func answer(
    _ request: CBATTRequest, _ delegate: (any CBPeripheralManagerDelegate)?,
    _ body: (any CBPeripheralManagerDelegate) -> Void
  ) {
    guard let delegate else { return send(.respond(request.id, error: .requestNotSupported, value: [])) }
    body(delegate)
  }

  private func characteristic(_ place: CharacteristicID) -> CBMutableCharacteristic? {
    lock.withLock { published.characteristic(place) }
  }

  // MARK: State

  private func change(to state: ManagerState) {
    let state = CBManagerState(rawValue: state.rawValue) ?? .unknown
    lock.withLock {
      store(state)
      if state == .poweredOn { return }
      // All centrals are disconnected.
      published.loseSubscribers()
      (isWaiting, storedIsAdvertising) = (false, storedIsAdvertising && state == .poweredOff)
      // A state below poweredOff clears the database; the app adds its services again.
      if state != .poweredOff { (published, channels) = (PublishedObjects(), []) }
    }
  }

  /// Creates the objects for the preserved state, for `willRestoreState`.
  private func restore(_ state: RestoredState) -> [String: Any] {
    let services = RestoredObjects.services(state.services) { self.session.central($0) }
    for (number, _) in services { session.reserve(number) }
    lock.withLock {
      for (number, service) in services { _ = published.add(service, number) }
      storedIsAdvertising = state.advertisement != nil
    }
    var dictionary: [String: Any] = [:]
    if !services.isEmpty { dictionary[CBPeripheralManagerRestoredStateServicesKey] = services.map(\.service) }
    if let advertisement = state.advertisement {
      dictionary[CBPeripheralManagerRestoredStateAdvertisementDataKey] = Advertisement.dictionary(advertisement)
    }
    return dictionary
  }
}

extension CBError {
  /// An error with the phone's description if the code is `unknown`.
  fileprivate init(_ code: Code, reason: String) {
    self.init(code, userInfo: code == .unknown ? [NSLocalizedDescriptionKey: reason] : [:])
  }
}

extension String {
  /// The code for the phone's reason why a service is not published.
  fileprivate func code(in service: CBMutableService) -> CBError.Code {
    guard let definition = try? ServiceReader.definition(of: service), let refusal = definition.refusals().first else {
      return .unknown
    }
    if case .uuidNotAllowed = refusal.reason { return .uuidNotAllowed }
    return .invalidParameters
  }
}
