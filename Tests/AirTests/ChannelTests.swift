import BleperaBluetooth
import BleperaHost
import Testing

@testable import BleperaAir

@Suite("L2CAP channels on the air")
struct ChannelTests {
  private static let link = ConnectionID(2)
  private static let central = ChannelEnd(AdapterID(1), link, 0x40)
  private static let peripheral = ChannelEnd(AdapterID(0), link, 0x40)

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
    #expect(run(.tick).contains(.completed(OperationID(1), .success(.bytes([0x40, 0])))))
    return (air, now)
  }

  @Test("A reader that reads nothing stops the writer; nothing is lost, and all of it arrives when the reader reads")
  func backPressure() throws {
    var (air, now) = try Self.air()
    let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 / 3) }
    var rest = bytes[...]
    func write() {
      let part = rest.prefix(air.channelRoom(Self.central) ?? 0)
      _ = air.handle(.writeChannel(Self.central, Array(part)), at: now)
      rest = rest.dropFirst(part.count)
      now += .seconds(1)
      _ = air.handle(.tick, at: now)
    }
    for _ in 0..<20 { write() }
    let window = HostChannel.window * HostChannel.maximumPayload
    #expect(air.channelInput(Self.peripheral, upTo: .max)?.count == window)
    #expect(bytes.count - rest.count == window + HostChannel.outputLimit)
    var read: [UInt8] = []
    while let input = air.channelInput(Self.peripheral, upTo: 1000), !input.isEmpty {
      read += input
      _ = air.handle(.readChannel(Self.peripheral, count: input.count), at: now)
      write()
    }
    #expect(read == bytes)
  }

  @Test("What was written before closing still arrives, and then the end")
  func closing() throws {
    var (air, now) = try Self.air()
    _ = air.handle(.writeChannel(Self.peripheral, [1, 2, 3]), at: now)
    _ = air.handle(.closeChannel(Self.peripheral), at: now)
    now += .seconds(1)
    _ = air.handle(.tick, at: now)
    #expect(air.channelInput(Self.central, upTo: 10) == [1, 2, 3])
    _ = air.handle(.readChannel(Self.central, count: 3), at: now)
    #expect(air.channelInput(Self.central, upTo: 10) == nil)
    #expect(air.channelRoom(Self.central) == nil)
    _ = air.handle(.closeChannel(Self.central), at: now)
    #expect(air.hosts.values.allSatisfy { $0.channels.isEmpty })
  }

  @Test("A request, its answer and what follows are those of the specification")
  func frames() throws {
    let (adapter, link) = (AdapterID(1), ConnectionID(1))
    let description = AdapterDescription(address: DeviceAddress(bits: 1), name: "adapter")
    var host = HostStack(adapter, description, key: nil)
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
    let end = ChannelEnd(adapter, link, 0x40)
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
}
