import BleperaBluetooth
import BleperaHCIProtocol

/// The steps on the links of a phone's log (encryption, MTU, services, reads), with their order and times.
struct LinkSteps: Sendable {
  private struct Link {
    let start: Int64
    /// The first `most` different steps, in their order.
    var steps: [String] = []
    /// Whether the peer's services changed, and the phone has not looked at them since.
    var isStale = false
  }

  private var links: [UInt16: Link] = [:]
  private var orders = Tally<String>()
  private var times: [String: Times] = [:]
  private var pairing = Tally<String>()
  private var serviceChanged = Tally<String>()
  /// The number of received Service Changed indications, and of those after which the phone looked for services.
  private var received = (all: 0, followed: 0)

  mutating func beginCapture() {
    for handle in links.keys { end(handle) }
  }

  mutating func command(_ opcode: HCIOpcode, _ parameters: ArraySlice<UInt8>, at time: Int64) {
    guard let step = Self.commands[opcode], let handle = HCI.Handle(logged: parameters, atLeast: 2) else { return }
    add(step, handle.value, at: time)
  }

  private static let commands: [HCIOpcode: String] = [
    .leEnableEncryption: "encryption", .leSetDataLength: "data length", .leSetPHY: "PHY",
    .leReadRemoteFeatures: "features", .readRemoteVersionInformation: "version",
  ]

  mutating func event(_ event: LinkEvent, at time: Int64) {
    switch event {
    case .connected(let link):
      end(link.handle)
      links[link.handle] = Link(start: time)
    case .ended(let handle): end(handle)
    case .encrypted(let handle): add("encrypted", handle, at: time, "encrypted")
    case .dataLength(let new):
      add("data length", new.handle, at: time, "data length of \(new.sent) bytes, \(new.sentTime) us")
    case .phys(let new):
      let phy = new.value.sent
      add("PHY", new.handle, at: time, "PHY \([1: "1M", 2: "2M", 3: "coded"][phy] ?? "\(phy)")")
    case .updated: break
    }
  }

  /// - Parameter bytes: an ACL packet that begins an L2CAP one.
  mutating func data(_ bytes: ArraySlice<UInt8>, isReceived: Bool, at time: Int64) {
    guard let word = bytes.number(at: 0), let channel = bytes.number(at: 6), let code = bytes[at: 8] else { return }
    let (handle, rest) = (UInt16(word & 0xFFF), bytes.from(9))
    switch channel {
    case 0x0004: attribute(ATTOpcode(rawValue: code), rest, on: handle, isReceived: isReceived, at: time)
    case 0x0006:
      add("pairing", handle, at: time)
      guard code == 1 || code == 2, rest.count >= 6 else { return }
      let fields = rest.prefix(6).map { Hex.string([$0]) }
      pairing.add(
        "\(isReceived ? "received" : "sent") \(code == 1 ? "request" : "response"): IO capability \(fields[0]), OOB "
          + "\(fields[1]), AuthReq \(fields[2]), key size \(rest[rest.startIndex + 3]), keys \(fields[4]) and \(fields[5])"
      )
    case 0x003A: if !isReceived { add("channel 003A", handle, at: time) }
    default: break
    }
  }

  private mutating func attribute(
    _ opcode: ATTOpcode?, _ rest: ArraySlice<UInt8>, on handle: UInt16, isReceived: Bool, at time: Int64
  ) {
    // An indication of two handles in order is a Service Changed.
    if opcode == .handleValueIndication, rest.count == 6, let first = rest.number(at: 2), let last = rest.number(at: 4),
      first > 0,
      first <= last
    {
      let range = "\(Self.hex(first))-\(Self.hex(last))"
      if isReceived {
        received.all += 1
        links[handle]?.isStale = true
      } else {
        serviceChanged.add("\(range), sent after \(links[handle]?.steps.last ?? "the connection")")
        add("Service Changed", handle, at: time)
      }
    }
    guard !isReceived else { return }
    if [.readByGroupTypeRequest, .findByTypeValueRequest].contains(opcode), links[handle]?.isStale == true {
      received.followed += 1
      links[handle]?.isStale = false
    }
    switch opcode {
    case .exchangeMTURequest: add("MTU", handle, at: time)
    case .readByGroupTypeRequest: add("services", handle, at: time)
    case .findByTypeValueRequest: add("a service", handle, at: time)
    case .readByTypeRequest:
      if let type = rest.number(at: 4), rest.count == 6 { add("type \(Self.hex(type))", handle, at: time) }
    case .findInformationRequest: add("descriptors", handle, at: time)
    case .readRequest: add("read", handle, at: time)
    case .writeRequest, .writeCommand: add("write", handle, at: time)
    default: break
    }
  }

  private static func hex(_ number: Int) -> String { Hex.string([UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)]) }

  /// - Parameter text: the text of the observation with the step's times; the first time on each link counts.
  private mutating func add(_ step: String, _ handle: UInt16, at time: Int64, _ text: String? = nil) {
    guard let link = links[handle] else { return }
    let isNew = !link.steps.contains(step)
    if isNew, link.steps.count < Self.most { links[handle]?.steps.append(step) }
    if isNew, let text { times[text, default: Times()].add(time - link.start) }
  }

  /// The longest order that is reported: later steps are the app's.
  private static let most = 14

  private mutating func end(_ handle: UInt16) {
    guard let link = links.removeValue(forKey: handle), !link.steps.isEmpty else { return }
    orders.add(link.steps.joined(separator: ", "))
  }

  /// The observations; orders are those of links that have ended.
  var observations: [Observation] {
    times.sorted { $0.key < $1.key }.map {
      Observation("link", "\($0.key) after \($0.value.text)", $0.value.count)
    }
      + orders.observations("order on a link") + pairing.observations("pairing")
      + serviceChanged.observations("Service Changed")
      + (received.all > 0
        ? [Observation("Service Changed", "received, services looked for again", received.followed, of: received.all)]
        : [])
  }
}
