package import BleperaBluetooth
package import BleperaHost
package import BleperaHostRadio
package import BleperaLoop

/// A virtual air on a loop, with the phones, centrals and programs that share it.
///
/// Events run one at a time in order of arrival, and each participant receives the actions for its adapters, on the
/// loop, in order.
package actor SharedAir: LoopActor {
  package nonisolated let loop: any ActorLoop
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
  package nonisolated var isOnLoop: Bool { loop.isCurrent }

  package private(set) var air: VirtualAir
  /// Whether events are being handled; further events are then queued.
  package private(set) var isRunning = false
  private var participants: [AdapterID: WeakParticipant] = [:]
  private var uses: [AdapterID: HostUses] = [:]
  /// The descriptions of the adapters that `setPresent` has taken off the machine.
  private var absent: [AdapterID: AdapterDescription] = [:]
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

  /// The adapter with its host, for a phone's radio.
  package nonisolated func hosted(_ adapter: AdapterID) -> AirHostedAdapter { AirHostedAdapter(self, adapter) }

  /// Takes the adapter off the machine, or plugs the adapter in again as it was added.
  func setPresent(_ isPresent: Bool, _ adapter: AdapterID) {
    if isPresent {
      if let description = absent.removeValue(forKey: adapter) { run(.added(adapter, description)) }
    } else {
      absent[adapter] = air.adapters[adapter]?.description
      run(.removed(adapter))
    }
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

  /// Records from now on each packet on an advertising channel.
  package func startRecord() { air.startRecord() }

  /// Returns the recorded packets since the last call.
  package func takeRecord() -> [AirPacketRecord] { air.takeRecord() }

  /// The time of day as captures have it.
  package var timeOfDay: Duration { origin + loop.now - beginning }

  /// The time of day of the last event, which a busy machine handles later.
  package var timeOfLastEvent: Duration { origin + air.now }

  // MARK: Participants

  package func participant(at adapter: AdapterID) -> (any AirParticipant)? { participants[adapter]?.value }

  /// The phone's radio that uses the adapter.
  package func user(of adapter: AdapterID) -> (any AdapterUser)? { participants[adapter]?.user }

  /// Sends the adapter's actions to the participant, which is not retained; nil detaches.
  package func attach(_ participant: (any AirParticipant)?, to adapter: AdapterID) {
    participants[adapter] = participant.map { WeakParticipant($0) }
  }

  func attach(_ user: (any AdapterUser)?, to adapter: AdapterID) {
    participants[adapter] = user.map { WeakParticipant($0) }
  }

  /// Creates a number for an advertisement.
  package func newAdvertisement() -> AdvertisementID { AdvertisementID(newNumber()) }

  /// Creates a number for an application.
  package func newApplication() -> ApplicationID { ApplicationID(newNumber()) }

  func newNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  /// Wakes the stream when something happens at that end of a channel; retains it until the channel is closed there.
  func attach(_ stream: ChannelStream, to end: ChannelEnd, of adapter: AdapterID) {
    uses[adapter, default: HostUses()].attach(stream, to: end)
  }

  /// The adapter's ends of channels.
  func openChannelEnds(of adapter: AdapterID) -> [ChannelEnd] { uses[adapter]?.openChannelEnds ?? [] }

  /// Runs an event that completes with a result for the adapter.
  package func operate(
    for adapter: AdapterID, _ event: (OperationID) -> AirEvent, _ completion: @escaping HostUses.Completion
  ) {
    run(event(uses[adapter, default: HostUses()].begin(completion)))
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
      if case .host(let adapter, .closeChannel(let end)) = event { uses[adapter]?.closed(end) }
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

  private func pass(_ action: AirAction) {
    let (adapter, waiter) =
      switch action {
      case .linkLayer(let adapter, let event): (adapter, uses[adapter, default: HostUses()].take(event))
      case .host(let adapter, let action): (adapter, uses[adapter, default: HostUses()].take(action))
      }
    if let waiter {
      involve(adapter)
      waiter()
    } else if participants[adapter]?.receive(action) == true {
      involve(adapter)
    }
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

/// A participant or a user of an adapter, which has an air, so the air does not retain it.
private final class WeakParticipant: Sendable {
  weak let value: (any AirParticipant)?
  weak let user: (any AdapterUser)?

  init(_ value: any AirParticipant) { (self.value, user) = (value, nil) }
  init(_ user: any AdapterUser) { (value, self.user) = (nil, user) }

  /// - Returns: false where nobody has received the action.
  func receive(_ action: AirAction) -> Bool {
    if let value {
      value.receive(action)
      return true
    }
    guard let user else { return false }
    switch action {
    case .linkLayer(_, let event): user.receive(event)
    case .host(_, let action): user.receive(action)
    }
    return true
  }
}
