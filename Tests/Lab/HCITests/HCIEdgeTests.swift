import BleperaBluetooth
import BleperaHCIProtocol
import BleperaHost
import Testing

@testable import BleperaAir
@testable import BleperaHCI

@Suite("Two hosts at the edge of one air")
struct HCIEdgeTests {
  /// LE Set Extended Advertising Parameters, with an interval of 1.28 s.
  private static func set(_ handle: UInt8, ownType: UInt8 = 0, peer: DeviceAddress = Edge.address(9)) -> [UInt8] {
    [handle, 0x12, 0, 0x00, 0x08, 0, 0x00, 0x08, 0, 7, ownType] + LittleEndian.bytes(peer)
      + [0, 0x7F, 1, 0, 1, 0, 0]
  }

  private static let legacyParameters: [UInt8] =
    [0x00, 0x08, 0x00, 0x08, 0, 0] + LittleEndian.bytes(Edge.address(9)) + [7, 0]

  private static func legacyData(_ bytes: [UInt8]) -> [UInt8] {
    [UInt8(bytes.count)] + bytes + [UInt8](repeating: 0, count: 31 - bytes.count)
  }

  // MARK: Order

  @Test("The answer to a command comes before the connection that the command makes", arguments: [false, true])
  func connection(isExtended: Bool) {
    var edge = Edge()
    edge.connect(0)
    if isExtended {
      edge.command(1, 0x2036, [1, 0x13, 0] + Self.set(1).dropFirst(3))
      _ = edge.take(1)
      #expect(edge.command(1, 0x2039, [1, 1, 1, 0, 0, 0]) == 0)
      edge.wait(.milliseconds(4))
      #expect(edge.take(1).map { $0[0] == 0x3E ? $0[2] : $0[0] } == [0x0E, 0x0A, 0x12])
    } else {
      _ = edge.take(1)
      #expect(edge.command(1, 0x200A, [1]) == 0)
      edge.wait(.milliseconds(4))
      #expect(edge.take(1).map { $0[0] == 0x3E ? $0[2] : $0[0] } == [0x0E, 0x0A])
    }
  }

  @Test("The answer to Disconnect comes before the end, also where the central takes no packets")
  func end() {
    var edge = Edge()
    edge.connect(0)
    edge.command(1, 0x200A, [1])
    edge.wait(.seconds(1))
    edge.run(.between(AdapterID(0), AdapterID(1), PairConditions(isStalled: true)))
    _ = edge.take(1)
    #expect(edge.command(1, 0x0406, [0x40, 0, 0x13]) == 0)
    #expect(edge.take(1).map { $0[0] } == [0x0F, 0x05])
  }

  // MARK: Schedules

  private static let legacy: [(UInt16, [UInt8])] = [(0x2006, legacyParameters), (0x200A, [1])]
  private static let extended: [(UInt16, [UInt8])] = [(0x2036, set(1)), (0x2039, [1, 1, 1, 0, 0, 0])]

