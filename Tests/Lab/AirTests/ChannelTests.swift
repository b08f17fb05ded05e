import BleperaBluetooth
import Testing

@testable import BleperaAir
@testable import BleperaHost

@Suite("L2CAP channels on the air")
struct ChannelTests {
  private static let link = ConnectionID(2)
  private static let central = ChannelEnd(link, 0x40)
  private static let peripheral = ChannelEnd(link, 0x40)

  /// An air with two connected adapters and an open channel.
  private static func air() throws -> (VirtualAir, Duration) {
    var air = VirtualAir()
    var now = Duration.zero
    func run(_ event: AirEvent) -> [AirAction] { air.handle(event, at: now) }
    for number in 0...1 {
      let address = DeviceAddress(bits: UInt64(number + 1))
      _ = run(.added(AdapterID(number), AdapterDescription(address: address, name: "adapter")))
    }
    _ = run(.publishChannel(AdapterID(0), L2CAPPSM(rawValue: 0x85), isEncrypted: false))
    let packets = AdvertisingPackets(data: [2, 1, 6], scanResponse: [], interval: .milliseconds(100))
    _ = run(.advertise(AdvertisementID(1), on: AdapterID(0), packets))
    _ = run(.connect(AdapterID(1), to: DeviceAddress(bits: 1)))
    now = .seconds(2)
    _ = run(.tick)
    #expect(air.connections.keys.first == Self.link)
    _ = run(.openChannel(OperationID(1), by: AdapterID(1), Self.link, L2CAPPSM(rawValue: 0x85)))
    now = .seconds(3)
    #expect(run(.tick).contains(.host(AdapterID(1), .completed(OperationID(1), .success(.bytes([0x40, 0]))))))
    return (air, now)
  }

