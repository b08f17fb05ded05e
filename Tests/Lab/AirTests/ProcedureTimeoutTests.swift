import BleperaBluetooth
import Testing

@testable import BleperaAir
@testable import BleperaHost

@Suite("A peer that does not answer is not waited for longer than the table says")
struct ProcedureTimeoutTests {
  private static let instant = Duration.milliseconds(1)

  @Test(
    "After its time, and not before, the procedure has ended and nothing is left",
    arguments: ProcedureTimeout.all, StackBehavior.Client.allCases)
  func silence(row: ProcedureTimeout, client: StackBehavior.Client) throws {
    let time = row.duration(for: client)
    switch row {
    case .opening:
      var test = HostBench(client)
      test.host.openChannel(OperationID(1), over: HostBench.link, HostBench.psm)
      test.wait(time - Self.instant)
      #expect(test.results.isEmpty && test.host.channels.count == 1)
      test.wait(Self.instant)
      #expect(test.results == [.failure(.channel(.unanswered))])
      #expect(test.host.channels.isEmpty && test.ends.isEmpty)
    case .disconnection:
      var test = HostBench(client)
      let end = test.openChannel(credits: 1)
      test.host.closeChannel(end)
      test.wait(time - Self.instant)
      #expect(test.host.channels.count == 1)
      test.wait(Self.instant)
      #expect(test.host.channels.isEmpty && test.ends.isEmpty)
    case .closing:
      var test = HostBench(client)
      let end = test.openChannel(credits: 0)
      test.host.writeChannel(end, [1])
      test.host.closeChannel(end)
      test.wait(time - Self.instant)
      #expect(test.signals(0x06) == 0)
      test.wait(Self.instant)
      #expect(test.signals(0x06) == 1)
      test.wait(ProcedureTimeout.disconnection.duration(for: client))
      #expect(test.host.channels.isEmpty && test.ends.isEmpty)
    case .request:
      var test = HostBench(client)
      test.isSilent = true
      test.host.perform(OperationID(1), .read(3, offset: 0), over: HostBench.link)
      test.expectEnd(after: time, .userTerminated)
      #expect(test.results == [.failure(.disconnected)])
    case .indication:
      var test = HostBench(client, isCentral: false)
      test.receive("1203020200")
      test.host.updateValue(HostBench.object, [1], to: nil)
      test.expectEnd(after: time, .userTerminated)
    case .application:
      var stack = StackBehavior()
      (stack.client, stack.requestTimeout) = (client, time)
      if client == .bluetoothd { stack.timeoutError = .unlikelyError }
      var test = HostBench(stack, isCentral: false)
      test.receive("0A0202")
      guard client == .bluetoothd else { return test.expectEnd(after: time, .userTerminated) }
      test.wait(time - Self.instant)
      #expect(!test.sent.contains("010A02020E"))
      test.wait(Self.instant)
      #expect(test.sent.last == "010A02020E" && test.ends.isEmpty)
    case .pairing, .securityRequest:
      var test = HostBench(client, isCentral: row == .pairing)
      test.host.pair(OperationID(1), over: HostBench.link)
      test.expectEnd(after: time, .authenticationFailure)
      #expect(test.results == [.failure(.pairing(.failed))])
    case .encryption:
      var test = try LinkBench()
      test.ask(.encrypt(LinkKey(1, random: 0, diversifier: 0)), isByCentral: true)
      test.expectEnd(after: time, .responseTimeout)
    case .parameters:
      var test = try LinkBench()
      test.ask(
        .requestParameters(LinkParameterRequest(intervals: 24...40, latency: 0, timeout: 72)), isByCentral: false)
      test.expectEnd(after: time, .responseTimeout)
    case .exchange:
      for request in [LinkRequest.readFeatures, .readVersion, .setDataLength(251)] {
        var test = try LinkBench()
        test.stage.send(.between(LinkBench.central, LinkBench.peripheral, PairConditions(isStalled: true)))
        test.ask(request, isByCentral: true)
        test.expectEnd(after: time, .responseTimeout)
      }
    case .supervision:
      var test = try LinkBench(supervisionTimeout: time)
      test.ask(.abandon, isByCentral: false)
      test.expectEnd(after: time, .connectionTimeout)
    default: Issue.record("\(row.name) has no case")
    }
  }

