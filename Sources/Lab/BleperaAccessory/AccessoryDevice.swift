package import BleperaAir
package import BleperaAppLink
package import BleperaBluetooth
import BleperaHost
import BleperaHostRadio
import BleperaLoop
import BleperaPhone
package import BleperaProfile
import BleperaProfileApp
import BleperaRadio

/// An accessory on a virtual air, which serves the services of its description as a profile's app does, with no system
/// between the app and the radio.
///
/// All calls are on the air's loop. The air does not retain it.
package actor AccessoryDevice: AirParticipant {
  package nonisolated let air: SharedAir
  package nonisolated let adapter: AdapterID
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe air.loop.asUnownedSerialExecutor() }

  let description: AccessoryDescription
  private let observer: @Sendable (EventRecord) -> Void
  var machine: ProfileMachine
  private let launchTime: Duration
  private var timers: [ProfileMachine.Deadline: any LoopTimer] = [:]
  /// Runs while too many values wait for a central.
  var room: (any LoopTimer)?
  /// The events that the machine has not handled; the first is being handled.
  private var events: [ProfileMachine.Event] = []
  private var isOn = false
  private var advertisement: AdvertisementID?
  private var channelCount = 0

  var application: ApplicationID?
  /// By their indices in the application.
  var objects: [Object] = []
  /// The handles of their values.
  var handles: [Int: AttributeHandle] = [:]
  /// The centrals of the connections.
  var links: [ConnectionID: DeviceAddress] = [:]
  var requests: [RequestID: Request] = [:]
  var lastRequest = 0

  /// - Parameters:
  ///   - seed: Seed for the random values of its characteristics.
  ///   - observer: Receives its events as a phone's are written.
  package init(
    air: SharedAir, adapter: AdapterID, _ description: AccessoryDescription, seed: UInt64,
    observer: @escaping @Sendable (EventRecord) -> Void
  ) {
    (self.air, self.adapter, self.description, self.observer) = (air, adapter, description, observer)
    launchTime = air.loop.now
    machine = ProfileMachine(profile: description.profile, name: description.name, seed: seed)
  }

  /// Switches it on for the first time.
  package func start() {
    air.assumeIsolated { $0.attach(self, to: adapter) }
    ask(.capability(description.pairing.capability))
    handle(.launched)
    publish()
    poweredOn()
  }

  package func switchPower(on isOn: Bool) {
    guard isOn != self.isOn else { return }
    ask(.power(isOn))
    if isOn { poweredOn() }
  }

  private func poweredOn() {
    isOn = true
    receive(.didUpdateState(.poweredOn))
    advertise()
  }

  private func poweredOff() {
    isOn = false
    withdraw()
    receive(.didUpdateState(.poweredOff))
    report(.radio(.poweredOff(adapter: "\(adapter)")))
  }

  func ask(_ request: HostRequest) { air.assumeIsolated { [adapter] in $0.run(.host(adapter, request)) } }

  private func ask(_ request: LinkLayerRequest) {
    air.assumeIsolated { [adapter] in $0.run(.linkLayer(adapter, request)) }
  }

  func report(_ event: PhoneEvent) { observer(EventRecord(event)) }

  // MARK: Bonds

  /// The keys and the identity address of each bond, in the order of the pairings.
  private var keys: [(peer: DeviceAddress, identity: String)] {
    guard let host = air.assumeIsolated({ [adapter] in $0.air.hosts[adapter] }) else { return [] }
    return host.bondOrder.map { ($0, "\(host.bonds[$0]?.identity?.address.deviceAddress ?? $0)") }
  }

  package var bonds: [String] { keys.map(\.identity) }

  package func forgetBonds(with address: String?) {
    for (peer, identity) in keys where address == nil || address == identity {
      ask(.unpair(peer))
      report(.bondForgotten(address: identity, isCentral: true))
    }
  }

  // MARK: Advertising

  /// A connection stops advertising, which begins again at its end: ours, as of an accessory for one central at a time.
  private func advertise() {
    guard isOn, advertisement == nil, links.isEmpty else { return }
    let id = air.assumeIsolated { $0.newAdvertisement() }
    advertisement = id
    let packets = description.advertisement
    ask(
      .advertise(
        id,
        AdvertisingPackets(
          data: packets.data, scanResponse: packets.scanResponse, isConnectable: description.isConnectable,
          interval: packets.interval, address: description.address == .nonresolvable ? .nonresolvable : .ofAdapter)))
    observer(.advertising(packets))
  }

  private func withdraw() {
    guard let id = advertisement else { return }
    advertisement = nil
    ask(.withdraw(id))
  }

  // MARK: The air

  package nonisolated func receive(_ action: AirAction) { assumeIsolated { $0.take(action) } }

  private func take(_ action: AirAction) {
    switch action {
    case .linkLayer(_, let event): take(event)
    case .host(_, let action): take(action)
    }
  }

  private func take(_ event: LinkLayerEvent) {
    switch event {
    case .connected(let id, _): connected(id)
    case .poweredOff: poweredOff()
    case .removed, .added, .advertising, .advertisementRefused, .advertisementReleased, .received, .connectFailed,
      .rssi,
      .link:
      break
    }
  }

  private func take(_ action: HostAction) {
    switch action {
    case .disconnected(let id, _): disconnected(id)
    case .published(_, _, let objects): handles = objects
    case .publicationRefused:
      for service in description.profile.services {
        report(.publishingFailed(service: service.uuid, reason: "there are no handles for all services"))
      }
    case .pairingRequest(let id, .show(let passkey)): links[id].map { report(.passkey(radioCentral($0), passkey)) }
    // The accessory's user, if any, accepts.
    case .pairingRequest(let id, _): ask(.respondToPairing(id, .yes))
    case .paired(let id):
      links[id].map { report(.paired(radioCentral($0))) }
      // The central may be known from a bond that it has lost.
      resumeSubscriptions(over: id)
    case .keyUnknown(let id):
      links[id].map { report(.bondLost(address: "\($0)", isCentral: true, reason: Self.lostKeys)) }
    case .secured(let id): resumeSubscriptions(over: id)
    case .read(let id, let object, let options): receive(id, object.index, options, written: nil)
    case .write(let id, let object, let value, let options): receive(id, object.index, options, written: value)
    case .subscribed(let object, let id, _, _): links[id].map { subscribe($0, object.index, true) }
    case .unsubscribed(let object, let central, _): subscribe(central, object.index, false)
    case .channelOpened(let end, _):
      StreamPump(loop: air.loop, echoing: ChannelStream(of: air.hosted(adapter), end)).assumeIsolated { $0.start() }
    case .preparedWrite, .servicesResolved, .servicesChanged, .pairingCancelled, .completed, .valueChanged, .confirmed,
      .channelChanged, .mtuChanged:
      break
    }
  }

  private static let lostKeys =
    "the accessory has lost its keys and the phone has not; 'blepera bonds forget' lets the phone pair again"

  private func connected(_ id: ConnectionID) {
    guard let central = air.assumeIsolated({ [adapter] in $0.air.hosts[adapter]?.links[id]?.peer }) else { return }
    links[id] = central
    withdraw()
    report(.connected(radioCentral(central)))
    guard description.bonding.requestsSecurity else { return }
    air.assumeIsolated { [adapter] in $0.operate(for: adapter, { .host(adapter, .pair(id, $0)) }) { _ in } }
  }

  private func disconnected(_ id: ConnectionID) {
    guard let central = links.removeValue(forKey: id) else { return }
    requests = requests.filter { $0.value.options.connection != id }
    for index in objects.indices { subscribe(central, index, false) }
    report(.disconnected(radioCentral(central)))
    advertise()
  }

  // MARK: The app

  var now: Duration { air.loop.now - launchTime }

  func receive(_ callback: PeripheralManagerCallback) {
    if let manager = machine.manager { handle(.received(.peripheral(manager, callback))) }
  }

  func handle(_ event: ProfileMachine.Event) {
    events.append(event)
    guard events.count == 1 else { return }
    while let event = events.first {
      for action in machine.handle(event, at: now) { perform(action) }
      events.removeFirst()
    }
  }

  func perform(_ action: ProfileMachine.Action) {
    switch action {
    case .send(.peripheral(_, let call)): take(call)
    case .send: break
    case .unschedule(let deadline): timers[deadline] = nil
    case .schedule(let deadline, let time):
      timers[deadline] = air.loop.schedule(after: time - now) { [weak self] in
        self?.assumeIsolated { this in
          this.timers[deadline] = nil
          this.handle(.due(deadline))
        }
      }
    }
  }

  private func take(_ call: PeripheralManagerCall) {
    switch call {
    case .addService(let id, _): receive(.didAddService(id, error: nil))
    case .respond(let id, let error, let value):
      if let request = requests.removeValue(forKey: id) { finish(request, error, value) }
    case .updateValue(let id, let value, _): receive(.didUpdateValue(id, queued: notify(id, value)))
    case .publishL2CAPChannel(let isEncrypted):
      let psm = L2CAPPSM.dynamic.dropFirst(channelCount).first.map { L2CAPPSM(rawValue: $0) }
      channelCount += 1
      if let psm { ask(.publishChannel(psm, isEncrypted: isEncrypted)) }
      receive(.didPublishL2CAPChannel(psm: psm, error: psm == nil ? "no PSM is free" : nil))
    case .removeService, .removeAllServices, .startAdvertising, .stopAdvertising, .unpublishL2CAPChannel: break
    }
  }
}

