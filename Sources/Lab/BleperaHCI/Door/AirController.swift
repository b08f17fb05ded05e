package import BleperaAir
import BleperaBluetooth
package import BleperaHCIProtocol
import BleperaHost
package import BleperaLoop

/// A controller with an adapter of an air, for a host outside the air: the host's packets come in by `receive`, and the
/// controller's go out by the closure of `attach`.
package actor AirController: AirParticipant, LoopActor {
  package nonisolated let loop: any ActorLoop
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
  package nonisolated var isOnLoop: Bool { loop.isCurrent }

  private let air: SharedAir
  package nonisolated let adapter: AdapterID
  private var controller: HCIController
  /// The host's receiver; nil without a host.
  private var send: (@Sendable ([[UInt8]]) -> Void)?
  /// The time of the present packets, as in captures of the air.
  package private(set) var time = Duration.zero
  private var advertisements: [UInt8: AdvertisementID] = [:]
  /// The outputs that are still to be carried out. Those that an action of the air causes come last, so that an answer
  /// comes before its consequences.
  private var outputs: [HCIController.Output] = []
  private var packets: [[UInt8]] = []
  private var isCarryingOut = false
  private var timer: (any LoopTimer)?

  /// Puts an adapter with the next address on the air.
  package init(
    loop: any ActorLoop, air: SharedAir, name: String, isLegacy: Bool = false, isStrict: Bool = false,
    isDual: Bool = false, seed: UInt64 = 0
  ) {
    (self.loop, self.air) = (loop, air)
    let (adapter, address) = air.assumeIsolated { air in
      let address = air.nextAddress
      return (air.addAdapter(.controller(address: address, name: name, isStrict: isStrict)), address)
    }
    self.adapter = adapter
    controller = HCIController(address: address, isLegacy: isLegacy, isDual: isDual, seed: seed)
  }

  package func start() { air.assumeIsolated { $0.attach(self, to: adapter) } }

  /// Takes a host.
  ///
  /// - Parameter send: receives the packets of each turn, with their octets of H4, on the loop; maybe none.
  package func attach(_ send: @escaping @Sendable ([[UInt8]]) -> Void) { self.send = send }

  /// The host has left: nothing of it stays on the air.
  package func detach() {
    send = nil
    fail()
  }

  /// The host's data can no longer be understood.
  package func fail() { carryOut(controller.fail(at: loop.now)) }

  package func receive(_ packet: H4Reader.Packet) { carryOut(controller.receive(packet, at: loop.now)) }

  /// Brings `time` to the present.
  package func advanceTime() { advanceTime { $0.timeOfDay } }

  private func advanceTime(_ next: (isolated SharedAir) -> Duration) { time = max(time, air.assumeIsolated(next)) }

  private func carryOut(_ outputs: [HCIController.Output]) {
    self.outputs += outputs
    guard !isCarryingOut else { return }
    isCarryingOut = true
    while !self.outputs.isEmpty {
      switch self.outputs.removeFirst() {
      case .send(let packet): if send != nil { packets.append(packet) }
      case .scan(let window): ask(.scan(window))
      case .attempt(let attempt): ask(.attempt(attempt))
      case .link(let connection, let request): ask(.link(connection, request))
      case .dataLength(let length): ask(.dataLength(length))
      case .withdraw(let set): forget(set)
      case .replacePackets(let set, let packets):
        if let id = advertisements[set] { ask(.replacePackets(id, packets)) }
      case .advertise(let set, let packets, let lifetime, let events):
        // An event that was due at the withdrawal may have ended the set.
        guard controller.advertiser.sets[set]?.isEnabled == true else { continue }
        let id = air.assumeIsolated { $0.newAdvertisement() }
        advertisements[set] = id
        ask(.advertise(id, packets, lifetime: lifetime, events: events))
      }
    }
    isCarryingOut = false
    setTimer()
    let packets = packets
    self.packets = []
    send?(packets)
  }

  private func setTimer() {
    guard let deadline = controller.deadline else { return timer = nil }
    timer = loop.schedule(after: max(.zero, deadline - loop.now), callback { $0.tick() })
  }

  private func tick() {
    advanceTime()
    carryOut(controller.tick(at: loop.now))
  }

  private func ask(_ request: LinkLayerRequest) {
    air.assumeIsolated { [adapter] in $0.run(.linkLayer(adapter, request)) }
  }

  /// Ignores actions of a host, because the adapter has no host of the air.
  package nonisolated func receive(_ action: AirAction) {
    if case .linkLayer(_, let event) = action { assumeIsolated { $0.take(event) } }
  }

  private func take(_ event: LinkLayerEvent) {
    advanceTime { $0.timeOfLastEvent }
    // A connection may have begun in the turn in which the host left.
    guard send != nil else {
      if case .connected(let id, _) = event { ask(.link(id, .disconnect(.poweredOff))) }
      return
    }
    let now = loop.now
    switch event {
    case .received(let advertisement): carryOut(controller.received(advertisement, at: now))
    case .advertisementReleased(let id, let events):
      guard let set = advertisements.first(where: { $0.value == id })?.key else { return }
      forget(set)
      carryOut(controller.released(set, after: events, at: now))
    case .connected(let id, let opening): connected(id, opening)
    case .link(let id, let notice): carryOut(controller.notice(notice, of: id, at: now))
    case .poweredOff, .removed, .added, .advertising, .advertisementRefused, .connectFailed, .rssi: break
    }
  }

  private func forget(_ set: UInt8) {
    guard let id = advertisements[set] else { return }
    // A connection to the set that is due is made first, and finds it.
    ask(.withdraw(id))
    advertisements[set] = nil
  }

  private func connected(_ id: ConnectionID, _ opening: LinkOpening) {
    let set = advertisements.first { $0.value == opening.advertisement }?.key
    if let set { forget(set) }
    carryOut(
      controller.connected(
        id, to: opening.peer, from: opening.own, opening.parameters,
        set: opening.isCentral ? nil : set ?? HCIAdvertiser.legacyHandle, at: loop.now))
  }
}
