package import BleperaBluetooth
import BleperaHCIProtocol
package import BleperaHost
package import BleperaHostRadio
package import BleperaLoop
package import BleperaRadio

/// A controller with a phone's host above it, as a radio uses them: a host, a link layer over HCI, the phone's private
/// addresses, and the stream to the controller, which is opened again after a loss.
///
/// Keys, nonces, passkeys and addresses come from the system's generator: no other one can be given.
package actor ControllerAdapter: HostedAdapter, LoopActor {
  /// Opens the controller; the completion runs on the loop, once.
  package typealias Opener =
    @Sendable (@escaping @Sendable (Result<any ByteStream, ControllerFailure>) -> Void) -> Void
  /// Receives each packet of HCI with its octet of H4, and whether the controller has sent the packet.
  package typealias Tap = @Sendable ([UInt8], _ isReceived: Bool) -> Void

  package nonisolated let loop: any ActorLoop
  package nonisolated let name: String
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
  package nonisolated var isOnLoop: Bool { loop.isCurrent }
  /// A controller has its own.
  package nonisolated var latency: Duration { .zero }
  /// The identity of the phone at the start.
  package nonisolated let identity: PhoneIdentity

  let address: DeviceAddress
  let isStrict: Bool
  let linkParameters: LinkParameters
  let opener: Opener
  let isPacketed: Bool
  let tap: Tap?

  var host: HostStack
  var layer = HCILinkLayer()
  var uses = HostUses()
  private weak var user: (any AdapterUser)?
  var privacy: AddressPrivacy
  /// The advertisements as they were asked for.
  var asked: [AdvertisementID: AdvertisingPackets] = [:]
  var onAir: Set<AdvertisementID> = []
  var isPowered = true
  /// The addresses to which the phone connects, as they were asked for.
  var connecting: Set<DeviceAddress> = []
  var listening: ScanWindow?
  var pending: PendingConnections?
  var refusals: [ControllerRefusal] = []

  private enum Input {
    case request(AdapterRequest)
    case packet(H4Reader.Packet)
    case opened
    case lost(String)
    /// Follows `lost` once its ends of links are reported.
    case removed(String)
    case fired(HostTimer)
    case tick
  }

  enum Report {
    case event(LinkLayerEvent)
    case action(HostAction)
  }

  /// The inputs of the turn that runs; further inputs are added to them.
  private var inputs: [Input] = []
  private var isRunning = false
  /// The outputs of the link layer that are still to be carried out, in the order in which the layer made them.
  var outputs: [HCILinkLayer.Output] = []
  var reports: [Report] = []
  var timers: [Int: any LoopTimer] = [:]
  private var timer: (any LoopTimer)?
  private var deadline: Duration?

  var connection = ControllerConnection()

  /// - Parameters:
  ///   - name: the adapter's for users, such as `hci0`.
  ///   - identity: nil for a new one.
  ///   - isStrict: whether the phone leaves Pairing Requests unanswered that promise neither signing nor a link key.
  ///   - isPacketed: whether each write to the stream is one packet.
  package init(
    loop: any ActorLoop, name: String, phone: PhoneHost, identity: PhoneIdentity? = nil, isStrict: Bool = false,
    isPacketed: Bool = false, tap: Tap? = nil, open: @escaping Opener
  ) {
    var random = RandomSource.system
    let identity = identity ?? PhoneIdentity(using: &random)
    (self.loop, self.name, self.identity, self.isStrict) = (loop, name, identity, isStrict)
    (self.isPacketed, self.tap, opener, linkParameters) = (isPacketed, tap, open, phone.link)
    address = DeviceAddress(identity.address) ?? DeviceAddress(bits: 0)
    privacy = AddressPrivacy(key: identity.key, rotation: phone.addressRotation, random: random, at: loop.now)
    host = HostStack(
      phone.stack, name: phone.name,
      identity: SecurityIdentity(address: SecurityAddress(address), key: identity.key), mtu: phone.mtu,
      fragmentLength: DataLength.range.upperBound, bonds: identity.keys)
    _ = layer.setAddress(privacy.address, at: loop.now)
    _ = layer.run(.dataLength(phone.dataLength), at: loop.now)
  }

  // MARK: The adapter

  package nonisolated var state: AdapterState? { assumeIsolated { $0.presentState } }
  package nonisolated var advertised: [AdvertisingPackets] { assumeIsolated { $0.advertisedPackets } }
  package nonisolated var openChannelEnds: [ChannelEnd] { assumeIsolated { $0.uses.openChannelEnds } }
  package nonisolated var controllerInUse: RadioController? { assumeIsolated { $0.controller?.summary } }
  package nonisolated var possibleDefects: Set<PhoneDefect> {
    PhoneDefect.ofLinkLayer.subtracting(PhoneDefect.ofVirtualLinkLayer)
  }
  package nonisolated var limitations: [RadioLimitation] {
    assumeIsolated { this in
      this.controller.map { RadioLimitation.limitations(of: $0, refusing: this.refusals) } ?? []
    }
  }

  /// The description of the controller; nil while it is not there.
  package var controller: ControllerDescription? { layer.description }

  private var presentState: AdapterState? {
    guard connection.isReady else { return nil }
    return AdapterState(isPowered: isPowered, identity: address, privacy: privacy, connecting: connecting)
  }

  private var advertisedPackets: [AdvertisingPackets] {
    asked.filter { onAir.contains($0.key) }.sorted { $0.key < $1.key }.map(\.value)
  }

  package nonisolated func withHost<Value: Sendable>(_ body: @Sendable (HostStack) -> Value) -> Value? {
    assumeIsolated { body($0.host) }
  }

  package nonisolated func run(_ request: AdapterRequest) { assumeIsolated { $0.take(.request(request)) } }

  package nonisolated func operate(
    _ request: @Sendable (OperationID) -> AdapterRequest, _ completion: @escaping HostUses.Completion
  ) {
    run(request(assumeIsolated { $0.uses.begin(completion) }))
  }

  package nonisolated func newNumber() -> Int { assumeIsolated { $0.uses.newNumber() } }

  package nonisolated func attach(_ user: (any AdapterUser)?) { assumeIsolated { $0.user = user } }

  package nonisolated func attach(_ stream: ChannelStream, to end: ChannelEnd) {
    assumeIsolated { $0.uses.attach(stream, to: end) }
  }

  // MARK: Turns

  /// A stream is open.
  func opened() { take(.opened) }

  func received(_ packets: [H4Reader.Packet], then fault: String?) {
    inputs += packets.map { .packet($0) } + (fault.map { [.lost($0)] } ?? [])
    run()
  }

  /// The controller is gone; a sentence says why.
  func lost(_ reason: String) { take(.lost(reason)) }

  private func take(_ input: Input) {
    inputs.append(input)
    run()
  }

  /// Handles the inputs and everything that follows at once from them, one input after the other.
  private func run() {
    guard !isRunning else { return }
    isRunning = true
    var index = 0
    while index < inputs.count {
      let input = inputs[index]
      index += 1
      handle(input, at: loop.now)
      carryOut()
      deliver()
    }
    inputs = []
    isRunning = false
    flush()
    setTimer()
  }

  private func handle(_ input: Input, at now: Duration) {
    switch input {
    case .request(.host(let request)):
      change { $0.run(request) }
      if case .closeChannel(let end) = request { uses.closed(end) }
    case .request(.linkLayer(let request)): perform(request, at: now)
    case .packet(let packet):
      tap?([packet.kind.rawValue] + packet.bytes, true)
      outputs += layer.receive(packet, at: now)
    case .opened: outputs += layer.start(at: now)
    case .lost(let reason):
      guard closeStream() else { return }
      outputs += layer.lost(at: now) + layer.run(.scan(nil), at: now)
      (connecting, onAir, refusals) = ([], [], [])
      updatePending()
      inputs.append(.removed(reason))
    case .removed(let reason): removed(because: reason)
    case .fired(let timer): change { $0.fire(timer) }
    case .tick:
      if privacy.isDue(at: now) {
        privacy.change(at: now)
        addressChanged()
      }
      outputs += layer.tick(at: now)
    }
  }

  /// Changes the host, and does what the host then does.
  func change(_ body: (inout HostStack) -> Void) {
    body(&host)
    for output in host.takeOutputs() {
      switch output {
      case .action(let action): reports.append(.action(action))
      case .link(let id, let request): outputs += layer.run(.link(id, request), at: loop.now)
      case .timer(let timer, let delay): start(timer, after: delay)
      case .bondsChanged: updatePending()
      }
    }
  }

  private func carryOut() {
    var index = 0
    while index < outputs.count {
      let output = outputs[index]
      index += 1
      switch output {
      case .send(let packet):
        tap?(packet, false)
        connection.add(packet, isPacketed: isPacketed)
      case .event(let event): take(event)
      case .ready: isReady()
      case .refused(let refusal):
        if !refusals.contains(where: { $0.opcode == refusal.opcode }) { refusals.append(refusal) }
      case .failed(let reason): inputs.append(.lost(reason))
      }
    }
    outputs.removeAll(keepingCapacity: true)
  }

  private func deliver() {
    let reports = reports
    self.reports = []
    for report in reports {
      switch report {
      case .event(let event): if let waiter = uses.take(event) { waiter() } else { user?.receive(event) }
      case .action(let action): if let waiter = uses.take(action) { waiter() } else { user?.receive(action) }
      }
    }
  }

  func report(_ event: LinkLayerEvent) { reports.append(.event(event)) }

  // MARK: Timers

  private func start(_ timer: HostTimer, after delay: Duration) {
    let number = uses.newNumber()
    timers[number] = loop.schedule(after: delay, callback { $0.fire(number, timer) })
  }

  private func fire(_ number: Int, _ timer: HostTimer) {
    // The timer must not be released by its own callback.
    let own = timers.removeValue(forKey: number)
    take(.fired(timer))
    withExtendedLifetime(own) {}
  }

  private func setTimer() {
    let next = [layer.deadline, connection.isReady ? privacy.end : nil].compactMap(\.self).min()
    // Most packets put the end off: a timer that is due earlier stays, and is set again when it fires.
    if let deadline, let next, deadline <= next { return }
    guard next != deadline else { return }
    deadline = next
    timer = next.map { loop.schedule(after: max(.zero, $0 - loop.now), callback { $0.tick() }) }
  }

  private func tick() {
    let own = timer
    (timer, deadline) = (nil, nil)
    take(.tick)
    withExtendedLifetime(own) {}
  }
}
