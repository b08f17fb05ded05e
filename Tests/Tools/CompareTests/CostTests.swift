import BleperaBluetooth
import BleperaRules
import TestSupport
import Testing

@testable import BleperaCompare

@Suite("The time and memory of a comparison are linear in the packets, whoever made them")
struct CostTests {
  typealias Source = @Sendable (Int) -> CapturedPacket

  private static func command(_ opcode: UInt16, _ parameters: [UInt8], at time: Int64 = 0) -> CapturedPacket {
    let bytes = LittleEndian.bytes(opcode) + [UInt8(parameters.count)] + parameters
    return CapturedPacket(
      number: 0, time: time, content: .hci(HCIPacket(kind: .command, isReceived: false, bytes: bytes)))
  }

  private static func event(_ bytes: [UInt8]) -> CapturedPacket {
    CapturedPacket(number: 0, time: 0, content: .hci(HCIPacket(kind: .event, isReceived: true, bytes: bytes)))
  }

  private static func number(_ number: Int, _ length: Int) -> [UInt8] {
    Array(LittleEndian.bytes(UInt64(number)).prefix(length))
  }

  private static let service: [UInt8] = [3, 3, 0x0D, 0x18]

  /// The parameters, the data, the start and the end of a set, one after the other.
  private static func sets(_ index: Int, _ data: [UInt8]) -> CapturedPacket {
    switch index % 4 {
    case 0: command(0x2036, [0, 0x13, 0, 0x20, 0, 0])
    case 1: command(0x2037, [0] + data)
    case 2: command(0x2039, [1, 1, 0, 0, 0, 0], at: Int64(index) << 20)
    default: command(0x2039, [0, 0], at: Int64(index) << 20)
    }
  }

  /// The packets of each capture, by their number, and the number of packets in the smaller capture.
  static let sources: [(name: String, count: Int, isHost: Bool, packet: Source)] = [
    (
      "addresses of strangers", 25_000, false,
      { CapturedPacket(advertisement: [2, 1, 6], of: UInt64($0) * 7919 % 0xFFFF_FFFF, signal: -60, at: 0) }
    ),
    (
      "addresses of strangers, by a clock that jumps", 25_000, false,
      {
        CapturedPacket(
          advertisement: [2, 1, 6], of: UInt64($0) * 7919 % 0xFFFF_FFFF, signal: -60, at: $0 % 2 == 0 ? 0 : 1 << 62)
      }
    ),
    (
      "addresses of the phone", 25_000, false,
      { CapturedPacket(advertisement: service, of: UInt64($0) * 7919 % 0xFFFF_FFFF, signal: -60, at: 0) }
    ),
    (
      "contents", 5000, false,
      { CapturedPacket(advertisement: service + [5, 0x16] + number($0, 4), of: 5, signal: nil, at: Int64($0) << 20) }
    ),
    (
      "links on the air", 5000, false,
      { index in
        let pdu: [UInt8] =
          [5, 34] + number(index, 6) + number(5, 6) + number(index, 4) + [UInt8](repeating: 1, count: 18)
        let air = AirPacket(
          channel: 37, signal: nil, accessAddress: AccessAddress.advertising, pdu: pdu, isCRCRight: true)
        return CapturedPacket(number: 0, time: 0, content: .air(air))
      }
    ),
    (
      "fragments of advertising data", 5000, false,
      { _ in command(0x2037, [0, 0, 1, 251] + [UInt8](repeating: 1, count: 251)) }
    ),
    ("sets that are changed and started", 5000, false, { sets($0, [3, 1, 6, 5, 0x16] + number($0, 4)) }),
    (
      // The fragments fill a set within 28 packets. A set that is still growing costs more with each packet.
      "sets that have their longest data and are started", 1000, false,
      { index in sets(index, [0, 1, 246] + (0..<41).flatMap { [5, 0x16] + number(index + $0, 4) }) }
    ),
    (
      "scans, by a clock that jumps", 5000, false,
      { index in
        switch index % 2 {
        case 0: command(0xFF42, [0, 0, 0, 0, 1, 0] + number(index, 4), at: 0)
        default: command(0xFF3E, [1], at: 1 << 62)
        }
      }
    ),
    (
      "links", 5000, false,
      { event([0x3E, 19, 1, 0] + number($0, 2) + [UInt8](repeating: 0, count: 8) + number($0, 6)) }
    ),
    ("parameters", 5000, false, { command(0x2043, [UInt8](repeating: 0, count: 10) + number($0 << 8, 12)) }),
    ("reports", 25_000, true, { event([0x3E, 0, 2, 1, 0, 1] + number($0, 6) + [4] + service + [0xC4]) }),
    (
      "adapters", 5000, true,
      {
        var packet = event([0x3E, 19, 1, 0, 0x40, 0, 1, 0] + number(5, 6) + [24, 0, 0, 0, 72, 0, 0])
        packet.adapter = $0
        return packet
      }
    ),
  ]

  private static func compare(_ packets: [CapturedPacket], isHost: Bool) {
    let selection = PhoneSelection(services: [BluetoothUUID(UInt16(0x180D))], addresses: [5])
    var comparison = CaptureComparison(selection, receiver: isHost ? .host : .sniffer)
    for packet in packets { comparison.add(packet) }
    let values = comparison.compare(with: RuleSet(.newest))
    #expect(!values.isEmpty && comparison.observations.count < 5000)
    _ = values.map { comparison.reason($0) }
  }

  @Test(arguments: sources.map(\.name))
  func `four times the packets take about four times as long`(name: String) throws {
    let source = try #require(Self.sources.first { $0.name == name })
    let packets = (0..<4 * source.count).map(source.packet)
    let growth = growth(from: source.count) { Self.compare(Array(packets.prefix($0)), isHost: source.isHost) }
    #expect(growth < 8, "\(growth)")
  }

  @Test func `lock changes without end are compared with the scenes in a time that is bounded`() throws {
    let played = try #require(
      PlayedScenes((0..<100).map { "17000000\($0 / 10)\($0 % 10) \($0 % 2 == 0 ? "lock1" : "unlock1")\n" }.joined()))
    #expect(PlayedScenes(played.text + "1800000000 end") == nil)
    var changes = LockChanges()
    for number in 0..<100_000 {
      changes.add(number % 2 == 0 ? 0x33 : 0x3B, at: 1_700_000_000_000_000_000 + Int64(number) * 1_000_000)
    }
    #expect(changes.all.count <= 1000)
    #expect(processorTime { _ = ClockOffset(of: played, in: changes) } < .seconds(10))
  }
}
