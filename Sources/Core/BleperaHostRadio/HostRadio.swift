package import BleperaBluetooth
package import BleperaHost
import BleperaLoop
package import BleperaRadio
package import BleperaRules

/// The radio of a phone on a link layer with the phone's host, which sends what the rules say, byte for byte.
///
/// Every call takes effect the adapter's `latency` later, in the order of the calls, but for responses: see `answer`.
package actor HostRadio: PhoneRadio {
  package nonisolated let adapter: any HostedAdapter
  private nonisolated let loop: any ActorLoop
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
  package nonisolated var isOnLoop: Bool { loop.isCurrent }

  let pairing: PairingMode
  /// An iPhone has none.
  package nonisolated var requestTimeLimit: Duration? { nil }
  private let observer: @Sendable (RadioEvent) -> Void
  /// The active interruptions between the phone and the adapter.
  var interruptions: Set<Interruption> = []
  /// Why the adapter has vanished last, as a sentence; nil where the reason is not known.
  var removalReason: String?
  /// Whether the radio has ended permanently.
  package internal(set) var hasEnded = false
  /// Whether events are no longer reported.
  private(set) var hasVanished = false
  var isOn = false
  var isSwitchedOff = false
  private var reported: RadioState?

  /// In the order of the calls to `publish`.
  var publications: [Publication] = []
  var subscriptions = SubscriptionTable()
  /// The identity as it was at the start; nil where it is not kept.
  let formerIdentity: PhoneIdentity?
  /// Pending requests; none of those for which no response is expected.
  var requests: [RadioRequestID: (request: AttributeRequestID, connection: ConnectionID, isRead: Bool)] = [:]
  var lastRequest = 0
  var links: CentralLinks
  var peripherals = PeripheralLinks()

  /// Whether the published L2CAP channels require encryption, by PSM.
  var channels: [L2CAPPSM: Bool] = [:]

  /// The defects of the link layer.
  private(set) var defects: Set<PhoneDefect> = []
  private var advertising: AdvertisingState
  private var calls = PendingCalls()
  private var settleWaiters: [CheckedContinuation<Void, Never>] = []

  /// - Parameters:
  ///   - identity: the adapter's, with subscriptions to retain; nil where it is not kept for the next start.
  ///   - beacon: what the phone sends besides while the radio is on.
  ///   - report: runs on the adapter's loop.
  package init(
    adapter: any HostedAdapter, identity: PhoneIdentity? = nil, pairing: PairingMode = .justWorks,
    beacon: AdvertisingPackets? = nil, report: @escaping @Sendable (RadioEvent) -> Void
  ) {
    (self.adapter, loop) = (adapter, adapter.loop)
    formerIdentity = identity
    self.pairing = pairing
    advertising = AdvertisingState(beacon: beacon)
    observer = report
    links = CentralLinks(identity?.bonds ?? [])
  }

  package func start() {
    adapter.attach(self)
    if adapter.state == nil { adapterRemoved(nil) } else { begin() }
  }

  /// Starts the radio, for the first time or again.
  func begin() {
    later { this in
      guard this.isUsable else { return }
      this.ask(.capability(this.pairing.capability))
      // An adapter that was unplugged is another one.
      if !this.defects.isEmpty { this.ask(.defects(this.defects)) }
      this.isOn = this.adapter.state?.isPowered ?? false
      this.stateChanged()
      this.updateBeacon()
      for id in this.adapter.withHost({ $0.links.keys }) ?? []
      where this.hostLink(id)?.isCentral == false && this.links[id] == nil {
        this.centralConnected(id)
      }
      this.change { $0.register($0.publications.map(\.start)) }
      this.publishChannels()
      if this.advertising.advertisement != nil { this.updateAdvertising(isReported: true) }
    }
  }

  /// Ends without a report, as a killed process does, and takes everything off the air.
  package func vanish() {
    hasVanished = true
    let cancelled = calls.cancel()
    adapter.attach(nil)
    takeOffAir()
    endCentralRole()
    updateBeacon()
    endChannels()
    wakeWaiters()
    for body in cancelled { body() }
  }

  func report(_ event: RadioEvent) {
    if !hasVanished { observer(event) }
  }

  func ask(_ request: HostRequest) { adapter.run(request) }

  func ask(_ request: LinkLayerRequest) { adapter.run(request) }

  /// Runs `body` after the adapter's `latency`, in the order of the calls.
  ///
  /// - Parameters:
  ///   - isChange: whether `settle` waits for the call.
  ///   - cancelled: runs in place of `body` if the radio vanishes before.
  func later(
    isChange: Bool = false, cancelled: (@Sendable () -> Void)? = nil,
    _ body: @escaping @Sendable (isolated HostRadio) -> Void
  ) {
    guard !hasVanished else { return }
    calls.add(isChange: isChange, cancelled: cancelled) { number in
      loop.schedule(after: adapter.latency) { [weak self] in
        self?.assumeIsolated { this in
          // The timer must not be released by its own callback.
          let call = this.calls.take(number)
          body(this)
          if isChange, !this.calls.hasChanges { this.wakeWaiters() }
          withExtendedLifetime(call) {}
        }
      }
    }
  }

  /// Runs a response to a request at once where no call is under way: the next connection event carries it anyway.
  func answer(_ response: HostRequest) {
    if calls.isEmpty, !hasVanished { ask(response) } else { later { $0.ask(response) } }
  }

  /// Like `later`, for a change that `settle` waits for.
  func change(_ body: @escaping @Sendable (isolated HostRadio) -> Void) { later(isChange: true, body) }

  // MARK: Advertising

  package func advertise(_ advertisement: RadioAdvertisement?) {
    if advertising.set(advertisement) { updateAdvertising(isReported: true) }
  }

  private func updateAdvertising(isReported: Bool) {
    let number = advertising.beginChange(isReported: isReported)
    change { if $0.advertising.isLatest(number) { $0.replaceAdvertisement() } }
  }

  /// Replaces the old advertisement on the air by the new one at the same instant.
  private func replaceAdvertisement() {
    endAdvertising()
    guard let advertisement = advertising.advertisement else { return report(.advertisingStopped) }
    guard isOn else { return }
    let id = AdvertisementID(adapter.newNumber())
    advertising.start(id)
    ask(.advertise(id, AdvertisingPackets(advertisement)))
  }

  /// - Returns: whether an advertisement was on the air.
  @discardableResult
  func endAdvertising() -> Bool {
    guard let id = advertising.end() else { return false }
    ask(.withdraw(id))
    return true
  }

  /// Starts the beacon where the radio is on, otherwise ends it.
  func updateBeacon() {
    if let id = advertising.beaconID, !isOn || !isUsable || hasVanished {
      advertising.beaconID = nil
      ask(.withdraw(id))
    }
    guard let beacon = advertising.beacon, advertising.beaconID == nil, isOn, isUsable, !hasVanished else { return }
    let id = AdvertisementID(adapter.newNumber())
    advertising.beaconID = id
    ask(.advertise(id, beacon))
  }

  /// A connection ends connectable advertising; an iPhone starts it again at once.
  func restartAdvertising() {
    if advertising.isOnAir { updateAdvertising(isReported: false) }
  }

  func advertisingBegan(_ id: AdvertisementID) {
    if advertising.began(id) { report(.advertising) }
  }

  func advertisingFailed(_ id: AdvertisementID) {
    if advertising.failed(id) { report(.advertisingFailed(RadioFailure("poweredOff"), count: 1)) }
  }

  package var packets: [RadioPacket] {
    let besides = (advertising.beaconID == nil ? nil : advertising.beacon).map { beacon in
      RadioPacket(
        advertisingData: AdvertisingData(leniently: beacon.data), scanResponse: AdvertisingData(),
        interval: AdvertisingInterval(clamping: beacon.interval / .milliseconds(1)), isOnAir: true, isOwn: true)
    }
    guard let advertisement = advertising.advertisement else { return [besides].compactMap(\.self) }
    let isOnAir = advertising.isOnAir && adapter.advertised.contains(AdvertisingPackets(advertisement))
    return [
      RadioPacket(
        advertisingData: sent(advertisement.advertisingData), scanResponse: advertisement.scanResponse,
        interval: advertisement.interval, isOnAir: isOnAir, isOwn: advertisement.isOwn)
    ] + [besides].compactMap(\.self)
  }

  /// The advertising data as they are sent under the present address, which changes the tag of Nearby Info.
  private func sent(_ data: AdvertisingData) -> AdvertisingData {
    let packets = AdvertisingPackets(data: data.bytes, interval: .zero)
    let sent = packets.sent(by: adapter.state?.privacy)
    return sent == packets ? data : AdvertisingData(leniently: sent.data)
  }

  // MARK: State

  package func setDefects(_ defects: Set<PhoneDefect>) -> Bool {
    guard defects.isSubset(of: adapter.possibleDefects) else { return false }
    self.defects = defects
    ask(.defects(defects))
    return true
  }

  package var address: RadioAddress? {
    adapter.state.map { state in
      RadioAddress(identity: "\(state.identity)", current: "\(state.address)", key: state.privacy?.key)
    }
  }

  package nonisolated var implementation: String? { nil }
  package nonisolated var controller: RadioController? { adapter.controllerInUse }
  package nonisolated var limitations: [RadioLimitation] { adapter.limitations }

  package var stackServices: Set<BluetoothUUID> {
    Set(adapter.withHost { $0.database.ownServiceUUIDs } ?? [])
  }

  /// Reports the state of the radio if it has changed.
  func stateChanged() {
    let name = adapter.name
    let state: RadioState =
      if interruptions.contains(.noDaemon) {
        .noDaemon()
      } else if interruptions.contains(.noAdapter) {
        .noAdapter(wanted: name, reason: removalReason)
      } else {
        isOn ? .poweredOn(adapter: name) : .poweredOff(adapter: name)
      }
    guard state != reported else { return }
    reported = state
    report(.state(state))
  }

  func powerChanged(_ isOn: Bool) {
    guard isOn != self.isOn else { return }
    self.isOn = isOn
    stateChanged()
    updateBeacon()
    if !isOn, endAdvertising() { report(.advertisingLost) }
    if isOn, advertising.advertisement != nil { updateAdvertising(isReported: true) }
  }

  package func switchPower(on isOn: Bool, _ completion: @escaping @Sendable (RadioFailure?) -> Void) -> Bool {
    guard isUsable, !hasVanished else { return false }
    isSwitchedOff = !isOn
    let cancelled: @Sendable () -> Void = { completion(RadioFailure("the radio has ended")) }
    later(cancelled: cancelled) { this in
      guard this.isUsable else { return completion(RadioFailure("the adapter was removed")) }
      if isOn != this.isOn {
        this.ask(.power(isOn))
        if isOn { this.powerChanged(true) }
      }
      completion(nil)
    }
    return true
  }

  package func settle() async {
    guard calls.hasChanges, !hasVanished else { return }
    let limit = loop.schedule(after: .seconds(2)) { [weak self] in self?.assumeIsolated { $0.wakeWaiters() } }
    await withCheckedContinuation { settleWaiters.append($0) }
    limit.cancel()
  }

  package func shutDown() async {
    advertise(nil)
    for publication in publications { remove(service: publication.start) }
    await settle()
    if isSwitchedOff, isUsable { ask(.power(true)) }
    vanish()
  }

  private func wakeWaiters() {
    let waiters = settleWaiters
    settleWaiters = []
    for waiter in waiters { waiter.resume() }
  }
}

extension AdvertisingPackets {
  /// The phone's packets beside its advertisement, if the phone sends Find My. Find My of a phone that is near its
  /// owner's other devices is not connectable, and without flags.
  package static func beacon(_ rules: RuleSet) -> AdvertisingPackets? {
    guard rules.ownItems.contains(.findMy) else { return nil }
    return AdvertisingPackets(
      data: [AppleItem.findMy].structure?.bytes ?? [], isConnectable: false,
      interval: shortest(rules.findMyInterval.value), isOwn: true, address: .changing)
  }

  init(_ advertisement: RadioAdvertisement) {
    self.init(
      data: advertisement.advertisingData.bytes, scanResponse: advertisement.scanResponse.bytes,
      interval: Self.shortest(advertisement.interval), isOwn: advertisement.isOwn)
  }

  /// A controller may choose any interval in the range; this one chooses the shortest.
  private static func shortest(_ interval: AdvertisingInterval) -> Duration {
    .microseconds(Int((interval.minimum * 1000).rounded()))
  }
}
