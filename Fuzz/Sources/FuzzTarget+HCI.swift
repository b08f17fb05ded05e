import BleperaBluetooth
import BleperaHCIProtocol

@testable import BleperaAir
@testable import BleperaHCI
@testable import BleperaHost

extension FuzzTarget {
  /// Two hosts at the edge of an air with a phone. The first is connected to the phone and the second to the first,
  /// unless the input ends a connection. An input is a list of packets and other actions of the hosts.
  static let hci = FuzzTarget("hci") { bytes in
    var session = HCISession()
    var input = ByteReader(bytes)
    while !input.isAtEnd { session.play(&input) }
    session.end()
  }

  /// PDUs that the first host sends to the phone's server, each after the response to the PDU before.
  static let att = FuzzTarget("att") { bytes in
    var session = HCISession()
    var input = ByteReader(bytes)
    while !input.isAtEnd { session.data(0, L2CAPFrame.attributes, input.list()) }
    session.end()
  }

  /// Frames and fragments that the first host sends to the phone, for signaling and for the channels that it opens.
  static let l2cap = FuzzTarget("l2cap") { bytes in
    var session = HCISession()
    var input = ByteReader(bytes)
    while !input.isAtEnd {
      let kind = input.byte()
      switch kind & 3 {
      case 0: session.data(0, L2CAPFrame.signaling, input.list())
      case 1: session.data(0, 0x40 + UInt16(kind >> 2 & 7), input.list())
      case 2: session.fragment(0, isStart: kind & 4 == 0, input.list())
      default: session.write(input.list())
      }
    }
    session.end()
  }
}

/// Controllers on an air with its own clock.
private struct HCISession {
  private static let phone = AdapterID(0)
  private static let service = PublishedService(
    uuid: BluetoothUUID(0x180D as UInt16),
    characteristics: [
      PublishedCharacteristic(index: 0, uuid: BluetoothUUID(0x2A37 as UInt16), flags: [.read, .write, .notify]),
      PublishedCharacteristic(index: 1, uuid: BluetoothUUID(0x2A38 as UInt16), flags: [.read, .indicate]),
    ])

  private var air = VirtualAir(seed: 1)
  private var now = Duration.zero
  private var hosts: [Host] = []
  /// The events that the air has to handle; the first is being handled.
  private var events: [AirEvent] = []
  /// The phone's ends of channels that may have input.
  private var changed: [ChannelEnd] = []

  private struct Host {
    let adapter: AdapterID
    let address: UInt64
    var controller: HCIController
    var reader = H4Reader()
    /// The command that has no response yet.
    var command: (opcode: UInt16, parameters: [UInt8])?
    /// The times at which advertising sets with a duration have to end.
    var ends: [UInt8: Duration] = [:]
    var advertisements: [UInt8: AdvertisementID] = [:]
    var lastAdvertisement = 0
    /// An upper bound of the number of ACL packets that were sent and not yet completed.
    var sent = 0
    /// The reassembler of fragments from the phone.
    var reassembler = L2CAPReassembler()
  }

  init() {
    run(
      .added(
        Self.phone, AdapterDescription(address: DeviceAddress(bits: 0x00AA_0100_0000), name: "phone")))
    run(.host(Self.phone, .capability(.noInputNoOutput)))
    run(.host(Self.phone, .publish(ApplicationID(1), [Self.service])))
    run(.host(Self.phone, .publishChannel(L2CAPPSM(rawValue: 0x80), isEncrypted: false)))
    run(
      .linkLayer(
        Self.phone, .advertise(AdvertisementID(1), AdvertisingPackets(data: [2, 1, 6], interval: .milliseconds(100)))))
    for number in 1...2 {
      let address = DeviceAddress(bits: 0x00AA_0100_0000 + UInt64(number))
      hosts.append(
        Host(
          adapter: AdapterID(number), address: address.bits,
          controller: HCIController(address: address, seed: UInt64(number))))
      run(.added(AdapterID(number), .controller(address: address, name: "host \(number)")))
      start(number - 1)
    }
    command(0, 0x200A, [1])
    connect(1, to: hosts[0].address)
    connect(0, to: 0x00AA_0100_0000)
  }

  private mutating func start(_ host: Int) {
    command(host, 0x0C03, [])
    command(host, 0x0C01, [UInt8](repeating: 0xFF, count: 8))
    command(host, 0x2001, [UInt8](repeating: 0xFF, count: 8))
  }

