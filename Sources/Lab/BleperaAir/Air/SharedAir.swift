package import BleperaBluetooth
package import BleperaHost
package import BleperaLoop

/// A virtual air on a loop, with the phones, centrals and programs that share it.
///
/// Events run one at a time in order of arrival, and each participant receives the actions for its adapters, on the
/// loop, in order.
package actor SharedAir: LoopActor {
  package typealias Completion = @Sendable (Result<ProcedureAnswer, ProcedureFailure>) -> Void

  package nonisolated let loop: any ActorLoop
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
  package nonisolated var isOnLoop: Bool { loop.isCurrent }

  package private(set) var air: VirtualAir
  /// Whether events are being handled; further events are then queued.
  package private(set) var isRunning = false
  private var participants: [AdapterID: WeakParticipant] = [:]
  /// The streams of open channels.
  private var streams: [AdapterID: [ChannelEnd: AirStream]] = [:]
  private var operations: [OperationID: (adapter: AdapterID, completion: Completion)] = [:]
  private var lastNumber = 0
  /// Including removed adapters.
  private var adapterCount = 0
  private var events: [AirEvent] = []
  /// The adapters whose participants have received an action since the turn began.
  private var involved: [AdapterID] = []
  private let beginning: Duration
  /// The time of day at the air's origin, since 1970 in UTC.
  private let origin: Duration
  private var timer: (any LoopTimer)?
  /// When the timer calls.
  private var deadline: Duration?
  /// Receives what is captured in each turn.
  private var writeCapture: (@Sendable ([UInt8]) -> Void)?

  package init(loop: any ActorLoop, conditions: AirConditions = .init(), seed: UInt64 = 0) {
    self.loop = loop
    (beginning, origin) = (loop.now, loop.timeOfDay)
    air = VirtualAir(conditions: conditions, seed: seed)
  }

  // MARK: Adapters

  /// The address of the next adapter: `00:AA:01:00:00:00`, `00:AA:01:00:00:01`, ...
  package var nextAddress: DeviceAddress { DeviceAddress(bits: 0x00AA_0100_0000 + UInt64(adapterCount)) }

  /// Adds an adapter with the next address to the air.
  ///
  /// - Parameters:
  ///   - addressRotation: how long a resolvable private address is used; nil for an adapter that uses that address.
  ///   - advertisingDelay: what the controller adds to each advertising interval.
  ///   - mtu: the offered ATT_MTU, in bytes.
  package func addAdapter(
    named name: String, addressRotation: Duration? = nil, advertisingDelay: AdvertisingDelay = .specification,
    mtu: Int = 517, stack: StackBehavior = StackBehavior()
  ) -> AdapterID {
    addAdapter(
      AdapterDescription(
        address: nextAddress, addressRotation: addressRotation, advertisingDelay: advertisingDelay, name: name,
        mtu: mtu,
        stack: stack))
  }

  /// Adds an adapter to the air.
  package func addAdapter(_ description: AdapterDescription) -> AdapterID {
    let id = AdapterID(adapterCount)
    adapterCount += 1
    run(.added(id, description))
    return id
  }

  /// The address under which the adapter advertises now.
  package func address(of adapter: AdapterID) -> DeviceAddress? { air.adapters[adapter]?.address }

  package func advertised(by adapter: AdapterID) -> [AdvertisingPackets] { air.advertised(by: adapter) }

  // MARK: Conditions

  package var conditions: AirConditions { air.conditions }

  package func set(_ conditions: AirConditions) { run(.conditions(conditions)) }

  /// The conditions that differ between two adapters.
  package func conditions(between first: AdapterID, and second: AdapterID) -> PairConditions {
    air.conditions(between: first, and: second)
  }

  package func set(_ conditions: PairConditions, between first: AdapterID, and second: AdapterID) {
    run(.between(first, second, conditions))
  }

  package func isConnected(_ first: AdapterID, to second: AdapterID) -> Bool {
    air.connection(between: first, and: second) != nil
  }

  /// Stops all packets of their connection from now on; both sides notice at the supervision timeout. Has no effect if
  /// the two are not connected.
  package func cut(between first: AdapterID, and second: AdapterID) { run(.cut(first, second)) }

  /// Cuts the connection at a future PDU; nil cancels the cut.
  package func cut(between first: AdapterID, and second: AdapterID, at place: LinkCut?) {
    run(.cutAt(first, second, place))
  }

  /// Captures from now on the packets that devices receive.
  ///
  /// - Parameter write: receives whole records for a file that begins with `AirCapture.fileHeader`, on the loop.
  package func capture(_ write: @escaping @Sendable ([UInt8]) -> Void) {
    air.startCapture(origin: origin)
    writeCapture = write
  }

  /// The time of day as captures have it.
  package var timeOfDay: Duration { origin + loop.now - beginning }

  /// The time of day of the last event, which a busy machine handles later.
  package var timeOfLastEvent: Duration { origin + air.now }

  // MARK: Participants

  package func participant(at adapter: AdapterID) -> (any AirParticipant)? { participants[adapter]?.value }

  /// Sends the adapter's actions to the participant, which is not retained; nil detaches.
  package func attach(_ participant: (any AirParticipant)?, to adapter: AdapterID) {
    participants[adapter] = participant.map { WeakParticipant($0) }
  }

  /// Creates a number for an advertisement.
  package func newAdvertisement() -> AdvertisementID { AdvertisementID(nextNumber()) }

  /// Creates a number for an application.
  package func newApplication() -> ApplicationID { ApplicationID(nextNumber()) }

  /// Wakes the stream when something happens at that end of a channel; retains it until the channel is closed there.
  func attach(_ stream: AirStream, to end: ChannelEnd, of adapter: AdapterID) {
    streams[adapter, default: [:]][end] = stream
  }

  /// The adapter's ends of channels.
  func openChannelEnds(of adapter: AdapterID) -> [ChannelEnd] { streams[adapter].map { Array($0.keys) } ?? [] }

  /// Runs an event that completes with a result for the adapter.
  package func operate(
    for adapter: AdapterID, _ event: (OperationID) -> AirEvent, _ completion: @escaping Completion
  ) {
    let id = OperationID(nextNumber())
    operations[id] = (adapter, completion)
    run(event(id))
  }

  // MARK: The loop's turns

  /// Runs an event and everything due; an event that arrives while another is handled is queued.
  package func run(_ event: AirEvent) {
    events.append(event)
    guard !isRunning else { return }
    isRunning = true
    var index = 0
    while index < events.count {
      let event = events[index]
      index += 1
      for action in air.handle(event, at: loop.now - beginning) { pass(action) }
      if case .host(let adapter, .closeChannel(let end)) = event { streams[adapter]?[end] = nil }
    }
    events = []
    isRunning = false
    passCapture()
    let involved = involved
    self.involved = []
    for adapter in involved { participant(at: adapter)?.turnEnded() }
    setTimer()
  }

  private func passCapture() {
    guard let writeCapture else { return }
    let records = air.takeCapture()
    if !records.isEmpty { writeCapture(records) }
  }

  private func setTimer() {
    let next = air.nextDeadline
    guard next != deadline else { return }
    deadline = next
    guard let next else { return timer = nil }
    let delay = next - (loop.now - beginning)
    timer = loop.schedule(after: delay) { [weak self] in self?.assumeIsolated { $0.tick() } }
  }

  private func tick() {
    (timer, deadline) = (nil, nil)
    run(.tick)
  }

  private func nextNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  private func pass(_ action: AirAction) {
    switch action {
    case .host(_, .completed(let id, let result)): complete(id, result)
    case .linkLayer(_, .rssi(let id, let rssi)):
      complete(id, rssi.map { .success(.rssi($0)) } ?? .failure(.notConnected))
    case .host(let adapter, .channelChanged(let end)): streams[adapter]?[end]?.assumeIsolated { $0.changed() }
    case .linkLayer(let adapter, _), .host(let adapter, _):
      guard let participant = participant(at: adapter) else { return }
      involve(adapter)
      participant.receive(action)
    }
  }

  private func complete(_ id: OperationID, _ result: Result<ProcedureAnswer, ProcedureFailure>) {
    guard let operation = operations.removeValue(forKey: id) else { return }
    involve(operation.adapter)
    operation.completion(result)
  }

  private func involve(_ adapter: AdapterID) {
    if !involved.contains(adapter) { involved.append(adapter) }
  }
}

/// The owner of an adapter; one participant may have several.
package protocol AirParticipant: AnyObject, Sendable {
  /// Runs on the air's loop.
  nonisolated func receive(_ action: AirAction)

  /// Called after all actions of one turn for the participant's adapters.
  nonisolated func turnEnded()
}

extension AirParticipant {
  package nonisolated func turnEnded() {}
}

/// A participant has an air, so the air does not retain it.
private final class WeakParticipant: Sendable {
  weak let value: (any AirParticipant)?

  init(_ value: any AirParticipant) { self.value = value }
}