  @Test("An answer in time stops the timer, and the next request has the whole time")
  func answered() {
    var test = HostBench(.discovering)
    test.isSilent = true
    for _ in 0..<3 {
      test.host.perform(OperationID(1), .read(3, offset: 0), over: HostBench.link)
      test.wait(.seconds(20))
      test.receive("0B07")
    }
    #expect(test.results == Array(repeating: .success(.bytes([7])), count: 3) && test.ends.isEmpty)
    test.wait(.seconds(60))
    #expect(test.ends.isEmpty)
  }

  @Test("Features, version and lengths that are answered end nothing")
  func exchanged() throws {
    var test = try LinkBench()
    for isByCentral in [true, false] {
      for request in [LinkRequest.readFeatures, .readVersion, .setDataLength(100)] {
        test.ask(request, isByCentral: isByCentral)
      }
    }
    test.stage.wait(.seconds(60))
    #expect(test.stage.air.connections[test.link]?.openRequests.isEmpty == true)
  }
}

/// A host and its timers, with a peer that finds no attributes.
struct HostBench {
  static let link = ConnectionID(1)
  static let psm = L2CAPPSM(rawValue: 0x80)
  static let object = ApplicationObject(ApplicationID(1), 0)
  private static let peer = DeviceAddress(bits: 2)

  var host: HostStack
  /// Whether the peer does not answer requests.
  var isSilent = false
  private(set) var results: [Result<ClientAnswer, ClientFailure>] = []
  /// Why the host has ended the connection.
  private(set) var ends: [LinkEnd] = []
  /// The payloads of frames.
  private(set) var sent: [String] = []
  private(set) var request: AttributeRequestID?
  private(set) var actions: [HostAction] = []
  private(set) var linkRequests: [LinkRequest] = []
  private var now = Duration.zero
  private var timers: [(time: Duration, timer: HostTimer)] = []

  init(_ client: StackBehavior.Client, isCentral: Bool = true) {
    var stack = StackBehavior()
    stack.client = client
    self.init(stack, isCentral: isCentral)
  }

  init(_ stack: StackBehavior, isCentral: Bool) {
    let description = AdapterDescription(address: DeviceAddress(bits: 1), name: "box", stack: stack)
    host = HostStack(description, key: nil)
    host.capability = .noInputNoOutput
    let flags: AttributeFlags = [.read, .write, .indicate]
    let characteristics = [0, 1].map {
      PublishedCharacteristic(index: $0, uuid: BluetoothUUID(0x2A37 as UInt16), flags: flags)
    }
    let service = PublishedService(
      uuid: BluetoothUUID(0x180D as UInt16), handle: .exactly(0x0200), characteristics: characteristics)
    host.publish(ApplicationID(1), [service])
    let manager = SecurityManager(
      role: isCentral ? .initiator : .responder, own: SecurityAddress(bits: 1, isRandom: false),
      peer: SecurityAddress(bits: 2, isRandom: false),
      settings: host.settings(for: Self.peer, asCentral: isCentral, isStrict: false), random: SplitMix64(seed: 1))
    host.connected(Self.link, HostLink(to: Self.peer, manager))
    run()
    (actions, sent) = ([], [])
  }

  /// Does what the host wants, until it waits.
  mutating func run() {
    while true {
      let outputs = host.takeOutputs()
      if outputs.isEmpty { return }
      for output in outputs {
        switch output {
        case .action(let action): take(action)
        case .link(_, .disconnect(let reason)): ends.append(reason)
        case .link(_, .data(let data)): take(data)
        case .link(_, let request): linkRequests.append(request)
        case .timer(let timer, let duration): timers.append((now + duration, timer))
        case .bondsChanged: break
        }
      }
    }
  }

  private mutating func take(_ action: HostAction) {
    actions.append(action)
    switch action {
    case .completed(_, let result): results.append(result)
    case .read(let id, _, _), .write(let id?, _, _, _), .preparedWrite(let id, _, _): request = id
    default: break
    }
  }

