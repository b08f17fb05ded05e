import BleperaBluetooth
import Testing

@testable import BleperaAir
@testable import BleperaHost

/// Each exchange is run as often as it has packets, those of the link layers among them, with a fault at another one
/// each time.
@Suite("A fault at every PDU")
struct EveryPDUTests {
  @Test(
    "Both sides have the same view of the connection, what was acknowledged is there, and no timer stays",
    arguments: Exchange.allCases)
  func everyPDU(exchange: Exchange) throws {
    var run = ExchangeRun(exchange)
    run.begin()
    var count = 0
    while !run.isDone {
      let before = run
      for place in 0..<run.countArrivals() {
        // The rounds of a passkey take the longest.
        for fault in Fault.allCases where exchange != .passkey || fault != .delayed {
          var faulty = before
          let comment = Comment("\(exchange), \(fault), packet \(count)")
          try faulty.play(fault, at: place + 1)
          check(faulty, fault, comment)
          // Pairing costs most of the time.
          if !exchange.isPairing || exchange == .justWorks && fault == .cut { faulty.repeatWithoutFault() }
          faulty.finish()
          #expect(faulty.stage.take().isEmpty && faulty.stage.air.nextDeadline == nil, comment)
          #expect(faulty.stage.air.hosts.values.allSatisfy { $0.links.isEmpty && $0.channels.isEmpty }, comment)
        }
        count += 1
      }
    }
    #expect(count >= exchange.packets)
  }

  private func check(_ run: ExchangeRun, _ fault: Fault, _ comment: Comment) {
    #expect(run.isConnected == (fault == .delayed), comment)
    #expect(run.sides == (run.isConnected ? [Stage.phone, Stage.central] : []), comment)
    #expect(run.isSuccessful == run.isConnected || run.wasDone, comment)
    #expect(run.result != nil || run.exchange.isDiscovery, comment)
    // All or nothing of a value, and all that was acknowledged.
    #expect(run.written.isEmpty || run.written == [ExchangeRun.value], comment)
    #expect(!run.exchange.isWrite || !run.isSuccessful || !run.written.isEmpty, comment)
    guard run.exchange.isPairing else { return }
    // The phone sends its keys first: without those of the central it has none, and the central has to pair again.
    #expect(run.isSuccessful == run.bonded.contains(Stage.central), comment)
    #expect(run.bonded != [Stage.phone], comment)
    #expect(run.bonded.count != 1 || run.wasEncrypted, comment)
  }
}

enum Exchange: Hashable, CaseIterable, Sendable {
  case justWorks, comparison, passkey
  case longWrite, joinedWrite
  case discovery, bondedDiscovery
  /// A discovery by the phone.
  case phoneDiscovery

  /// The pairing capabilities of the phone and of the central.
  var capabilities: (PairingCapability, PairingCapability) {
    switch self {
    case .comparison: (.displayYesNo, .displayYesNo)
    case .passkey: (.displayOnly, .keyboardOnly)
    default: (.noInputNoOutput, .noInputNoOutput)
    }
  }

  var isPairing: Bool { self == .justWorks || self == .comparison || self == .passkey }
  var isWrite: Bool { self == .longWrite || self == .joinedWrite }
  var isDiscovery: Bool { self == .discovery || self == .bondedDiscovery }

  /// The least number of packets without a fault.
  var packets: Int {
    switch self {
    case .justWorks, .comparison: 18
    // Twenty rounds of four.
    case .passkey: 95
    // Four pieces and the execution.
    case .longWrite, .joinedWrite: 10
    case .discovery: 35
    case .bondedDiscovery: 40
    case .phoneDiscovery: 20
    }
  }
}

enum Fault: Hashable, CaseIterable, Sendable {
  /// Nothing arrives anymore over this connection.
  case cut
  /// Nothing arrives between the two until the supervision timeout.
  case lost
  /// Nothing arrives for less than that.
  case delayed
}

/// A phone with services, a central, and one exchange of the two.
private struct ExchangeRun {
  static let value = [UInt8](1...60)
  private static let handle: AttributeHandle = 0x102
  private static let operation = OperationID(1000)
  private static let other = OperationID(1001)
  private static let timeout = AdapterDescription.bluezSupervisionTimeout

