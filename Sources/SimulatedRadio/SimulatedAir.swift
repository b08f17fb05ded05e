package import EventLoop
package import VirtualBlueZ

/// A virtual air on a loop, with the radios of phones and centrals that are on it. There is no bus.
package actor SimulatedAir {
  package nonisolated let loop: any ActorLoop
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  typealias Completion = @Sendable (Result<[UInt8], ClientFailure>) -> Void

  private(set) var air: VirtualAir
  private var stations: [AdapterID: any Station] = [:]
  private var applications: [ApplicationID: AdapterID] = [:]
  private var advertisements: [AdvertisementID: AdapterID] = [:]
  private var completions: [OperationID: Completion] = [:]
  private var lastNumber = 0
  /// With those that were taken away.
  private var adapterCount = 0
  private var events: [AirEvent] = []
  private var isRunning = false
  private let beginning: Duration
  private var timer: (deadline: Duration, source: any LoopTimer)?

  package init(
    loop: any ActorLoop, behavior: DaemonBehavior = DaemonBehavior(), conditions: AirConditions = .init(),
    seed: UInt64 = 0
  ) {
    self.loop = loop
    beginning = loop.now
    air = VirtualAir(behavior: behavior, conditions: conditions, seed: seed)
  }

  /// Puts one more adapter on the air: `00:AA:01:00:00:00`, `00:AA:01:00:00:01`, ...
  ///
  /// - Parameter mtu: the ATT_MTU it offers, in bytes.
  package func addAdapter(named name: String, mtu: Int = 517) -> AdapterID {
    let address = DeviceAddress(bits: 0x00AA_0100_0000 + UInt64(adapterCount))
    return addAdapter(AdapterDescription(address: address, name: name, mtu: mtu))
  }

  /// Puts one more adapter on the air.
  ///
  /// - Parameter capability: what it can do when it pairs; nil for nothing.
  package func addAdapter(_ description: AdapterDescription, capability: PairingCapability? = nil) -> AdapterID {
    let id = AdapterID(adapterCount)
    adapterCount += 1
    run(.added(id, description))
    if let capability { run(.set(id, .capability(capability))) }
    return id
  }

  package func address(of adapter: AdapterID) -> DeviceAddress? { air.adapters[adapter]?.address }

  package func set(_ conditions: AirConditions) { run(.conditions(conditions)) }

  /// Changes what two adapters measure of each other, in dBm; nil for what the conditions say.
  package func setRSSI(between first: AdapterID, and second: AdapterID, to rssi: Int?) {
    run(.rssi(first, second, rssi))
  }

  package func advertised(by adapter: AdapterID) -> [EncodedAdvertisement] { air.advertised(by: adapter) }

  // MARK: For its stations

  /// What the adapter is the radio of, where that is a phone.
  package func phone(at adapter: AdapterID) -> SimulatedRadio? { stations[adapter] as? SimulatedRadio }

  /// From then on the station hears what concerns its adapter.
  func attach(_ station: (any Station)?, to adapter: AdapterID) { stations[adapter] = station }

  /// A number for an advertisement that the adapter is to be given.
  func newAdvertisement(on adapter: AdapterID) -> AdvertisementID {
    let id = AdvertisementID(nextNumber())
    advertisements[id] = adapter
    return id
  }

  func withdraw(_ id: AdvertisementID) {
    run(.withdraw(id))
    advertisements[id] = nil
  }

  /// A number for an application that the adapter is to be given.
  func newApplication(on adapter: AdapterID) -> ApplicationID {
    let id = ApplicationID(nextNumber())
    applications[id] = adapter
    return id
  }

  func unpublish(_ id: ApplicationID) {
    run(.unpublish(id))
    applications[id] = nil
  }

  func operate(_ event: (OperationID) -> AirEvent, _ completion: @escaping Completion) {
    let id = OperationID(nextNumber())
    completions[id] = completion
    run(event(id))
  }

  /// An event that comes while another one is handled waits for its turn.
  func run(_ event: AirEvent) {
    events.append(event)
    guard !isRunning else { return }
    isRunning = true
    var index = 0
    while index < events.count {
      let event = events[index]
      index += 1
      for action in air.handle(event, at: loop.now - beginning) { pass(action) }
    }
    events = []
    isRunning = false
    setTimer()
  }

  private func setTimer() {
    let deadline = air.nextDeadline
    guard deadline != timer?.deadline else { return }
    timer = deadline.map { deadline in
      let delay = deadline - (loop.now - beginning)
      return (deadline, loop.schedule(after: delay) { [weak self] in self?.assumeIsolated { $0.tick() } })
    }
  }

  private func tick() {
    timer = nil
    run(.tick)
  }

  private func nextNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  // MARK: To its stations

  private func pass(_ action: AirAction) {
    switch action {
    case .completed(let id, let result): completions.removeValue(forKey: id)?(result)
    case .connected(_, let central, let peripheral), .disconnected(_, let central, let peripheral):
      tell(peripheral, action)
      tell(central, action)
    case .poweredOff(let adapter), .heard(let adapter, _), .connectFailed(let adapter, _),
      .pairingQuestion(_, let adapter, _), .pairingCancelled(_, let adapter):
      tell(adapter, action)
    case .advertising(let id), .advertisementRefused(let id, _), .advertisementReleased(let id):
      tell(advertisements[id], action)
    case .published(let id, _, _), .publicationRefused(let id, _): tell(applications[id], action)
    case .read(_, let object, _), .write(_, let object, _, _), .subscribed(let object, _, _, _),
      .unsubscribed(let object, _, _), .confirmed(let object, _):
      tell(applications[object.application], action)
    case .servicesResolved(let id), .servicesChanged(let id), .valueChanged(let id, _, _):
      tell(air.connections[id]?.central, action)
    case .paired(let id):
      tell(air.connections[id]?.peripheral, action)
      tell(air.connections[id]?.central, action)
    }
  }

  private func tell(_ adapter: AdapterID?, _ action: AirAction) {
    guard let adapter, let station = stations[adapter] else { return }
    station.hear(action)
  }
}

/// What an adapter of a simulated air belongs to.
protocol Station: AnyObject, Sendable {
  /// On the air's loop.
  nonisolated func hear(_ action: AirAction)
}
