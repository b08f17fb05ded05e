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
    _ = run(.host(AdapterID(0), .publishChannel(L2CAPPSM(rawValue: 0x85), isEncrypted: false)))
    let packets = AdvertisingPackets(data: [2, 1, 6], scanResponse: [], interval: .milliseconds(100))
    _ = run(.linkLayer(AdapterID(0), .advertise(AdvertisementID(1), packets)))
    _ = run(.linkLayer(AdapterID(1), .connect(DeviceAddress(bits: 1))))
    now = .seconds(2)
    _ = run(.tick)
    now = .milliseconds(2200)
    _ = run(.tick)
    #expect(air.connections.keys.first == Self.link)
    _ = run(.host(AdapterID(1), .openChannel(OperationID(1), Self.link, L2CAPPSM(rawValue: 0x85))))
    now = .seconds(3)
    #expect(run(.tick).contains(.host(AdapterID(1), .completed(OperationID(1), .success(.value([0x40, 0]))))))
    return (air, now)
  }

  @Test("A reader that reads nothing stops the writer; nothing is lost, and all of it arrives when the reader reads")
  func backPressure() throws {
    var (air, now) = try Self.air()
    let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 / 3) }
    var rest = bytes[...]
    func write() {
      let part = rest.prefix(air.channelRoom(Self.central, of: AdapterID(1)) ?? 0)
      _ = air.handle(.host(AdapterID(1), .writeChannel(Self.central, Array(part))), at: now)
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
      _ = air.handle(.host(AdapterID(0), .readChannel(Self.peripheral, count: input.count)), at: now)
      write()
    }
    #expect(read == bytes)
  }

  @Test("What was written before closing still arrives, and then the end")
  func closing() throws {
    var (air, now) = try Self.air()
    _ = air.handle(.host(AdapterID(0), .writeChannel(Self.peripheral, [1, 2, 3])), at: now)
    _ = air.handle(.host(AdapterID(0), .closeChannel(Self.peripheral)), at: now)
    now += .seconds(1)
    _ = air.handle(.tick, at: now)
    #expect(air.channelInput(Self.central, of: AdapterID(1), upTo: 10) == [1, 2, 3])
    _ = air.handle(.host(AdapterID(1), .readChannel(Self.central, count: 3)), at: now)
    #expect(air.channelInput(Self.central, of: AdapterID(1), upTo: 10) == nil)
    #expect(air.channelRoom(Self.central, of: AdapterID(1)) == nil)
    _ = air.handle(.host(AdapterID(1), .closeChannel(Self.central)), at: now)
    #expect(air.hosts.values.allSatisfy { $0.channels.isEmpty })
  }
}