  /// Puts a set on the air for a duration in units of 10 ms; 0 for no limit.
  private mutating func advertise(_ host: Int, for duration: UInt8) {
    command(
      host, 0x2036,
      [1, 0x13, 0, 0x20, 0, 0, 0x20, 0, 0, 7, 0, 0] + [UInt8](repeating: 0, count: 6) + [0, 0x7F, 1, 0, 1, 0, 0])
    command(host, 0x2039, [1, 1, 1, duration, 0, 0])
  }

  private mutating func connect(_ host: Int, to address: UInt64) {
    let peer = (0..<6).map { UInt8(truncatingIfNeeded: address >> (8 * $0)) }
    command(host, 0x200D, [0x10, 0, 0x10, 0, 0, 0] + peer + [0, 6, 0, 6, 0, 0, 0, 100, 0, 0, 0, 0, 0])
    wait(.seconds(2))
  }

  private mutating func command(_ host: Int, _ opcode: UInt16, _ parameters: [UInt8]) {
    receive([1, UInt8(truncatingIfNeeded: opcode), UInt8(opcode >> 8), UInt8(parameters.count)] + parameters, host)
  }

  // MARK: The input

  mutating func play(_ input: inout ByteReader) {
    let kind = input.byte()
    let host = Int(kind >> 7)
    switch kind & 0x0F {
    case 0: wait(.milliseconds(Int(input.byte()) * 10))
    case 1: receive(input.list(), host)
    case 2: command(host, UInt16(input.byte()) | UInt16(input.byte()) << 8, input.list())
    case 3: data(host, L2CAPFrame.attributes, input.list())
    case 4: data(host, L2CAPFrame.signaling, input.list())
    case 5: data(host, L2CAPFrame.security, input.list())
    // The input has a fragment with its handle and flags.
    case 6: receive([2, input.byte(), input.byte()] + lengthAndBytes(input.list()), host)
    case 7:
      run(
        .host(
          Self.phone, .updateValue(ApplicationObject(ApplicationID(1), Int(input.byte()) & 1), input.list(), to: nil)))
    case 8: run(.host(Self.phone, .disconnect(air.connections.keys.min() ?? ConnectionID(0))))
    // The hosts scan for and connect to each other, which random commands seldom do.
    case 9: connect(host, to: hosts[1 - host].address)
    case 10: command(host, 0x200A, [1])
    case 11: advertise(host, for: input.byte())
    case 12: start(host)
    case 13: run(.between(hosts[0].adapter, hosts[1].adapter, PairConditions(isStalled: input.flag())))
    case 14: command(host, 0x0406, [0x40 + (input.byte() & 1), 0, 0x13])
    default: wait(.milliseconds(10))
    }
  }

  private func lengthAndBytes(_ bytes: [UInt8]) -> [UInt8] { [UInt8(bytes.count), 0] + bytes }

  mutating func data(_ host: Int, _ channel: UInt16, _ payload: [UInt8]) {
    let frame = L2CAPFrame(channel: channel, payload: payload)
    for (isStart, bytes) in frame.fragments(of: 251) {
      receive([2, 0x40, isStart ? 0x00 : 0x10] + lengthAndBytes(bytes), host)
    }
    wait(.milliseconds(15))
  }

  mutating func fragment(_ host: Int, isStart: Bool, _ bytes: [UInt8]) {
    receive([2, 0x40, isStart ? 0x00 : 0x10] + lengthAndBytes(bytes), host)
    wait(.milliseconds(15))
  }

  /// The phone's ends of channels.
  private var channels: [ChannelEnd] {
    (air.hosts[Self.phone]?.channels.keys ?? [:].keys).sorted { ($0.link, $0.number) < ($1.link, $1.number) }
  }

  /// The phone's app writes to every channel.
  mutating func write(_ bytes: [UInt8]) {
    for end in channels { run(.host(Self.phone, .writeChannel(end, bytes))) }
    wait(.milliseconds(15))
  }

  private mutating func receive(_ bytes: [UInt8], _ host: Int) {
    hosts[host].reader.append(bytes)
    do throws(H4Reader.Fault) {
      while let packet = try hosts[host].reader.next() {
        if packet.kind == .acl { hosts[host].sent += 1 }
        if packet.kind == .command {
          hosts[host].command = (LittleEndian.number(packet.bytes[..<2]), Array(packet.bytes.dropFirst(3)))
        }
        carryOut(hosts[host].controller.receive(packet, at: now), host)
        require(hosts[host].command == nil, "each command is answered")
      }
    } catch {
      hosts[host].reader = H4Reader()
      hosts[host].ends = [:]
      carryOut(hosts[host].controller.fail(at: now), host)
    }
  }

