import BleperaBluetooth
import BleperaLoop
import Synchronization
import Testing

@testable import BleperaAir

@Suite("L2CAP channels on the air")
struct ChannelTests {
  private static let central = ChannelEnd(ChannelID(1), isCentral: true)
  private static let peripheral = ChannelEnd(ChannelID(1), isCentral: false)

  /// An air with two connected adapters and an open channel.
  private static func air(capturing: Bool = false) throws -> (VirtualAir, Duration) {
    var air = VirtualAir()
    var now = Duration.zero
    if capturing { air.startCapture(origin: .zero) }
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
    let link = try #require(air.connections.keys.first)
    _ = run(.openChannel(ChannelID(1), OperationID(1), link, L2CAPPSM(rawValue: 0x85)))
    now = .seconds(3)
    #expect(run(.tick).contains(.completed(OperationID(1), .success([]))))
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
    let window = AirChannel.window * AirChannel.maximumPayload
    #expect(air.channelInput(Self.peripheral, upTo: .max)?.count == window)
    #expect(bytes.count - rest.count == window + AirChannel.outputLimit)
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
    #expect(air.channels.isEmpty)
  }

  @Test("Frames are those of the specification")
  func frames() {
    let (id, psm) = (ChannelID(1), L2CAPPSM(rawValue: 0x85))
    let table: [(ChannelPacket, [String])] = [
      (.request(id, psm), ["> 5 14 02 0A 00 85 00 41 00 F5 00 F7 00 20 00"]),
      (.response(id, nil), ["< 5 15 02 0A 00 41 00 F5 00 F7 00 20 00 00 00"]),
      (.response(id, .unknownPSM), ["< 5 15 02 0A 00 00 00 00 00 00 00 00 00 02 00"]),
      (.data(Self.central, [7, 8]), ["> 65 02 00 07 08"]),
      (.credits(Self.peripheral, 16), ["< 5 16 02 04 00 41 00 10 00"]),
      (.disconnect(Self.central), ["> 5 06 02 04 00 41 00 41 00", "< 5 07 02 04 00 41 00 41 00"]),
    ]
    for (packet, expected) in table {
      let frames = ChannelPDU.frames(packet).map { frame in
        "\(frame.isUpward ? ">" : "<") \(frame.channel) \(Hex.string(frame.bytes, separator: " "))"
      }
      #expect(frames == expected)
    }
  }
}