  @Test(
    "New data is sent in the events of an unchanged schedule: at 0, 1.28 and 2.56 s",
    arguments: [
      (legacy, 0x2008, legacyData([2, 1, 6])), (legacy, 0x2009, legacyData([2, 1, 6])), (legacy, 0x200A, [1]),
      (extended, 0x2037, [1, 3, 1, 3, 2, 1, 6]), (extended, 0x2038, [1, 3, 1, 3, 2, 1, 6]),
      (extended, 0x2035, [1, 1, 2, 3, 4, 5, 0xC6]),
    ] as [([(UInt16, [UInt8])], UInt16, [UInt8])])
  func schedule(start: [(UInt16, [UInt8])], opcode: UInt16, parameters: [UInt8]) {
    var edge = Edge()
    edge.command(0, 0x200B, [1, 0x10, 0, 0x10, 0, 0, 0])
    edge.command(0, 0x200C, [1, 0])
    _ = edge.take(0)
    for (opcode, parameters) in start { #expect(edge.command(1, opcode, parameters) == 0) }
    for _ in 0..<14 {
      edge.wait(.milliseconds(200))
      #expect(edge.command(1, opcode, parameters) == 0)
    }
    // An active scan reports the event and its response.
    let times = Set(edge.sides[0].packets.filter { $0.bytes.starts(with: [0x3E]) }.map(\.time)).sorted()
    #expect(times.count == 3)
    for (number, time) in times.enumerated() {
      // Each event is up to 10 ms late, and its packets and the exchange take up to 4 ms.
      let interval = Duration.milliseconds(1280 * number)
      #expect((interval...interval + .milliseconds(10 * number + 4)).contains(time))
    }
  }

  // MARK: Ends

  /// The change of a set while it is on the air.
  enum Change: CaseIterable {
    case nothing, data, response, randomAddress, privateAddress
  }

  @Test("A set ends after its time or its events, whatever its host changes meanwhile", arguments: Change.allCases)
  func ends(change: Change) {
    for (limit, reason, count) in [(0, 0x3C, 5), (3, 0x43, 3), (200, 0x3C, 5)] as [(UInt8, UInt8, UInt8)] {
      var edge = Edge()
      let peer = DeviceAddress(bits: 0x0001_0203_0405)
      edge.command(1, 0x2027, LittleEndian.bytes(peer) + [UInt8](1...16) + [UInt8](21...36))
      edge.command(1, 0x202D, [1])
      edge.command(1, 0x202E, [1, 0])
      edge.command(1, 0x2036, Self.set(1, ownType: change == .privateAddress ? 2 : 0, peer: peer))
      // 6 s
      #expect(edge.command(1, 0x2039, [1, 1, 1, 0x58, 0x02, limit]) == 0)
      edge.wait(.milliseconds(300))
      let status: UInt8? =
        switch change {
        case .nothing, .privateAddress: nil
        case .data: edge.command(1, 0x2037, [1, 3, 1, 3, 2, 1, 6])
        case .response: edge.command(1, 0x2038, [1, 3, 1, 3, 2, 1, 6])
        case .randomAddress: edge.command(1, 0x2035, [1, 1, 2, 3, 4, 5, 0xC6])
        }
      #expect(status ?? 0 == 0)
      let address = edge.air.advertised(by: AdapterID(1)).first?.address
      edge.wait(.milliseconds(1500))
      // The resolver has another one every second.
      #expect((edge.air.advertised(by: AdapterID(1)).first?.address != address) == (change == .privateAddress))
      _ = edge.take(1)
      edge.wait(.milliseconds(4199))
      #expect(edge.take(1).isEmpty == (limit != 3))
      edge.wait(.milliseconds(1))
      guard limit != 3 else { continue }
      #expect(edge.take(1) == [[0x3E, 6, 0x12, reason, 1, 0, 0, count]])
      #expect(edge.air.advertised(by: AdapterID(1)).isEmpty)
    }
  }

  @Test("A set of five events ends with the fifth, and says so")
  func events() {
    var edge = Edge()
    edge.command(1, 0x2036, Self.set(1))
    #expect(edge.command(1, 0x2039, [1, 1, 1, 0, 0, 5]) == 0)
    _ = edge.take(1)
    edge.wait(.milliseconds(4 * 1280 - 1))
    edge.command(1, 0x2037, [1, 3, 1, 3, 2, 1, 6])
    #expect(edge.take(1).map { $0[0] } == [0x0E])
    edge.wait(.milliseconds(50))
    #expect(edge.take(1) == [[0x3E, 6, 0x12, 0x43, 1, 0, 0, 5]])
  }

  // MARK: Links

  @Test("Parameters of the host that nobody has asked change nothing, in either role", arguments: [0, 1])
  func unasked(side: Int) throws {
    var edge = Edge()
    edge.connect(0)
    edge.command(1, 0x200A, [1])
    edge.wait(.seconds(1))
    for side in 0..<2 { _ = edge.take(side) }
    // An interval of 500 ms.
    let reply: [UInt8] = [0x40, 0, 0x90, 1, 0x90, 1, 0, 0, 0xC8, 0, 0, 0, 0, 0]
    #expect(edge.command(side, 0x2020, reply) == HCIError.commandDisallowed.rawValue)
    #expect(edge.command(side, 0x2021, [0x40, 0, 0x3B]) == HCIError.commandDisallowed.rawValue)
    edge.wait(.seconds(2))
    #expect(edge.take(1 - side).isEmpty)
    #expect(edge.air.connections.values.first?.parameters.interval == .milliseconds(30))
  }

  @Test(
    "A request for parameters that crosses an update has one answer: the update, or a refusal where it came later",
    arguments: [([0, 1], [0x23, 0]), ([1, 0], [0])] as [([Int], [UInt8])])
  func crossing(order: [Int], statuses: [UInt8]) {
    var edge = Edge()
    edge.connect(0)
    edge.command(1, 0x200A, [1])
    edge.wait(.seconds(1))
    let slower: [UInt8] = [0x40, 0, 48, 0, 48, 0, 0, 0, 72, 0, 0, 0, 0, 0]
    for side in 0..<2 { _ = edge.take(side) }
    for side in order { #expect(edge.command(side, 0x2013, slower) == 0) }
    for side in order { #expect(edge.command(side, 0x2013, slower) == HCIError.commandDisallowed.rawValue) }
    edge.wait(.seconds(2))
    // LE Connection Update Complete, with its status.
    #expect(edge.take(0).dropFirst(2).map { Array($0[2...3]) } == [[3, 0]])
    #expect(edge.take(1).dropFirst(2).map { Array($0[2...3]) } == statuses.map { [3, $0] })
    for side in 0..<2 { #expect(edge.command(side, 0x2013, slower) == 0) }
  }

  @Test("300,000 commands for a link leave nothing behind", .timeLimit(.minutes(5)))
  func growth() throws {
    var edge = Edge()
    edge.connect(0)
    edge.command(1, 0x200A, [1])
    edge.wait(.seconds(1))
    // An interval of 1 s.
    edge.command(0, 0x2013, [0x40, 0, 0x20, 3, 0x20, 3, 0, 0, 0x20, 3, 0, 0, 0, 0])
    edge.wait(.seconds(2))
    let commands: [(UInt16, [UInt8])] = [
      (0x2016, []), (0x041D, []), (0x2013, [0x20, 3, 0x20, 3, 0, 0, 0x20, 3, 0, 0, 0, 0]),
      (0x2022, [100, 0, 0x90, 0x03]), (0x2019, [UInt8](1...26)),
    ]
    for round in 0..<30_000 {
      for (opcode, rest) in commands { for side in 0..<2 { edge.command(side, opcode, [0x40, 0] + rest) } }
      if round % 100 == 0 { for side in 0..<2 { _ = edge.take(side) } }
      let link = try #require(edge.air.connections.values.first)
      guard link.sent.count + link.held.count + (link.encryption?.held.count ?? 0) < 20 else {
        Issue.record("\(link.sent.count) packets wait in round \(round)")
        return
      }
    }
    for _ in 0..<3 { edge.command(0, 0x0406, [0x40, 0, 0x13]) }
    edge.wait(.seconds(60))
    #expect(edge.air.connections.isEmpty)
  }
}
