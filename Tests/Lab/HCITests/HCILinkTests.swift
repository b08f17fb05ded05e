import BleperaBluetooth
import BleperaHCIProtocol
import BleperaHost
import Testing

@testable import BleperaAir
@testable import BleperaHCI

@Suite("The connections of the controller at the air's edge")
struct HCILinkTests {
  private static let peer = DeviceAddress(bits: 0x0001_0203_0405)
  private static let own = DeviceAddress(bits: 0x00AA_0100_0005)
  private static let parameters: [UInt8] = [24, 0, 40, 0, 0, 0, 72, 0, 0, 0, 0, 0]
  private static let chosen = LinkParameters(interval: .milliseconds(30), supervisionTimeout: .milliseconds(720))
  private static let handle: [UInt8] = [0x40, 0]
  /// The number of the octets 1 to 16.
  private static let number: UInt128 = 0x100F_0E0D_0C0B_0A09_0807_0605_0403_0201

  private static func create(_ peer: DeviceAddress = peer, policy: UInt8 = 0) -> [UInt8] {
    [0x60, 0, 0x60, 0, policy] + LittleEndian.bytes(peer) + [0] + parameters
  }

  private var host = Host()

  init() {
    host.unmask()
  }

  /// Connects as a central, and drops the packets of the start.
  private mutating func connect() {
    #expect(host.send(0x200D, Self.create()).status == 0)
    _ = host.controller.connected(ConnectionID(7), to: Self.peer, from: Self.own, Self.chosen, set: nil, at: .zero)
  }

  private mutating func connectAsPeripheral() {
    #expect(host.send(0x200A, [1]).status == 0)
    _ = host.controller.connected(
      ConnectionID(7), to: Self.peer, from: Self.own, Self.chosen, set: HCIAdvertiser.legacyHandle, at: .zero)
  }

  private mutating func notice(_ notice: LinkNotice) -> [HCIController.Output] {
    host.controller.notice(notice, of: ConnectionID(7), at: .zero)
  }

  @Test(
    "A connection is made with the shortest interval, and completes with one of the two events",
    arguments: [
      (UInt64.max, [0x3E, 31, 0x0A, 0, 0x40, 0, 0] as [UInt8]), (UInt64(0x1F), [0x3E, 19, 0x01, 0, 0x40, 0, 0]),
    ])
  func create(mask: UInt64, head: [UInt8]) throws {
    var host = host
    _ = host.send(0x2001, LittleEndian.bytes(mask))
    let (status, _, outputs) = host.send(0x200D, Self.create())
    #expect(status == 0)
    guard case .attempt(let attempt?)? = outputs.first else { throw Missing() }
    #expect(attempt.peers == [Self.peer] && attempt.parameters == Self.chosen)
    #expect(attempt.address == host.controller.address)
    #expect(host.send(0x200D, Self.create()).status == HCIError.commandDisallowed.rawValue)
    let events = host.controller.connected(
      ConnectionID(7), to: Self.peer, from: Self.own, Self.chosen, set: nil, at: .zero
    ).events
    #expect(events.count == 1)
    #expect(events[0].starts(with: head) && events[0].suffix(7) == [24, 0, 0, 0, 72, 0, 0])
    #expect(host.send(0x200D, Self.create()).status == HCIError.connectionExists.rawValue)
    #expect(host.send(0x200D, Self.create(DeviceAddress(bits: 1))).status == 0)
  }

  private struct Missing: Error {}