  let exchange: Exchange
  var stage: Stage
  /// The result of the pairing or the write, or success when the services are known.
  private(set) var result: Result<[UInt8], ProcedureFailure>?
  /// The values that the phone's app was given.
  private(set) var written: [[UInt8]] = []
  /// Whether there was a result when the fault began.
  private(set) var wasDone = false
  /// Whether the phone's side was encrypted when the fault began.
  private(set) var wasEncrypted = false
  private var services: [RemoteService] = []
  private var shown: UInt32?
  private var typing: (ConnectionID, AdapterID)?

  init(_ exchange: Exchange) {
    self.exchange = exchange
    stage = Stage(conditions: AirConditions(), adapters: 0)
    for (adapter, rotation) in [(Stage.phone, Duration.seconds(900)), (Stage.central, nil)] {
      var description = AdapterDescription(
        address: Stage.address(adapter), addressRotation: rotation, name: "box \(adapter.number)", mtu: 23,
        stack: exchange == .joinedWrite ? .bluetoothd : StackBehavior())
      if exchange == .phoneDiscovery { description.stack.client = .phone }
      description.stack.greeting = adapter == Stage.phone ? [9, 5, 2, 0, 0, 0, 0] : nil
      stage.send(.added(adapter, description))
    }
    let characteristics = [(0, 0x2A37, AttributeFlags.write), (1, 0x2A38, .read), (2, 0x2A39, .notify)].map {
      PublishedCharacteristic(index: $0.0, uuid: BluetoothUUID(UInt16($0.1)), flags: $0.2)
    }
    for (place, uuid) in [(1, 0x180D), (2, 0x180F), (3, 0x1810)] {
      let service = PublishedService(
        uuid: BluetoothUUID(UInt16(uuid)), handle: .exactly(AttributeHandle(rawValue: UInt16(place * 0x100))),
        characteristics: characteristics)
      stage.send(.host(Stage.phone, .publish(ApplicationID(place), [service])))
    }
    stage.send(.host(Stage.phone, .capability(exchange.capabilities.0)))
    stage.send(.host(Stage.central, .capability(exchange.capabilities.1)))
    stage.advertise()
    guard exchange != .discovery else { return }
    connect()
    guard exchange == .bondedDiscovery, let link else { return }
    stage.send(.host(Stage.central, .pair(link, Self.other)))
    wait { $0.bonded.count == 2 && $0.isQuiet }
    leave()
    result = nil
  }

  // MARK: What both sides know

  private var link: ConnectionID? { stage.air.connection(between: Stage.central, and: Stage.phone)?.id }
  var isConnected: Bool { link != nil }
  var isSuccessful: Bool { if case .success? = result { true } else { false } }

  /// The sides with a connection.
  var sides: Set<AdapterID> { Set(stage.air.hosts.keys.filter { stage.air.hosts[$0]?.links.isEmpty == false }) }
  /// The sides with a bond.
  var bonded: Set<AdapterID> { Set(stage.air.hosts.keys.filter { stage.air.hosts[$0]?.bonds.isEmpty == false }) }

  var isDone: Bool { result != nil && isQuiet }

  /// Whether all that was sent has arrived, and nothing is asked.
  private var isQuiet: Bool {
    stage.air.hosts.values.flatMap(\.links.values).allSatisfy {
      $0.frames.unsent.isEmpty && $0.tasks.active == nil && $0.tasks.waiting.isEmpty && $0.securing.timer == nil
    }
  }

  // MARK: Time

  /// Lets time pass, until the next that happens if no duration is given; users and app answer.
  private mutating func step(_ duration: Duration? = nil) {
    stage.wait(duration ?? stage.air.nextDeadline.map { max(.zero, $0 - stage.now) } ?? .zero)
    for action in stage.take() { answer(action) }
  }

