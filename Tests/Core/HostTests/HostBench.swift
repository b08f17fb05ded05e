import BleperaBluetooth
import Testing

@testable import BleperaHost

/// A host and its timers, with a peer that finds no attributes.
struct HostBench {
  static let link = ConnectionID(1)
  static let psm = L2CAPPSM(rawValue: 0x80)
  static let object = ApplicationObject(ApplicationID(1), 0)

  var host: HostStack
  /// Whether the peer does not answer requests.
  var isSilent = false
  private(set) var results: [Result<ProcedureAnswer, ProcedureFailure>] = []
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
    host = .box(stack)
    host.capability = .noInputNoOutput
    let flags: AttributeFlags = [.read, .write, .indicate]
    let characteristics = [0, 1].map {
      PublishedCharacteristic(index: $0, uuid: BluetoothUUID(0x2A37 as UInt16), flags: flags)
    }
    let service = PublishedService(
      uuid: BluetoothUUID(0x180D as UInt16), handle: .exactly(0x0200), characteristics: characteristics)
    host.publish(ApplicationID(1), [service])
    host.open(Self.link, .test(isCentral: isCentral), random: .seeded(SplitMix64(seed: 1)))
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
    host.disconnected(Self.link, because: reason)
    run()
    #expect(host.links.isEmpty && host.channels.isEmpty && host.linksOfPeers.isEmpty)
    let (former, count) = (sent, results.count)
    wait(.seconds(120))
    #expect(sent == former && results.count == count)
  }
}

extension HostStack {
  /// The host of a device with the address 1.
  static func box(_ stack: StackBehavior) -> HostStack {
    HostStack(
      stack, name: "box", identity: SecurityIdentity(address: SecurityAddress(DeviceAddress(bits: 1)), key: nil),
      mtu: 517, fragmentLength: 251)
  }
}

extension LinkOpening {
  /// A connection with the address 2.
  static func test(isCentral: Bool) -> LinkOpening {
    LinkOpening(
      isCentral: isCentral, own: DeviceAddress(bits: 1), peer: DeviceAddress(bits: 2),
      parameters: LinkParameters(interval: .milliseconds(30), supervisionTimeout: .milliseconds(720)))
  }
}
