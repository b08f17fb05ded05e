package import BleperaBluetooth
package import BleperaHost

/// Adapters within range of each other: advertisements, connections and their packets, on any clock.
///
/// Times are relative to an arbitrary origin and must not decrease. `nextDeadline` is the time of the next `tick`.
package struct VirtualAir: Sendable {
  /// A change of what makes an adapter a listener is a change of `knownListeners`: see `update`.
  package private(set) var adapters = SlotTable<AdapterID, AirAdapter>()
  package internal(set) var connections = SlotTable<ConnectionID, AirConnection>()
  /// The hosts of the adapters without a host outside the air.
  package internal(set) var hosts = SlotTable<AdapterID, HostStack>()
  /// Two adapters have one connection at most.
  var connectionsOfPairs: [AdapterPair: ConnectionID] = [:]
  package private(set) var conditions: AirConditions

  var advertisements: [AdvertisementID: AirAdvertisement] = [:]
  var timers = TimerQueue<AirTimer>()
  var random: SplitMix64
  /// Draws for what phones send of their own.
  var ownRandom: SplitMix64
  /// Draws keys, nonces and passkeys.
  var keyRandom: SplitMix64
  var now = Duration.zero
  var actions: [AirAction] = []
  var pairs: [AdapterPair: PairConditions] = [:]
  /// Pending cuts of connections.
  var cuts: [AdapterPair: LinkCut] = [:]
  /// Nil if nothing is captured.
  var capture: AirCapture?
  /// The keys of removed adapters, which may be added again, by identity address.
  private var remembered: [DeviceAddress: (bonds: [DeviceAddress: SecurityBond], privacy: AddressPrivacy?)] = [:]
  private var lastNumber = 0
  private let seed: UInt64
  /// The packets on the advertising channels.
  var channels: AdvertisingChannels
  /// Advertising events under way that somebody may receive.
  var transmissions = AdvertisingTransmissions()
  /// By the number of the adapter.
  var requests: [Requests] = []
  /// Nil if packets on advertising channels are not recorded.
  var records: [AirPacketRecord]?
  /// The cached result of `listeners`, until an adapter changes.
  var knownListeners: [AirListener]?

  package init(conditions: AirConditions = .init(), seed: UInt64 = 0) {
    self.conditions = conditions
    self.seed = seed
    channels = AdvertisingChannels(spacing: conditions.spacing.wholeMicroseconds)
    random = SplitMix64(seed: seed)
    ownRandom = SplitMix64(seed: ~seed)
    keyRandom = SplitMix64(seed: seed ^ 0x6B65_7973)
  }

  /// When the next timer is due; nil for never.
  package var nextDeadline: Duration? { timers.nextDeadline }

  /// Runs everything due until `now`, then the event, then everything due at once because of the event. Advertising
  /// events that are more than an interval late, because the process was stopped, are skipped.
  package mutating func handle(_ event: AirEvent, at now: Duration) -> [AirAction] {
    runTimers(until: now)
    self.now = max(self.now, now)
    take(event)
    runTimers(until: now)
    defer { actions = [] }
    return actions
  }

  private mutating func runTimers(until end: Duration) {
    while let (deadline, timer) = timers.pop(at: end) {
      now = max(now, deadline)
      fire(timer, until: end)
    }
  }

  private mutating func fire(_ timer: AirTimer, until end: Duration) {
    switch timer {
    case .advertisingEvent(let id, let turn): advertisingEvent(id, turn: turn, until: end)
    case .packetEnds(let place): packetEnds(place)
    case .advertisementEnds(let id, let turn): advertisementEnds(id, turn: turn)
    case .host(let id, let timer): host(id) { $0.fire(timer) }
    case .arrives(let id, let isUpward):
      if let packet = connections[id]?.takeSent(isUpward: isUpward) { arrive(packet, over: id) }
    case .released(let id): release(id)
    case .supervisionEnds(let id, let turn, let reason): supervisionEnds(id, turn: turn, reason)
    case .procedureTimesOut(let id, let turn): procedureTimesOut(id, turn: turn)
    case .parametersChange(let id, let parameters): parametersChange(parameters, over: id)
    case .storm(let id, let isShort): storm(over: id, isShort: isShort)
    }
  }

  private mutating func take(_ event: AirEvent) {
    switch event {
    case .tick: break
    case .added(let id, let description): add(id, description)
    case .removed(let id): remove(id)
    case .linkLayer(let id, let request): run(request, by: id)
    case .host(let id, let request): host(id) { $0.run(request) }
    case .conditions(let conditions):
      channels.spacing = conditions.spacing.wholeMicroseconds
      self.conditions = conditions
      conditionsChanged()
    case .between(let first, let second, let conditions):
      pairs[AdapterPair(first, second)] = conditions
      conditionsChanged()
    case .cut(let first, let second): cut(first, second)
    case .cutAt(let first, let second, let cut): cuts[AdapterPair(first, second)] = cut
    }
  }

  private mutating func run(_ request: LinkLayerRequest, by id: AdapterID) {
    let start = now
    switch request {
    case .power(let isOn): setPower(id, isOn)
    case .dataLength(let value): adapters[id]?.dataLength = value
    case .changeAddress: update(id) { $0.privacy?.restart(at: start) }
    case .defects(let defects):
      adapters[id]?.defects = defects
      for connection in connections.keys { storm(over: connection) }
    case .advertise(let number, let packets, let lifetime, let events):
      advertise(number, on: id, packets, lifetime: lifetime, events: events)
    case .replacePackets(let number, let packets): advertisements[number]?.packets = packets
    case .withdraw(let number): advertisements[number] = nil
    case .scan(let window):
      let first = window.map { firstChannel(ofScan: $0, by: id) } ?? 0
      update(id) { ($0.scan, $0.scanStart, $0.firstChannel) = (window, start, first) }
      if requests.indices.contains(id.number) { requests[id.number].backoff = RequestBackoff() }
    case .connect(let address): connect(id, to: address)
    case .cancelConnect(let address): update(id) { $0.connecting.remove(address) }
    case .listen(let window):
      guard adapters[id]?.listening != window else { return }
      update(id) { ($0.listening, $0.listeningStart) = (window, start) }
    case .attempt(let attempt):
      update(id) {
        $0.attempt = attempt
        $0.attempt?.start = start
      }
    case .link(let connection, let request): link(request, by: id, over: connection)
    case .readRSSI(let operation, let connection):
      let rssi = connections[connection].map { measureRSSI($0.central, $0.peripheral) }
      actions.append(.linkLayer(id, .rssi(operation, rssi)))
    }
  }

  // MARK: Adapters

  private mutating func add(_ id: AdapterID, _ description: AdapterDescription) {
    var adapter = AirAdapter(id, description)
    let former = remembered.removeValue(forKey: adapter.identity)
    if var privacy = former?.privacy {
      privacy.restart(at: now)
      adapter.privacy = privacy
    } else if let rotation = description.addressRotation {
      // Addresses, and a key that is not given, depend on the identity address and the seed.
      let random = SplitMix64(seed: seed ^ SplitMix64.number(at: 0, seed: adapter.identity.bits))
      adapter.privacy = AddressPrivacy(key: description.key, rotation: rotation, random: .seeded(random), at: now)
    }
    adapters[id] = adapter
    if !description.isController {
      hosts[id] = HostStack(
        description, key: adapter.privacy?.key ?? description.stack.bonding.identityKey,
        bonds: former?.bonds ?? description.bonds)
    }
    knownListeners = nil
  }

  private mutating func setPower(_ id: AdapterID, _ isOn: Bool) {
    guard adapters[id]?.isPowered != isOn else { return }
    let now = now
    update(id) {
      $0.isPowered = isOn
      if isOn { $0.privacy?.restart(at: now) }
    }
    if !isOn { switchOff(id) }
  }

  /// Advertisements and connections end; the applications stay (measured).
  private mutating func switchOff(_ id: AdapterID) {
    advertisements = advertisements.filter { $0.value.adapter != id }
    for connection in connections.keys where connections[connection]?.has(id) == true {
      disconnect(connection, by: id, reason: .poweredOff)
    }
    for address in adapters[id]?.connecting.sorted() ?? [] {
      actions.append(.linkLayer(id, .connectFailed(address)))
    }
    update(id) { ($0.connecting, $0.listening, $0.attempt, $0.scan) = ([], nil, nil, nil) }
    actions.append(.linkLayer(id, .poweredOff))
  }

  private mutating func remove(_ id: AdapterID) {
    guard let adapter = adapters[id] else { return }
    setPower(id, false)
    remembered[adapter.identity] = (hosts[id]?.bonds ?? [:], adapter.privacy)
    (adapters[id], hosts[id]) = (nil, nil)
    knownListeners = nil
  }

  // MARK: Connections

  mutating func add(_ connection: AirConnection) {
    connections[connection.id] = connection
    connectionsOfPairs[AdapterPair(connection.central, connection.peripheral)] = connection.id
  }

  mutating func removeConnection(_ id: ConnectionID) -> AirConnection? {
    guard let connection = connections.removeValue(forKey: id) else { return nil }
    connectionsOfPairs[AdapterPair(connection.central, connection.peripheral)] = nil
    return connection
  }

  // MARK: Transmission

  /// The adapters that scan or wait to connect, in the order of their numbers.
  mutating func listeners() -> [AirListener] {
    if let knownListeners { return knownListeners }
    let listeners = adapters.values.compactMap { AirListener($0, keys: hosts[$0.id]?.resolvingKeys ?? [:]) }
    knownListeners = listeners
    return listeners
  }

  /// The channel of the first window, from zero. Scans with equal timing that start in the same instant would stay on the
  /// same channel for ever, as no two real clocks do: each starts on the next channel (ours).
  private func firstChannel(ofScan window: ScanWindow, by id: AdapterID) -> Int {
    adapters.values.count { $0.id != id && $0.scan == window && $0.scanStart == now } % 3
  }

  mutating func nextNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  /// The signal strength that one adapter measures of the other now, in dBm.
  mutating func measureRSSI(_ first: AdapterID, _ second: AdapterID) -> Int {
    let middle = specificConditions(first, second)?.rssi ?? conditions.rssi
    guard conditions.fading > 0 else { return middle }
    return middle + Int.random(in: -conditions.fading...conditions.fading, using: &random)
  }

  func connectionInterval(of peripheral: AdapterID) -> Duration {
    adapters[peripheral]?.description.connectionInterval ?? conditions.interval
  }

  /// Sends a packet: late if retransmitted, and never before an earlier packet.
  mutating func send(_ packet: LinkPacket, over id: ConnectionID) {
    if connections[id]?.encryption?.holds(packet) == true {
      connections[id]?.encryption?.held.append(packet)
    } else {
      transmit(packet, over: id)
    }
  }

  mutating func transmit(_ packet: LinkPacket, over id: ConnectionID) {
    guard let (central, peripheral) = connections[id]?.sides else { return }
    var delay = latency(central, peripheral)
    var tries = 1
    // At a loss of 1 the packet waits instead.
    while loss(central, peripheral) < 1, isLost(central, peripheral), tries < 100 {
      delay += connections[id]?.parameters.interval ?? .zero
      tries += 1
    }
    guard let arrival = connections[id]?.send(packet, at: now, delayedBy: delay) else { return }
    timers.add(.arrives(id, isUpward: packet.isUpward), at: arrival)
  }

  /// Changes an adapter, if it exists.
  mutating func update(_ id: AdapterID, _ change: (inout AirAdapter) -> Void) {
    if adapters[id]?.apply(change) == true { knownListeners = nil }
  }
}