extension AdapterDescription {
  /// The adapter of an accessory.
  ///
  /// - Parameter address: its public address; a static one ends in the same bytes.
  package init(_ accessory: AccessoryDescription, address: DeviceAddress) {
    self.init(
      address: accessory.address == .static ? .static(address.bits) : address,
      addressRotation: accessory.address == .resolvable ? .seconds(900) : nil, name: accessory.name)
    stack.joinsPreparedWrites = true
    stack.appearance = accessory.appearance
    (stack.bonding, key) = (accessory.bonding, accessory.bonding.identityKey)
    if case .passkey(let passkey) = accessory.pairing { stack.passkey = passkey }
  }
}

extension AccessoryPairing {
  /// Nil for an accessory that does not pair.
  fileprivate var capability: PairingCapability? {
    switch self {
    case .refuse: nil
    case .justWorks: .noInputNoOutput
    case .passkey: .displayOnly
    case .numericComparison: .displayYesNo
    }
  }

  /// Whether the pairing protects against a man in the middle.
  var isAuthenticated: Bool { capability == .displayOnly || capability == .displayYesNo }
}

extension EventRecord {
  fileprivate static func advertising(_ packets: AccessoryDescription.Advertisement) -> EventRecord {
    let structures = [packets.data, packets.scanResponse].flatMap { AdvertisingData(leniently: $0).structures }
    let (content, interval) = (AdvertisedContent(structures), packets.interval / .milliseconds(1))
    var record = EventRecord(.advertising)
    record.add(.advertisingData, .bytes(packets.data))
    record.add(.interval, .interval(EventValue.Interval(minimum: interval, maximum: interval)))
    record.add(.intervalHonored, .flag(true))
    record.add(.localName, content.name)
    record.add(.scanResponse, .bytes(packets.scanResponse))
    record.add(.serviceUUIDs, .texts(content.serviceUUIDs.map { "\($0)" }))
    return record
  }
}