  private mutating func take(_ data: LinkData) {
    let payload = Array(data.bytes.dropFirst(L2CAPFrame.headerLength))
    sent.append(Hex.string(payload))
    guard !isSilent, data.bytes[2] == L2CAPFrame.attributes, let pdu = try? ATTPDU(payload), pdu.opcode.kind == .request
    else { return }
    deliver(pdu.error(.attributeNotFound).bytes, on: L2CAPFrame.attributes)
  }

  private mutating func deliver(_ payload: [UInt8], on channel: UInt16) {
    host.receive(.data(LinkData(isStart: true, L2CAPFrame(channel: channel, payload: payload).bytes)), over: Self.link)
  }

  mutating func receive(_ payload: String, on channel: UInt16 = L2CAPFrame.attributes) {
    run()
    deliver(Hex.bytes(payload.filter { $0 != " " }) ?? [], on: channel)
    run()
  }

  mutating func signal(_ payload: String) { receive(payload, on: L2CAPFrame.signaling) }

  /// Lets time pass, with the timers in order.
  mutating func wait(_ duration: Duration) {
    run()
    let end = now + duration
    while let first = timers.indices.min(by: { timers[$0].time < timers[$1].time }), timers[first].time <= end {
      let (time, timer) = timers.remove(at: first)
      now = time
      host.fire(timer)
      run()
    }
    now = end
  }

  /// Opens a channel to the peer's number 0041, and returns the host's end.
  mutating func openChannel(credits: UInt8) -> ChannelEnd {
    host.openChannel(OperationID(1), over: Self.link, Self.psm)
    run()
    let identifier = sent.last?.dropFirst(2).prefix(2) ?? ""
    signal("15 \(identifier) 0A00 4100 4000 4000 \(Hex.string([credits]))00 0000")
    return ChannelEnd(Self.link, 0x40)
  }

  /// How many commands of that code it has sent.
  func signals(_ code: UInt8) -> Int { sent.count { $0.hasPrefix(Hex.string([code])) } }

  /// The host ends the connection after that time exactly, and then has forgotten it.
  mutating func expectEnd(after time: Duration, _ reason: LinkEnd) {
    run()
    wait(time - .milliseconds(1))
    #expect(ends.isEmpty && results.isEmpty)
    wait(.milliseconds(1))
    #expect(ends == [reason])
    host.disconnected(Self.link)
    run()
    #expect(host.links.isEmpty && host.channels.isEmpty && host.linksOfPeers.isEmpty)
    let (former, count) = (sent, results.count)
    wait(.seconds(120))
    #expect(sent == former && results.count == count)
  }
}

/// Two controllers with hosts outside the air that are silent.
private struct LinkBench {
  static let (central, peripheral) = (AdapterID(0), AdapterID(1))

  var stage: Stage
  let link: ConnectionID

  init(supervisionTimeout: Duration = .seconds(1)) throws {
    stage = Stage(adapters: 0)
    for adapter in [Self.central, Self.peripheral] {
      stage.send(.added(adapter, .controller(address: Stage.address(adapter), name: "host")))
    }
    stage.resumes = false
    stage.advertise(on: Self.peripheral)
    let parameters = LinkParameters(interval: .milliseconds(30), supervisionTimeout: supervisionTimeout)
    let attempt = ConnectionAttempt(
      to: [Stage.address(Self.peripheral)], from: Stage.address(Self.central), ScanWindow(), parameters: parameters)
    stage.send(.attempt(Self.central, attempt))
    stage.wait(.seconds(3))
    link = try #require(stage.air.connection(between: Self.central, and: Self.peripheral)).id
    _ = stage.take()
  }

  mutating func ask(_ request: LinkRequest, isByCentral: Bool) {
    stage.send(.link(link, by: isByCentral ? Self.central : Self.peripheral, request))
  }

  mutating func expectEnd(after time: Duration, _ reason: LinkEnd) {
    stage.wait(time - .milliseconds(1))
    #expect(stage.air.connections[link] != nil)
    stage.wait(.milliseconds(1))
    for side in [Self.central, Self.peripheral] {
      #expect(stage.actions.contains(.link(link, to: side, .ended(reason))))
    }
    #expect(stage.air.connections.isEmpty && stage.air.nextDeadline == nil)
  }
}