  private mutating func answer(_ action: AirAction) {
    switch action {
    case .host(let adapter, .pairingRequest(let id, let question)):
      switch question {
      case .show(let passkey): shown = passkey
      case .type: typing = (id, adapter)
      case .authorize, .compare: stage.send(.host(adapter, .respondToPairing(id, .yes)))
      }
      guard let passkey = shown, let (id, adapter) = typing else { return }
      (shown, typing) = (nil, nil)
      stage.send(.host(adapter, .respondToPairing(id, .passkey(passkey))))
    case .host(let adapter, .write(let request?, _, let value, _)):
      written.append(value)
      stage.send(.host(adapter, .respond(request, .success([]))))
    case .host(let adapter, .preparedWrite(let request, let pieces, _)):
      written.append(pieces.flatMap(\.value))
      stage.send(.host(adapter, .respond(request, .success([]))))
    case .host(_, .completed(Self.operation, let result)):
      #expect(self.result == nil, "completed once")
      self.result = result.map(\.bytes)
    case .host(_, .servicesResolved(let id)) where exchange.isDiscovery:
      result = .success([])
      services = stage.link(id, of: Stage.central)?.services ?? []
    default: break
    }
  }

  private mutating func wait(until isDone: (ExchangeRun) -> Bool) {
    for _ in 0..<10_000 {
      if isDone(self) { return }
      step()
    }
    Issue.record("\(exchange) does not end")
  }

  // MARK: Exchanges

  private mutating func connect() {
    stage.send(.linkLayer(Stage.central, .connect(Stage.address(Stage.phone))))
    wait { $0.isConnected && $0.isQuiet }
  }

  private mutating func leave() {
    if let link { stage.send(.host(Stage.central, .disconnect(link))) }
    step(.seconds(1))
  }

  mutating func begin() {
    if exchange.isDiscovery {
      stage.send(.linkLayer(Stage.central, .connect(Stage.address(Stage.phone))))
    } else if let link, exchange.isPairing {
      stage.send(.host(Stage.central, .pair(link, Self.operation)))
    } else if let link, exchange == .phoneDiscovery {
      stage.send(.host(Stage.central, .perform(Self.operation, link, .services)))
    } else if let link {
      stage.send(
        .host(
          Stage.central, .perform(Self.operation, link, .write(Self.handle, Self.value))))
    }
  }

  /// The number of packets that arrive next.
  mutating func countArrivals() -> Int {
    stage.send(.cutAt(Stage.central, Stage.phone, .packet(.max)))
    step()
    guard case .packet(let rest)? = stage.air.cuts.values.first else { return 0 }
    return .max - rest
  }

  /// - Parameter place: which packet from now on meets the fault.
  mutating func play(_ fault: Fault, at place: Int) throws {
    stage.send(.cutAt(Stage.central, Stage.phone, .packet(place)))
    step()
    let link = try #require(link)
    #expect(stage.air.connections[link]?.isCut == true)
    wasDone = result != nil
    wasEncrypted = stage.link(link, of: Stage.phone)?.security != .open
    if fault != .cut {
      stage.send(.between(Stage.central, Stage.phone, PairConditions(loss: 1)))
      stage.air.connections[link]?.isCut = false
    }
    step(Self.timeout - .milliseconds(10))
    #expect(isConnected)
    if fault == .delayed {
      stage.send(.between(Stage.central, Stage.phone, PairConditions()))
      wait { $0.isDone }
    }
    step(.seconds(1))
  }

  /// Repeats a failed exchange over a new connection.
  mutating func repeatWithoutFault() {
    stage.send(.between(Stage.central, Stage.phone, PairConditions()))
    leave()
    let known = services
    (result, written, services) = (nil, [], [])
    if !exchange.isDiscovery { connect() }
    if let link, exchange.isWrite {
      // Nothing is left of what was prepared before.
      stage.send(.host(Stage.central, .perform(Self.other, link, .prepared([]))))
      wait { $0.isQuiet }
      #expect(written.isEmpty)
    }
    begin()
    wait { $0.isDone }
    #expect(isSuccessful)
    #expect(written == (exchange.isWrite ? [Self.value] : []))
    #expect(bonded.count == (exchange.isPairing || exchange == .bondedDiscovery ? 2 : 0))
    if exchange.isDiscovery { #expect(services.count == 5 && (known.isEmpty || known == services)) }
  }

  /// After which nothing may happen anymore.
  mutating func finish() {
    leave()
    stage.send(.linkLayer(Stage.phone, .withdraw(AdvertisementID(1))))
    stage.wait(.seconds(60))
  }
}