  // MARK: The air

  private mutating func wait(_ duration: Duration) {
    let end = now + duration
    while true {
      let deadlines = [air.nextDeadline] + hosts.map(\.controller.deadline)
      guard let next = deadlines.compactMap({ $0 }).min(), next <= end else { break }
      now = max(now, next)
      run(.tick)
      for host in hosts.indices where hosts[host].controller.deadline.map({ $0 <= now }) == true {
        carryOut(hosts[host].controller.tick(at: now), host)
      }
    }
    now = end
    run(.tick)
    for host in hosts.indices {
      require(hosts[host].ends.values.allSatisfy { $0 > now }, "a set with a duration ends in time")
      hosts[host].ends = hosts[host].ends.filter { $0.value > now }
    }
  }

  /// Handles an event. Events that it causes are handled after it, as in `SharedAir`.
  private mutating func run(_ event: AirEvent) {
    events.append(event)
    guard events.count == 1 else { return }
    while let event = events.first {
      for action in air.handle(event, at: now) { take(action) }
      events.removeFirst()
    }
    // The app reads after all events were handled.
    let ends = changed
    changed = []
    for end in ends {
      guard let bytes = air.channelInput(end, of: Self.phone, upTo: 100), !bytes.isEmpty else { continue }
      run(.host(Self.phone, .readChannel(end, count: bytes.count)))
    }
  }

  private mutating func take(_ action: AirAction) {
    switch action {
    case .linkLayer(let adapter, .received(let report)):
      if let host = host(adapter) { carryOut(hosts[host].controller.received(report, at: now), host) }
    case .linkLayer(let adapter, .advertisementReleased(let id, let count)):
      guard let host = host(adapter), let set = hosts[host].advertisements.first(where: { $0.value == id })?.key
      else { return }
      hosts[host].advertisements[set] = nil
      carryOut(hosts[host].controller.released(set, after: count, at: now), host)
      forgetMaskedEnd(of: set, host)
    case .linkLayer(let adapter, .connected(let id, let opening)):
      guard let host = host(adapter) else { return }
      let set = hosts[host].advertisements.first { $0.value == opening.advertisement }?.key
      if let set { hosts[host].advertisements[set] = nil }
      carryOut(
        hosts[host].controller.connected(
          id, to: opening.peer, from: opening.own, opening.parameters, set: opening.isCentral ? nil : set ?? 0xFF,
          at: now), host)
      if let set { forgetMaskedEnd(of: set, host) }
    case .linkLayer(let adapter, .link(let id, let notice)):
      if let host = host(adapter) { carryOut(hosts[host].controller.notice(notice, of: id, at: now), host) }
    // The application answers at once.
    case .host(let adapter, .read(let request, _, _)): run(.host(adapter, .respond(request, .success([1, 2, 3]))))
    case .host(let adapter, .write(let request?, _, _, _)), .host(let adapter, .preparedWrite(let request, _, _)):
      run(.host(adapter, .respond(request, .success([]))))
    case .host(let adapter, .pairingRequest(let id, let question)):
      if case .show = question { return }
      run(.host(adapter, .respondToPairing(id, .yes)))
    case .host(Self.phone, .channelChanged(let end)): changed.append(end)
    default: break
    }
  }

  private func host(_ adapter: AdapterID) -> Int? { hosts.firstIndex { $0.adapter == adapter } }

  /// Performs outputs of a controller. Their effects reach the hosts before the next output.
  private mutating func carryOut(_ outputs: [HCIController.Output], _ host: Int) {
    let adapter = hosts[host].adapter
    for output in outputs {
      switch output {
      case .send(let packet): check(packet, host)
      case .scan(let window): run(.linkLayer(adapter, .scan(window)))
      case .attempt(let attempt): run(.linkLayer(adapter, .attempt(attempt)))
      case .link(let id, let request): run(.linkLayer(adapter, .link(id, request)))
      case .dataLength(let length): run(.linkLayer(adapter, .dataLength(length)))
      case .withdraw(let set):
        if let id = hosts[host].advertisements[set] { run(.linkLayer(adapter, .withdraw(id))) }
        hosts[host].advertisements[set] = nil
      case .replacePackets(let set, let packets):
        if let id = hosts[host].advertisements[set] { run(.linkLayer(adapter, .replacePackets(id, packets))) }
      case .advertise(let set, let packets, let lifetime, let events):
        hosts[host].lastAdvertisement += 1
        let id = AdvertisementID(hosts[host].lastAdvertisement * 2 + host + 2)
        hosts[host].advertisements[set] = id
        run(.linkLayer(adapter, .advertise(id, packets, lifetime: lifetime, events: events)))
      }
    }
  }

