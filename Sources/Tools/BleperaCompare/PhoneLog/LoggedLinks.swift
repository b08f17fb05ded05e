import BleperaBluetooth
import BleperaHCIProtocol
import BleperaRules

/// The connections in a phone's log, with the requested and the effective parameters.
struct LoggedLinks: Sendable {
  private(set) var requested = Tally<HCIConnectionParameters>()
  /// The scan intervals and windows of the phone's attempts to connect, in units of 0.625 ms.
  private var listened = Tally<[Int]>()
  /// The scan of the last attempt.
  private var listening: [Int]?
  /// The last such interval and window before the phone went to sleep.
  private var asleep = Tally<[Int]>()
  /// The effective parameters at the start of each connection.
  private(set) var given = Tally<HCIConnectionParameters>()
  /// The intervals of connections whose central the phone was, which chooses them.
  private var chosen = Tally<Int>()
  /// Whether a host that met the phone made the log, not the phone itself.
  var isOfPeer = false
  /// ATT_MTU of the phone's requests.
  private(set) var clientMTU = Tally<Int>()
  private(set) var handles: [Int: BluetoothUUID] = [:]
  private var handlePackets = 0

  private var steps = LinkSteps()
  /// The request of each peer, by the handle of its connection, until the parameters change or the link ends.
  private var asked: [UInt16: (text: String, answer: String)] = [:]
  private var answers = Tally<String>()
  /// ATT_MTU of the phone's responses.
  private var serverMTU = Tally<String>()

  mutating func sleep() { if let listening { asleep.add(listening) } }

  mutating func beginCapture() {
    listening = nil
    steps.beginCapture()
    for handle in asked.keys { close(handle, "nothing followed") }
  }

  mutating func command(_ opcode: HCIOpcode, _ parameters: ArraySlice<UInt8>, at time: Int64) {
    steps.command(opcode, parameters, at: time)
    let new: (interval: UInt16, window: UInt16, parameters: HCIConnectionParameters)
    switch opcode {
    case .leCreateConnection:
      guard let command = HCICreateConnection(logged: parameters, atLeast: 21) else { return }
      new = (command.interval, command.window, command.parameters)
    case .leExtendedCreateConnection, .leExtendedCreateConnectionV2:
      let command =
        opcode == .leExtendedCreateConnection
        ? HCIExtendedCreateConnection(logged: parameters, atLeast: 22)
        : HCIExtendedCreateConnectionV2(logged: parameters, atLeast: 24)?.connection
      guard let command else { return }
      new = (command.interval, command.window, command.parameters)
    default: return
    }
    listening = [Int(new.interval), Int(new.window)]
    listened.add([Int(new.interval), Int(new.window)])
    requested.add(new.parameters.withoutEvents)
  }

  mutating func event(_ event: LinkEvent, at time: Int64) {
    steps.event(event, at: time)
    switch event {
    case .connected(let link):
      given.add(
        HCIConnectionParameters(
          least: link.interval, most: link.interval, latency: link.latency, timeout: link.timeout))
      // The role is the role of the device that made the log.
      if link.isCentral != isOfPeer { chosen.add(Int(link.interval)) }
    case .ended(let handle): close(handle, "nothing followed")
    case .updated(let new): close(new.handle, "\(RuleContent.text(Double(new.interval) * 1.25)) ms given")
    case .encrypted, .dataLength, .phys: break
    }
  }

  private mutating func close(_ handle: UInt16, _ outcome: String?) {
    guard let asked = asked.removeValue(forKey: handle) else { return }
    answers.add("\(asked.text): \(asked.answer)" + (outcome.map { ", \($0)" } ?? ""))
  }

  /// Follows a peer's request for connection parameters and the phone's response.
  private mutating func signal(_ bytes: ArraySlice<UInt8>, isReceived: Bool) {
    guard let word = bytes.number(at: 0) else { return }
    let handle = UInt16(word & 0xFFF)
    switch (bytes[at: 8], isReceived) {
    case (0x12, true):
      // L2CAP's request has the fields of HCI's command.
      guard let values = HCIConnectionParameters(logged: bytes.from(12), atLeast: 8) else { return }
      close(handle, "asked again")
      asked[handle] = (values.text + (values.brokenRule.map { " against '\($0)'" } ?? ""), "no response")
    case (0x13, false):
      let isAccepted = bytes.number(at: 12) == 0
      asked[handle]?.answer = isAccepted ? "accepted" : "rejected"
      if !isAccepted { close(handle, nil) }
    case (_, _): break
    }
  }

