import BleperaBlueZ
import BleperaBluetooth
import BleperaLoop
import BleperaPreservation
import BleperaRadio
import BusTesting
import Testing

@testable import BleperaPhone

/// A radio whose reports and results the test decides.
actor ScriptedRadio: PhoneRadio {
  static let central = RadioCentral(id: CentralID(rawValue: "00:11:22:33:44:55"), isBonded: true)

  nonisolated let loop: any ActorLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
  nonisolated var isOnLoop: Bool { loop.isCurrent }
  nonisolated var requestTimeLimit: Duration? { BlueZLimitation.requestTimeLimit }

  private let report: @Sendable (RadioEvent) -> Void
  private var subscriptions: [AttributeHandle: [RadioCentral]] = [:]
  private var publications: [@Sendable (Result<L2CAPPSM, RadioFailure>) -> Void] = []
  private(set) var unpublished: [L2CAPPSM] = []
  private var powerCalls: [(isOn: Bool, completion: @Sendable (RadioFailure?) -> Void)] = []
  private(set) var sent: [[UInt8]] = []
  private(set) var responses: [RadioRequestID] = []
  private(set) var disconnected: [CentralID] = []
  private(set) var connectedCentrals: [RadioCentral] = []
  private(set) var bonds: [RadioBond] = []
  private(set) var pairingQuestions: [PairingQuestion] = []
  private(set) var pairingResponses: [PairingResponse] = []

  init(loop: any ActorLoop, report: @escaping @Sendable (RadioEvent) -> Void) {
    self.loop = loop
    self.report = report
  }

  /// Runs a phone on a scripted radio in virtual time.
  static func run(
    store: InMemoryPreservationStore = InMemoryPreservationStore(),
    _ body: @escaping @Sendable (EmulatedPhone, ScriptedRadio, Mailbox<PhoneEvent>) async throws -> Void
  ) throws {
    let loop = VirtualLoop(beginning: .seconds(1_800_000_000))
    let result = loop.run(until: .seconds(600)) {
      let events = Mailbox<PhoneEvent>()
      let phone = EmulatedPhone(loop: loop, store: store) { event, _ in events.put(event) }
      try await phone.start { ScriptedRadio(loop: loop, report: $0) }
      try await body(phone, try #require(await phone.radio as? ScriptedRadio), events)
    }
    try #require(result, "the scene waits for something that never comes").get()
  }

  func start() async throws(RadioFailure) { report(.state(.poweredOn(adapter: "hci0"))) }

  // MARK: What the test does

  func reportNow(_ events: [RadioEvent]) {
    for event in events {
      if case .connected(let central) = event { connectedCentrals.append(central) }
      report(event)
    }
  }

  func subscribe(_ central: RadioCentral, to handle: AttributeHandle) {
    subscriptions[handle, default: []].append(central)
    report(.subscribed(handle, central))
  }

  /// Completes the oldest power call, as an adapter does; returns what it asks for, nil where there is none.
  func completePowerCall(_ failure: RadioFailure? = nil) -> Bool? {
    guard !powerCalls.isEmpty else { return nil }
    let call = powerCalls.removeFirst()
    if failure == nil {
      report(.state(call.isOn ? .poweredOn(adapter: "hci0") : .poweredOff(adapter: "hci0")))
    }
    call.completion(failure)
    return call.isOn
  }

  func keep(_ bonds: [RadioBond]) { self.bonds = bonds }

  func wait(for questions: [PairingQuestion]) { pairingQuestions = questions }

  /// Completes the publication of the oldest channel.
  func completePublication(_ result: Result<L2CAPPSM, RadioFailure>) { publications.removeFirst()(result) }

  // MARK: What the phone does

  nonisolated var stackServices: Set<BluetoothUUID> { [] }

  func publish(_ services: [RadioService]) {
    for service in services { report(.published(service.handles.start)) }
  }

  func remove(service: AttributeHandle) {}

  func forgetBonds(with address: String?, _ completion: @escaping @Sendable (RadioFailure?) -> Void) {
    bonds.removeAll { bond in address.map { $0 == bond.address } ?? bond.isOwn }
    completion(nil)
  }

  func answerPairing(_ question: PairingQuestion, _ response: PairingResponse) {
    pairingQuestions.removeAll { $0 == question }
    pairingResponses.append(response)
  }

  func respond(to request: RadioRequestID, _ result: Result<[UInt8], ATTError>) -> ATTError? {
    responses.append(request)
    return nil
  }

  func update(_ characteristic: AttributeHandle, _ value: [UInt8], to centrals: [CentralID]) -> RadioFailure? {
    sent.append(value)
    return nil
  }

  func uncarriedUpdates(to central: CentralID) -> Int { 0 }
  func subscribers(of characteristic: AttributeHandle) -> [RadioCentral] { subscriptions[characteristic] ?? [] }
  func retainedSubscribers(of characteristic: AttributeHandle) -> [RadioCentral] { subscribers(of: characteristic) }
  func advertise(_ advertisement: RadioAdvertisement?) {
    report(advertisement == nil ? .advertisingStopped : .advertising)
  }
  var packets: [RadioPacket] { [] }
  func disconnect(_ central: CentralID) { disconnected.append(central) }
  func publishChannel(isEncrypted: Bool, _ completion: @escaping @Sendable (Result<L2CAPPSM, RadioFailure>) -> Void) {
    publications.append(completion)
  }
  func unpublishChannel(_ psm: L2CAPPSM) { unpublished.append(psm) }

  func switchPower(on isOn: Bool, _ completion: @escaping @Sendable (RadioFailure?) -> Void) -> Bool {
    powerCalls.append((isOn, completion))
    return true
  }

  var address: RadioAddress? { nil }
  var implementation: String? { nil }
  var limitations: [RadioLimitation] { [] }
  func settle() async {}
  func shutDown() async {}
}

extension EmulatedPhone {
  /// The handle of a characteristic of the only app.
  func handle(of characteristic: CharacteristicID) throws -> AttributeHandle {
    let app = try #require(apps.ids.first)
    return try #require(services.handle(of: characteristic, of: app))
  }

  /// The requests of a central that have no response.
  func pendingRequests(of central: RadioCentral) -> Int { requests.requests(of: central.id).count }
}