  @Test("A host with extended commands connects in the same way")
  func createExtended() throws {
    var host = host
    let command = [0, 0] + LittleEndian.bytes(Self.peer) + [1, 0x60, 0, 0x60, 0] + Self.parameters
    let (status, _, outputs) = host.send(0x2043, command)
    #expect(status == 0)
    guard case .attempt(let attempt?)? = outputs.first else { throw Missing() }
    #expect(attempt.peers == [Self.peer] && attempt.parameters == Self.chosen)
    #expect(host.send(0x2043, command).status == HCIError.commandDisallowed.rawValue)
    #expect(host.send(0x200D, Self.create()).status == HCIError.commandDisallowed.rawValue)
    var coded = Host()
    #expect(
      coded.send(0x2043, [0, 0] + LittleEndian.bytes(Self.peer) + [4, 0x60, 0, 0x60, 0] + Self.parameters).status
        == HCIError.unsupportedFeature.rawValue)
  }

  @Test("There is room for eight connections")
  func limit() {
    var host = host
    for number in 0..<8 {
      #expect(host.send(0x200D, Self.create(DeviceAddress(bits: UInt64(number)))).status == 0)
      _ = host.controller.connected(
        ConnectionID(number), to: DeviceAddress(bits: UInt64(number)), from: Self.own, Self.chosen, set: nil, at: .zero)
    }
    #expect(host.send(0x200D, Self.create()).status == HCIError.limitExceeded.rawValue)
    _ = host.controller.notice(.ended(.hostTerminated), of: ConnectionID(3), at: .zero)
    #expect(host.send(0x200D, Self.create()).status == 0)
  }

  @Test(
    "An event of page 1 is not sent where its bit is off",
    arguments: [
      (0x05, 4, .ended(.hostTerminated)), (0x08, 7, .encrypted(isRefresh: false)), (0x0C, 11, .version),
      (0x30, 47, .encrypted(isRefresh: true)),
    ] as [(UInt8, Int, LinkNotice)])
  func masked(event: UInt8, bit: Int, notice: LinkNotice) {
    for isMasked in [false, true] {
      var test = self
      test.connect()
      _ = test.host.send(0x0C01, LittleEndian.bytes(isMasked ? ~(UInt64(1) << UInt64(bit)) : UInt64(1) << UInt64(bit)))
      #expect(test.notice(notice).events.map { $0[0] } == (isMasked ? [] : [event]))
    }
  }

  @Test("A fault and an overflow are not reported where their bits are off")
  func maskedFaults() {
    var test = self
    test.connect()
    _ = test.host.send(0x0C01, LittleEndian.bytes(~(UInt64(1) << 15 | UInt64(1) << 25)))
    let acl = H4Reader.Packet(kind: .acl, bytes: [0x40, 0x00, 1, 0, 1])
    for _ in 0...HCILinks.buffers { #expect(test.host.controller.receive(acl, at: .zero).events == []) }
    let outputs = test.host.controller.fail(at: .zero)
    #expect(outputs == [.link(ConnectionID(7), .disconnect(.poweredOff))])
  }

  @Test("A cancelled attempt completes with Unknown Connection Identifier")
  func cancel() {
    var host = host
    #expect(host.send(0x200E).status == HCIError.commandDisallowed.rawValue)
    _ = host.send(0x200D, Self.create())
    let (status, _, outputs) = host.send(0x200E)
    #expect(status == 0 && outputs.first == .attempt(nil))
    #expect(outputs.events.map { Array($0.prefix(4)) } == [[0x3E, 31, 0x0A, 0x02]])
  }

  @Test(
    "Parameters that the specification excludes are invalid",
    arguments: [
      [5, 0, 40, 0, 0, 0, 72, 0], [41, 0, 40, 0, 0, 0, 72, 0], [24, 0, 40, 0, 0xF4, 1, 72, 0],
      [24, 0, 40, 0, 0, 0, 9, 0],
      // The timeout is not longer than twice the interval.
      [24, 0, 40, 0, 0, 0, 10, 0],
    ] as [[UInt8]])
  func invalid(parameters: [UInt8]) {
    var host = host
    let command = Array(Self.create().dropLast(12)) + parameters + [0, 0, 0, 0]
    #expect(host.send(0x200D, command).status == HCIError.invalidParameters.rawValue)
  }

  @Test("A peripheral's set ends with the connection, and the host is given the set and the handle")
  func peripheral() {
    var host = host
    _ = host.send(
      0x2036,
      [3] + LittleEndian.bytes(0x13 as UInt16) + [160, 0, 0, 160, 0, 0, 7, 0, 0] + [UInt8](repeating: 0, count: 6)
        + [0, 0x7F, 1, 0, 1, 0, 0])
    _ = host.send(0x2039, [1, 1, 3, 0, 0, 0])
    let events = host.controller.connected(
      ConnectionID(7), to: Self.peer, from: Self.own, Self.chosen, set: 3, at: .zero
    ).events
    #expect(events.map { $0[2] } == [0x0A, 0x12])
    #expect(events[0][6] == 1 && events[1] == [0x3E, 6, 0x12, 0, 3, 0x40, 0, 0])
    // It can be removed, so it is not enabled.
    #expect(host.send(0x203C, [3]).status == 0)
  }

  @Test("Data goes both ways with its boundary flag, and a packet returns when it is acknowledged")
  func data() {
    var test = self
    test.connect()
    let acl = H4Reader.Packet(kind: .acl, bytes: [0x40, 0x00, 3, 0, 1, 2, 3])
    #expect(
      test.host.controller.receive(acl, at: .zero)
        == [.link(ConnectionID(7), .data(LinkData(isStart: true, [1, 2, 3])))])
    let more = H4Reader.Packet(kind: .acl, bytes: [0x40, 0x10, 1, 0, 4])
    #expect(
      test.host.controller.receive(more, at: .zero) == [.link(ConnectionID(7), .data(LinkData(isStart: false, [4])))])
    #expect(test.notice(.sent).events == [[0x13, 5, 1, 0x40, 0, 1, 0]])
    #expect(test.notice(.data(LinkData(isStart: true, [9]))) == [.send([2, 0x40, 0x20, 1, 0, 9])])
    #expect(test.notice(.data(LinkData(isStart: false, [9]))) == [.send([2, 0x40, 0x10, 1, 0, 9])])
  }

  @Test("A host that sends more than the buffers hold is given Data Buffer Overflow")
  func overflow() {
    var test = self
    test.connect()
    let acl = H4Reader.Packet(kind: .acl, bytes: [0x40, 0x00, 1, 0, 1])
    for _ in 0..<HCILinks.buffers { #expect(test.host.controller.receive(acl, at: .zero).events == []) }
    #expect(test.host.controller.receive(acl, at: .zero).events == [[0x1A, 1, 1]])
  }

  @Test(
    "Commands for a connection cause a request of the link layer, and its answer an event",
    arguments: [
      (0x0406, [0x13], .disconnect(.userTerminated), .ended(LinkEnd(rawValue: 0x16)), [0x05, 4, 0, 0x40, 0, 0x16]),
      (0x041D, [], .readVersion, .version, [0x0C, 8, 0, 0x40, 0, 0x0D, 0xFF, 0xFF, 0, 0]),
      (0x2016, [], .readFeatures, .features, [0x3E, 12, 0x04, 0, 0x40, 0, 0x7F, 0x10, 0, 0, 0, 0, 0, 0]),
      (
        0x2013, parameters, .update(chosen), .parametersChanged(chosen),
        [0x3E, 10, 0x03, 0, 0x40, 0, 24, 0, 0, 0, 72, 0]
      ),
      (
        0x2022, [100, 0, 0x90, 0x03], .setDataLength(100), .dataLength(sent: 100, received: 27),
        [0x3E, 11, 0x07, 0x40, 0, 100, 0, 0x90, 0x03, 27, 0, 0x48, 0x01]
      ),
    ] as [(UInt16, [UInt8], LinkRequest, LinkNotice, [UInt8])])
  func commands(opcode: UInt16, rest: [UInt8], request: LinkRequest, answer: LinkNotice, event: [UInt8]) {
    var test = self
    test.connect()
    let (status, _, outputs) = test.host.send(opcode, Self.handle + rest)
    #expect(status == 0)
    #expect(outputs == [.link(ConnectionID(7), request)])
    #expect(test.notice(answer).events == [event])
    #expect(test.host.send(opcode, [0x41, 0] + rest).status == HCIError.unknownConnection.rawValue)
  }

  @Test("A central encrypts once at a time, and is given the end of the procedure")
  func encryption() {
    var test = self
    test.connect()
    let key = [UInt8](1...16)
    let command = Self.handle + [7, 0, 0, 0, 0, 0, 0, 0, 9, 0] + key
    let request = LinkKey(Self.number, random: 7, diversifier: 9)
    #expect(test.host.send(0x2019, command).outputs == [.link(ConnectionID(7), .encrypt(request))])
    #expect(test.host.send(0x2019, command).status == HCIError.commandDisallowed.rawValue)
    #expect(test.notice(.encryptionRefused(.missingKey)).events == [[0x08, 4, 6, 0x40, 0, 0]])
    #expect(test.host.send(0x2019, command).status == 0)
    #expect(test.notice(.encrypted(isRefresh: false)).events == [[0x08, 4, 0, 0x40, 0, 1]])
    #expect(test.notice(.encrypted(isRefresh: true)).events == [[0x30, 3, 0, 0x40, 0]])
    #expect(test.host.send(0x201A, Self.handle + key).status == HCIError.commandDisallowed.rawValue)
    #expect(test.host.send(0x2019, [0x41] + command.dropFirst()).status == HCIError.unknownConnection.rawValue)
  }

  @Test("A peripheral is asked for the key once, and has none where the event is masked")
  func keyRequested() {
    var test = self
    test.connectAsPeripheral()
    let key = [UInt8](1...16)
    let asked = LinkNotice.keyRequested(random: 7, diversifier: 9)
    for (opcode, rest, answer) in [(0x201A, key, Self.number), (0x201B, [], nil)] as [(UInt16, [UInt8], UInt128?)] {
      #expect(test.notice(asked).events == [[0x3E, 13, 0x05, 0x40, 0, 7, 0, 0, 0, 0, 0, 0, 0, 9, 0]])
      #expect(test.host.send(opcode, Self.handle + rest).outputs == [.link(ConnectionID(7), .key(answer))])
      #expect(test.host.send(opcode, Self.handle + rest).status == HCIError.commandDisallowed.rawValue)
    }
    let command = Self.handle + [UInt8](repeating: 0, count: 10) + key
    #expect(test.host.send(0x2019, command).status == HCIError.commandDisallowed.rawValue)
    _ = test.host.send(0x2001, LittleEndian.bytes(0x0F as UInt64))
    #expect(test.notice(asked) == [.link(ConnectionID(7), .key(nil))])
  }

  @Test("A central is asked for other parameters, or accepts them where the event is masked")
  func requested() throws {
    var test = self
    test.connect()
    let request = LinkParameterRequest(intervals: 24...40, latency: 0, timeout: 72)
    #expect(
      test.notice(.parametersRequested(request)).events == [[0x3E, 11, 0x06, 0x40, 0, 24, 0, 40, 0, 0, 0, 72, 0]])
    #expect(
      test.host.send(0x2020, Self.handle + Self.parameters).outputs == [.link(ConnectionID(7), .update(Self.chosen))])
    // Until the update is in force the peripheral is refused: LL Procedure Collision.
    #expect(
      test.notice(.parametersRequested(request)) == [.link(ConnectionID(7), .refuseParameters(reason: 0x23))])
    _ = test.notice(.parametersChanged(Self.chosen))
    #expect(test.notice(.parametersRequested(request)).events.count == 1)
    #expect(
      test.host.send(0x2021, Self.handle + [0x3B]).outputs
        == [.link(ConnectionID(7), .refuseParameters(reason: 0x3B))])
    _ = test.host.send(0x2001, LittleEndian.bytes(0x1F as UInt64))
    #expect(test.notice(.parametersRequested(request)) == [.link(ConnectionID(7), .update(Self.chosen))])
  }

  private static let replies: [(UInt16, [UInt8])] = [
    (0x201A, [UInt8](1...16)), (0x201B, []), (0x2020, parameters), (0x2021, [0x3B]),
  ]

  @Test("A reply without a request is disallowed in both roles, and so is a second one", arguments: replies)
  func repliesWithoutRequest(opcode: UInt16, rest: [UInt8]) {
    for isCentral in [true, false] {
      var test = self
      isCentral ? test.connect() : test.connectAsPeripheral()
      let first = test.host.send(opcode, Self.handle + rest)
      #expect(first.status == HCIError.commandDisallowed.rawValue && first.rest == [0, 0] && first.outputs.isEmpty)
      guard isCentral == (opcode >= 0x2020) else { continue }
      let request = LinkParameterRequest(intervals: 24...40, latency: 0, timeout: 72)
      _ = test.notice(isCentral ? .parametersRequested(request) : .keyRequested(random: 0, diversifier: 0))
      #expect(test.host.send(opcode, Self.handle + rest).status == 0)
      #expect(test.host.send(opcode, Self.handle + rest).status == HCIError.commandDisallowed.rawValue)
    }
  }

  @Test("The central's own update answers what the peripheral has asked for")
  func ownUpdate() {
    var test = self
    test.connect()
    _ = test.notice(.parametersRequested(LinkParameterRequest(intervals: 24...40, latency: 0, timeout: 72)))
    #expect(test.host.send(0x2013, Self.handle + Self.parameters).status == 0)
    #expect(test.host.send(0x2020, Self.handle + Self.parameters).status == HCIError.commandDisallowed.rawValue)
  }

  @Test(
    "A procedure of the link layer runs once at a time, others beside it",
    arguments: [
      (0x0406, [0x13], nil), (0x041D, [], .version), (0x2016, [], .features),
      (0x2013, parameters, .parametersChanged(chosen)), (0x2013, parameters, .parametersRefused(reason: 0x3B)),
      (0x2022, [100, 0, 0x90, 0x03], .dataLengthAnswered), (0x2019, [UInt8](1...26), .encrypted(isRefresh: false)),
      (0x2019, [UInt8](1...26), .encrypted(isRefresh: true)),
      (0x2019, [UInt8](1...26), .encryptionRefused(.missingKey)),
    ] as [(UInt16, [UInt8], LinkNotice?)])
  func procedures(opcode: UInt16, rest: [UInt8], end: LinkNotice?) {
    var test = self
    test.connect()
    for (other, rest) in [(0x041D, []), (0x2016, []), (0x2013, Self.parameters)] as [(UInt16, [UInt8])]
    where other != opcode { #expect(test.host.send(other, Self.handle + rest).status == 0) }
    #expect(test.host.send(opcode, Self.handle + rest).outputs.count == 1)
    for _ in 0..<3 {
      let (status, _, outputs) = test.host.send(opcode, Self.handle + rest)
      #expect(status == HCIError.commandDisallowed.rawValue && outputs.isEmpty)
    }
    guard let end else { return }
    _ = test.notice(end)
    #expect(test.host.send(opcode, Self.handle + rest).status == 0)
  }

  @Test("A connection that was due when the host reset or cancelled is not given to it")
  func late() {
    for opcode in [0x0C03, 0x200E] as [UInt16] {
      var test = self
      #expect(test.host.send(0x200A, [1]).status == 0 && test.host.send(0x200D, Self.create()).status == 0)
      _ = test.host.send(opcode)
      for set in [HCIAdvertiser.legacyHandle, nil] where set == nil || opcode == 0x0C03 {
        let outputs = test.host.controller.connected(
          ConnectionID(7), to: Self.peer, from: Self.own, Self.chosen, set: set, at: .zero)
        #expect(outputs == [.link(ConnectionID(7), .disconnect(.userTerminated))])
      }
      #expect(test.host.send(0x1405, Self.handle).status == HCIError.unknownConnection.rawValue)
    }
  }

  @Test("What is asked of one connection alone")
  func reads() {
    var test = self
    test.connect()
    #expect(test.host.send(0x1405, Self.handle).rest == Self.handle + [0xCE])
    #expect(test.host.send(0x0C2D, Self.handle + [0]).rest == Self.handle + [0])
    #expect(test.host.send(0x2015, Self.handle).rest == Self.handle + [0xFF, 0xFF, 0xFF, 0xFF, 0x1F])
    #expect(test.host.send(0x202F).rest == [251, 0, 0x48, 0x08, 251, 0, 0x48, 0x08])
    #expect(test.host.send(0x2024, [251, 0, 0x48, 0x08]).outputs == [.dataLength(251)])
    #expect(test.host.send(0x2023).rest == [251, 0, 0x48, 0x08])
  }

  @Test("The PHY is 1M alone, and a payload timeout is stored")
  func physical() {
    var test = self
    test.connect()
    #expect(test.host.send(0x2030, Self.handle).rest == Self.handle + [1, 1])
    for (phys, status) in [([0, 1, 1], 0), ([3, 0, 0], 0), ([0, 2, 1], 0x11), ([1, 0, 0], 0x12)] as [([UInt8], UInt8)] {
      #expect(test.host.send(0x2031, phys).status == status)
      let (answer, _, outputs) = test.host.send(0x2032, Self.handle + phys + [0, 0])
      #expect(answer == status)
      #expect(outputs.events == (status == 0 ? [[0x3E, 6, 0x0C, 0, 0x40, 0, 1, 1]] : []))
    }
    #expect(test.host.send(0x0C7B, Self.handle).rest == Self.handle + [0xB8, 0x0B])
    #expect(test.host.send(0x0C7C, Self.handle + [1, 2]).rest == Self.handle)
    #expect(test.host.send(0x0C7B, Self.handle).rest == Self.handle + [1, 2])
    #expect(test.host.send(0x0C7C, Self.handle + [0, 0]).status == HCIError.invalidParameters.rawValue)
  }

  @Test("Reset ends connections and attempts without an event")
  func reset() {
    var test = self
    test.connect()
    _ = test.host.send(0x200D, Self.create(DeviceAddress(bits: 1)))
    let outputs = test.host.send(0x0C03).outputs
    #expect(outputs.contains(.attempt(nil)) && outputs.contains(.link(ConnectionID(7), .abandon)))
    #expect(outputs.events == [])
    #expect(test.notice(.ended(.poweredOff)) == [])
  }
}