  @Test("A reader that reads nothing stops the writer; nothing is lost, and all of it arrives when the reader reads")
  func backPressure() throws {
    var (air, now) = try Self.air()
    let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 / 3) }
    var rest = bytes[...]
    func write() {
      let part = rest.prefix(air.channelRoom(Self.central, of: AdapterID(1)) ?? 0)
      _ = air.handle(.writeChannel(AdapterID(1), Self.central, Array(part)), at: now)
      rest = rest.dropFirst(part.count)
      now += .seconds(1)
      _ = air.handle(.tick, at: now)
    }
    for _ in 0..<20 { write() }
    let window = HostChannel.window * HostChannel.maximumPayload
    #expect(air.channelInput(Self.peripheral, of: AdapterID(0), upTo: .max)?.count == window)
    #expect(bytes.count - rest.count == window + HostChannel.outputLimit)
    var read: [UInt8] = []
    while let input = air.channelInput(Self.peripheral, of: AdapterID(0), upTo: 1000), !input.isEmpty {
      read += input
      _ = air.handle(.readChannel(AdapterID(0), Self.peripheral, count: input.count), at: now)
      write()
    }
    #expect(read == bytes)
  }

  @Test("What was written before closing still arrives, and then the end")
  func closing() throws {
    var (air, now) = try Self.air()
    _ = air.handle(.writeChannel(AdapterID(0), Self.peripheral, [1, 2, 3]), at: now)
    _ = air.handle(.closeChannel(AdapterID(0), Self.peripheral), at: now)
    now += .seconds(1)
    _ = air.handle(.tick, at: now)
    #expect(air.channelInput(Self.central, of: AdapterID(1), upTo: 10) == [1, 2, 3])
    _ = air.handle(.readChannel(AdapterID(1), Self.central, count: 3), at: now)
    #expect(air.channelInput(Self.central, of: AdapterID(1), upTo: 10) == nil)
    #expect(air.channelRoom(Self.central, of: AdapterID(1)) == nil)
    _ = air.handle(.closeChannel(AdapterID(1), Self.central), at: now)
    #expect(air.hosts.values.allSatisfy { $0.channels.isEmpty })
  }

  @Test("A request, its answer and what follows are those of the specification")
  func frames() throws {
    let link = ConnectionID(1)
    let description = AdapterDescription(address: DeviceAddress(bits: 1), name: "adapter")
    var host = HostStack(description, key: nil)
    let manager = SecurityManager(
      role: .responder, own: SecurityAddress(bits: 1, isRandom: false),
      peer: SecurityAddress(bits: 2, isRandom: false), settings: SecuritySettings(), random: SplitMix64(seed: 1))
    let peer = DeviceAddress(bits: 2)
    host.connected(link, HostLink(to: peer, manager))
    func sent() -> [String] {
      host.takeOutputs().compactMap { output in
        guard case .link(_, .data(let data)) = output else { return nil }
        return Hex.string(Array(data.bytes.dropFirst(2)), separator: " ")
      }
    }
    func receive(_ payload: String, on channel: UInt16 = L2CAPFrame.signaling) throws {
      let bytes = try #require(Hex.bytes(payload.filter { $0 != " " }))
      host.receive(.data(LinkData(isStart: true, L2CAPFrame(channel: channel, payload: bytes).bytes)), over: link)
    }
    host.openChannel(OperationID(1), over: link, L2CAPPSM(rawValue: 0x85))
    #expect(sent() == ["05 00 14 01 0A 00 85 00 40 00 F5 00 F7 00 20 00"])
    try receive("15 01 0A 00 00 00 00 00 00 00 00 00 02 00")
    #expect(host.channels.isEmpty)
    host.openChannel(OperationID(2), over: link, L2CAPPSM(rawValue: 0x85))
    #expect(sent() == ["05 00 14 02 0A 00 85 00 40 00 F5 00 F7 00 20 00"])
    try receive("15 02 0A 00 51 00 F5 00 F7 00 01 00 00 00")
    let end = ChannelEnd(link, 0x40)
    host.writeChannel(end, [7, 8])
    #expect(sent() == ["51 00 02 00 07 08"])
    host.writeChannel(end, [9])
    #expect(sent() == [])
    try receive("16 07 04 00 51 00 05 00")
    #expect(sent() == ["51 00 01 00 09"])
    for _ in 0..<16 { try receive("01 00 05", on: 0x40) }
    host.readChannel(end, count: 16)
    #expect(sent() == ["05 00 16 03 04 00 40 00 10 00"])
    host.closeChannel(end)
    #expect(sent() == ["05 00 06 04 04 00 51 00 40 00"])
    try receive("07 04 04 00 51 00 40 00")
    #expect(host.channels.isEmpty && sent() == [])
  }

  @Test("An answer belongs to the request with its identifier, whichever comes first")
  func identifiers() {
    var test = HostBench(.phone)
    for (operation, psm) in [(OperationID(1), UInt16(0x80)), (OperationID(2), 0x81)] {
      test.host.openChannel(operation, over: HostBench.link, L2CAPPSM(rawValue: psm))
    }
    // Of a request that does not exist, and of the right one with a number that is none.
    test.signal("15 07 0A00 5000 4000 4000 0100 0000")
    #expect(test.results.isEmpty && test.host.channels.count == 2)
    test.signal("15 02 0A00 0000 0000 0000 0000 0200")
    test.signal("15 01 0A00 4100 4000 4000 0100 0000")
    test.signal("15 01 0A00 4200 4000 4000 0100 0000")
    let expected: [HostAction] = [
      .completed(OperationID(2), .failure(.channel(.unknownPSM))),
      .completed(OperationID(1), .success(.bytes([0x40, 0]))),
    ]
    #expect(test.actions == expected)
    #expect(test.host.channels.values.map(\.peer?.channel) == [0x41])
    // The peer may not use one number for two channels.
    test.host.openChannel(OperationID(3), over: HostBench.link, HostBench.psm)
    test.signal("15 03 0A00 4100 4000 4000 0100 0000")
    #expect(test.results.last == .failure(.channel(.other(0x000B))))
  }

  @Test("A peer that does not know such channels rejects the request, which fails it")
  func rejected() {
    var test = HostBench(.phone)
    test.host.openChannel(OperationID(1), over: HostBench.link, HostBench.psm)
    test.signal("01 02 0200 0000")
    #expect(test.results.isEmpty)
    test.signal("01 01 0200 0000")
    #expect(test.results == [.failure(.channel(.unanswered))] && test.host.channels.isEmpty)
  }

  @Test("The number of a channel is free when the peer has answered the request to close it")
  func left() {
    for answer in ["07 02 0400 4100 4000", "01 02 0600 0200 4100 4000"] {
      var test = HostBench(.phone)
      let end = test.openChannel(credits: 1)
      test.host.closeChannel(end)
      for other in ["07 01 0400 4100 4000", "07 02 0400 4200 4000"] { test.signal(other) }
      #expect(test.host.channels.count == 1)
      test.signal(answer)
      #expect(test.host.channels.isEmpty)
    }
  }

  @Test("An identifier is not used again while its request is not answered")
  func oneIdentifier() {
    var test = HostBench(.phone)
    test.host.openChannel(OperationID(1), over: HostBench.link, HostBench.psm)
    for number in 2...255 {
      test.host.openChannel(OperationID(2), over: HostBench.link, HostBench.psm)
      test.signal("15 \(Hex.string([UInt8(number)])) 0A00 0000 0000 0000 0000 0200")
    }
    #expect(test.results.count == 254)
    test.host.openChannel(OperationID(3), over: HostBench.link, HostBench.psm)
    test.run()
    #expect(test.sent.last?.hasPrefix("1402") == true)
  }
}
