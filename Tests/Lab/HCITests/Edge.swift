import BleperaBluetooth
import BleperaHCIProtocol
import BleperaHost

@testable import BleperaAir
@testable import BleperaHCI

/// Two controllers on an air with a clock of its own. Actions are carried out in the strictest order: what one causes
/// reaches the hosts before the next.
struct Edge {
  struct Side {
    let adapter: AdapterID
    var controller: HCIController
    var advertisements: [UInt8: AdvertisementID] = [:]
    /// The packets that were sent to the host, without the octet of H4.
    var packets: [(time: Duration, bytes: [UInt8])] = []
  }

  private(set) var air = VirtualAir(seed: 1)
  private(set) var now = Duration.zero
  var sides: [Side] = []
  private var lastAdvertisement = 0
  private var events: [AirEvent] = []

  init(isLegacy: Bool = false) {
    for number in 0..<2 {
      let adapter = AdapterID(number)
      run(.added(adapter, .controller(address: Self.address(number), name: "host \(number)")))
      sides.append(
        Side(
          adapter: adapter,
          controller: HCIController(address: Self.address(number), isLegacy: isLegacy, seed: UInt64(number))))
      command(number, 0x0C01, LittleEndian.bytes(UInt64.max))
      command(number, 0x2001, LittleEndian.bytes(UInt64.max))
    }
  }

  static func address(_ side: Int) -> DeviceAddress { DeviceAddress(bits: 0x00AA_0100_0000 + UInt64(side)) }

  /// Returns the status.
  @discardableResult
  mutating func command(_ side: Int, _ opcode: UInt16, _ parameters: [UInt8] = []) -> UInt8 {
    let bytes = LittleEndian.bytes(opcode) + [UInt8(parameters.count)] + parameters
    let outputs = sides[side].controller.receive(H4Reader.Packet(kind: .command, bytes: bytes), at: now)
    let answer = outputs.events.first { $0[0] == 0x0E || $0[0] == 0x0F }
    carryOut(outputs, side)
    return answer.map { $0[0] == 0x0E ? $0[5] : $0[2] } ?? 0xFF
  }

  /// - Parameter packet: with its octet of H4.
  mutating func send(_ side: Int, _ packet: [UInt8]) {
    guard let kind = HCIPacketKind(rawValue: packet[0]) else { return }
    carryOut(
      sides[side].controller.receive(H4Reader.Packet(kind: kind, bytes: Array(packet.dropFirst())), at: now), side)
  }

  /// When the air or a controller is due.
  var deadline: Duration? { ([air.nextDeadline] + sides.map(\.controller.deadline)).compactMap(\.self).min() }

  /// The packets sent to the host since the last call.
  mutating func take(_ side: Int) -> [[UInt8]] {
    defer { sides[side].packets = [] }
    return sides[side].packets.map(\.bytes)
  }

  /// Waits for a legacy advertisement of the other side.
  mutating func connect(_ side: Int) {
    command(
      side, 0x200D,
      [0x10, 0, 0x10, 0, 0] + LittleEndian.bytes(Self.address(1 - side)) + [0, 24, 0, 40, 0, 0, 0, 72, 0, 0, 0, 0, 0])
  }

  mutating func wait(_ duration: Duration) {
    let end = now + duration
    while let next = deadline, next <= end {
      now = max(now, next)
      run(.tick)
      for side in sides.indices where sides[side].controller.deadline.map({ $0 <= now }) == true {
        carryOut(sides[side].controller.tick(at: now), side)
      }
    }
    now = end
    run(.tick)
  }

  mutating func run(_ event: AirEvent) {
    events.append(event)
    guard events.count == 1 else { return }
    while let event = events.first {
      for action in air.handle(event, at: now) { take(action) }
      events.removeFirst()
    }
  }

  private mutating func take(_ action: AirAction) {
    switch action {
    case .linkLayer(let adapter, .received(let report)):
      carryOut(sides[adapter.number].controller.received(report, at: now), adapter.number)
    case .linkLayer(let adapter, .advertisementReleased(let id, let count)):
      let side = adapter.number
      guard let set = sides[side].advertisements.first(where: { $0.value == id })?.key else { return }
      carryOut(sides[side].controller.released(set, after: count, at: now), side)
    case .linkLayer(let adapter, .connected(let id, let opening)):
      let side = adapter.number
      let set = sides[side].advertisements.first { $0.value == opening.advertisement }?.key
      carryOut(
        sides[side].controller.connected(
          id, to: opening.peer, from: opening.own, opening.parameters, set: set, at: now), side)
    case .linkLayer(let adapter, .link(let id, let notice)):
      carryOut(sides[adapter.number].controller.notice(notice, of: id, at: now), adapter.number)
    default: break
    }
  }

  private mutating func carryOut(_ outputs: [HCIController.Output], _ side: Int) {
    let adapter = sides[side].adapter
    for output in outputs {
      switch output {
      case .send(let packet): sides[side].packets.append((now, Array(packet.dropFirst())))
      case .scan(let window): run(.linkLayer(adapter, .scan(window)))
      case .attempt(let attempt): run(.linkLayer(adapter, .attempt(attempt)))
      case .link(let id, let request): run(.linkLayer(adapter, .link(id, request)))
      case .dataLength(let length): run(.linkLayer(adapter, .dataLength(length)))
      case .withdraw(let set):
        if let id = sides[side].advertisements[set] { run(.linkLayer(adapter, .withdraw(id))) }
      case .replacePackets(let set, let packets):
        if let id = sides[side].advertisements[set] { run(.linkLayer(adapter, .replacePackets(id, packets))) }
      case .advertise(let set, let packets, let lifetime, let events):
        lastAdvertisement += 1
        let id = AdvertisementID(lastAdvertisement)
        sides[side].advertisements[set] = id
        run(.linkLayer(adapter, .advertise(id, packets, lifetime: lifetime, events: events)))
      }
    }
  }
}