  mutating func data(_ bytes: ArraySlice<UInt8>, isReceived: Bool?, at time: Int64) {
    // The header is handle and flags, length, L2CAP's length and channel.
    guard let isReceived, bytes[at: 1].map({ $0 & 0x30 != 0x10 }) ?? false else { return }
    steps.data(bytes, isReceived: isReceived, at: time)
    if bytes.number(at: 6) == 0x0005 { signal(bytes, isReceived: isReceived) }
    guard !isReceived, bytes.number(at: 6) == 0x0004, let opcode = bytes[at: 8].flatMap(ATTOpcode.init) else {
      return
    }
    let attribute = bytes.from(9)
    switch opcode {
    case .exchangeMTURequest: if let mtu = attribute.number(at: 0) { clientMTU.add(mtu) }
    case .exchangeMTUResponse: if let mtu = attribute.number(at: 0) { serverMTU.add("\(mtu)") }
    case .readByGroupTypeResponse:
      guard let length = attribute[at: 0].map(Int.init), length == 6 || length == 20 else { return }
      handlePackets += 1
      var rest = attribute.from(1)
      while rest.count >= length, let handle = rest.number(at: 0) {
        handles[handle] = BluetoothUUID(littleEndian: rest.from(4).prefix(length - 4))
        rest = rest.dropFirst(length)
      }
    default: break
    }
  }

  var observations: [Observation] {
    var whole = self
    whole.beginCapture()
    return whole.ended
  }

  private var ended: [Observation] {
    var first = Tally<String>()
    for (parameters, count) in given.counts { first.add(parameters.text, count) }
    return first.observations("first link parameters") + answers.observations("parameters asked by a peer")
      + serverMTU.observations("MTU as a server") + steps.observations
  }

  /// The services of iOS itself; all others belong to apps.
  private static let own = Set(RuleSet.newest.ownHandles.value.services.map(\.uuid))

  var measurements: [Measurement] {
    var found: [Measurement] = []
    let sleeping = asleep.most
    let awake = listened.most { $0 != sleeping?.value } ?? listened.most
    for case (let name, let most?) in [("connectionScan", awake), ("sleepConnectionScan", sleeping)] {
      let times = most.value.map { RuleContent.milliseconds(Double($0) * 0.625) }
      found.append(
        Measurement(name, .fields([.init("interval", times[0]), .init("window", times[1])]), packets: most.count))
    }
    if let most = requested.most {
      found.append(
        Measurement(
          "requestedLink",
          .fields([
            .init("minimum", .milliseconds(Double(most.value.least) * 1.25)),
            .init("maximum", .milliseconds(Double(most.value.most) * 1.25)),
            .init("latency", .number(Int(most.value.latency))),
            .init("timeout", .milliseconds(Double(most.value.timeout) * 10)),
          ]), packets: most.count))
    }
    if let most = chosen.most {
      found.append(Measurement("connectionInterval", .milliseconds(Double(most.value) * 1.25), packets: most.count))
    }
    if let most = clientMTU.most { found.append(Measurement("clientMTU", .number(most.value), packets: most.count)) }
    let own = handles.filter { Self.own.contains($0.value) }
    if !own.isEmpty {
      found.append(
        Measurement(
          "ownHandles", .fields(own.sorted { $0.key < $1.key }.map { .init("\($0.value)", .number($0.key)) }),
          packets: handlePackets))
    }
    return found
  }
}

extension HCIConnectionParameters {
  /// The parameters without the length of events.
  fileprivate var withoutEvents: Self { Self(least: least, most: most, latency: latency, timeout: timeout) }

  /// `10 to 30 ms, latency 0, 720 ms`
  fileprivate var text: String {
    let times = least == most ? [least] : [least, most]
    let interval = times.map { RuleContent.text(Double($0) * 1.25) }.joined(separator: " to ")
    return "\(interval) ms, latency \(latency), \(Int(timeout) * 10) ms"
  }

  fileprivate var brokenRule: String? {
    AccessoryLinkRules.broken(minimum: Int(least), maximum: Int(most), latency: Int(latency), timeout: Int(timeout))
  }
}