  // MARK: Properties

  private mutating func check(_ packet: [UInt8], _ host: Int) {
    var reader = H4Reader()
    reader.append(packet)
    require((try? reader.next()).map { $0?.bytes.count == packet.count - 1 } == true, "a packet is one of H4")
    if let command = hosts[host].command {
      let number = LittleEndian.bytes(command.opcode)
      let isComplete = packet.starts(with: [4, 0x0E]) && packet[4...].starts(with: number)
      let isAnswer = isComplete || packet.starts(with: [4, 0x0F]) && packet[5...].starts(with: number)
      require(isAnswer, "an answer comes before what it causes")
      hosts[host].command = nil
      if isComplete, packet[6] == 0 { performed(command.opcode, command.parameters, host) }
    }
    if packet.starts(with: [2]) { return check(fragment: packet, host) }
    // LE Advertising Set Terminated
    if packet.starts(with: [4, 0x3E, 6, 0x12]) { hosts[host].ends[packet[5]] = nil }
    guard packet.starts(with: [4, 0x13]) else { return }
    hosts[host].sent -= 1
    require(hosts[host].sent >= 0, "no more packets return than were sent")
  }

  /// Follows a command that ends sets, or sets the times at which they end.
  private mutating func performed(_ opcode: UInt16, _ parameters: [UInt8], _ host: Int) {
    if opcode == 0x0C03 { hosts[host].ends = [:] }
    // LE Set Extended Advertising Enable: each set has four octets, with a duration in units of 10 ms.
    guard opcode == 0x2039 else { return }
    if parameters[1] == 0 { hosts[host].ends = [:] }
    for place in 0..<Int(parameters[1]) {
      let set = parameters[(2 + 4 * place)...].prefix(4)
      let duration: UInt16 = LittleEndian.number(set.dropFirst().prefix(2))
      hosts[host].ends[set[set.startIndex]] =
        parameters[0] == 1 && duration > 0 ? now + .milliseconds(Int(duration) * 10) : nil
    }
  }

  /// Drops the end of a set if a mask has hidden the event from the host.
  private mutating func forgetMaskedEnd(of set: UInt8, _ host: Int) {
    if !hosts[host].controller.passes(HCISetTerminated.code) { hosts[host].ends[set] = nil }
  }

  /// Checks a fragment from the phone; fragments of the other host have bytes of the input.
  private mutating func check(fragment packet: [UInt8], _ host: Int) {
    guard host == 0, packet[1] == 0x41 || packet[1] == 0x40, hosts.count == 2 else { return }
    guard let id = air.connection(between: Self.phone, and: hosts[0].adapter)?.id,
      packet[1] == hosts[0].controller.links.handle(of: id).map({ UInt8(truncatingIfNeeded: $0) })
    else { return }
    let frame = hosts[0].reassembler.receive(Array(packet[5...]), isStart: packet[2] & 0x30 == 0x20)
    guard let frame, let mtu = air.hosts[Self.phone]?.links[id]?.mtu else { return }
    switch frame.channel {
    case L2CAPFrame.attributes:
      require(frame.payload.count <= max(mtu, 23), "a PDU is no longer than the MTU")
      require((try? ATTPDU(frame.payload)) != nil, "the phone sends PDUs of ATT")
    case L2CAPFrame.signaling: require(L2CAPSignal(frame.payload) != nil, "the phone sends signals")
    default: break
    }
  }

  mutating func end() {
    for host in hosts.indices {
      // The input may end within a packet.
      hosts[host].reader = H4Reader()
      command(host, 0x0C03, [])
    }
    wait(.seconds(40))
    require(air.connections.isEmpty, "after Reset no connection is left")
    for end in channels { run(.host(Self.phone, .closeChannel(end))) }
    require(channels.isEmpty, "a channel ends with its connection")
  }
}
