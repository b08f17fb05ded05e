import BleperaBluetooth
import Testing

@testable import BleperaAir
@testable import BleperaHost

@Suite("What is captured of the air")
struct AirCaptureTests {
  /// A record of a capture.
  private struct Record: Equatable {
    var time: String
    /// As (frequency - 2402 MHz) / 2 MHz.
    var channel: UInt8
    var flags: UInt16
    var signal: Int8
    var accessAddress: UInt32
    var pdu: [UInt8]

    /// The type of an advertising PDU.
    var type: UInt8? { accessAddress == AccessAddress.advertising ? pdu[0] & 0xF : nil }
    /// The ATT PDU; nil for a PDU without or with a part of one.
    var att: [UInt8]? { type == nil && pdu[0] & 3 == 2 ? Array(pdu.dropFirst(6)) : nil }
  }

  private static func number(_ bytes: some Collection<UInt8>) -> Int {
    bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  /// The records; nil where the bytes are not whole records.
  private static func records(_ bytes: [UInt8]) -> [Record]? {
    var rest = bytes[...]
    var records: [Record] = []
    while !rest.isEmpty {
      let head = Array(rest.prefix(16))
      guard head.count == 16, head[8..<12] == head[12..<16] else { return nil }
      let packet = Array(rest.dropFirst(16).prefix(number(head[8..<12])))
      guard packet.count == number(head[8..<12]), packet.count == 10 + 4 + 2 + Int(packet[15]) + 3,
        packet[4..<8] == packet[10..<14]
      else { return nil }
      rest = rest.dropFirst(16 + packet.count)
      let micros = "\(1_000_000 + number(head[4..<8]))".dropFirst()
      records.append(
        Record(
          time: "\(number(head[..<4])).\(micros)", channel: packet[0], flags: UInt16(number(packet[8..<10])),
          signal: Int8(bitPattern: packet[1]), accessAddress: UInt32(number(packet[4..<8])),
          pdu: Array(packet[14..<packet.count - 3])))
    }
    return records
  }

  private static func take(_ stage: inout Stage) throws -> [Record] { try #require(records(stage.air.takeCapture())) }

  /// A stage whose air is captured from 1000.5 s since 1970 on.
  private static func stage(_ conditions: AirConditions = AirConditions(interval: .zero), mtu: Int = 517) -> Stage {
    var stage = Stage(conditions: conditions, mtu: mtu)
    stage.air.startCapture(origin: .milliseconds(1_000_500))
    return stage
  }

  @Test("A file begins with pcap's header of the link type 256")
  func header() {
    #expect(Hex.string(AirCapture.fileHeader) == "D4C3B2A1020004000000000000000000FFFF000000010000")
  }

  @Test("The packets of an event are captured if a device receives one, with the exchange of each active scanner")
  func advertising() throws {
    var stage = Self.stage()
    stage.advertise()
    stage.wait(.seconds(1))
    #expect(try Self.take(&stage).isEmpty)
    stage.send(.linkLayer(Stage.central, .scan(ScanWindow(isActive: false))))
    stage.wait(.seconds(1))
    let passive = try Self.take(&stage)
    #expect(passive.map(\.type) == [0, 0, 0])
    #expect(passive.map(\.channel) == [0, 12, 39])
    // The receiver is on 38.
    #expect(passive.map(\.signal) == [0, -50, 0])
    #expect(passive.first?.pdu.dropFirst(8) == [0x03, 0x03, 0x0D, 0x18, 0x02, 0x01, 0x06])
    // 1 s after 0.5 s, and a delay of up to 10 ms besides.
    #expect(passive.first?.time.hasPrefix("1001.78") == true)
    // Dewhitened, the signal strength, the access address and the CRC are valid.
    #expect(passive.map(\.flags) == [0x0C11, 0x0C13, 0x0C11])
    for adapter in [Stage.central, Stage.second] { stage.send(.linkLayer(adapter, .scan(Stage.always))) }
    stage.wait(.milliseconds(1290))
    // Two scanners that start in the same instant are on different channels.
    let active = try Self.take(&stage)
    #expect(active.map(\.type) == [0, 3, 4, 0, 3, 4, 0])
    #expect(active.map(\.channel) == [0, 0, 0, 12, 12, 12, 39])
  }

  @Test("A connection begins with CONNECT_IND and the exchange of the ATT_MTU, and ends with LL_TERMINATE_IND")
  func connection() throws {
    var stage = Self.stage()
    stage.advertise()
    let id = try stage.connect()
    let records = try Self.take(&stage)
    #expect(records.prefix(2).map(\.type) == [0, 5])
    #expect(records[2...].allSatisfy { $0.accessAddress == LinkAddress(of: id.number).accessAddress })
    #expect(records.compactMap(\.att).prefix(2).map { Hex.string($0) } == ["020502", "030502"])
    // The last requests subscribe to Service Changed, and read the Device Name.
    #expect(
      records.compactMap(\.att).suffix(4).map { Hex.string($0) } == ["120B000200", "13", "0A0300", "0B626F782030"])
    stage.send(.host(Stage.central, .disconnect(id)))
    let end = try Self.take(&stage)
    #expect(end.first?.pdu.dropFirst() == [2, 0x02, 0x13])
    #expect(end.map { $0.flags & 0x0380 } == [0x0100])
  }

  @Test("A connection that is cut ends without a packet")
  func silence() throws {
    var stage = Self.stage()
    stage.advertise()
    _ = try stage.connect()
    _ = try Self.take(&stage)
    stage.send(.cut(Stage.phone, Stage.central))
    stage.wait(.milliseconds(500))
    #expect(stage.air.connections.isEmpty)
    #expect(try Self.take(&stage).filter { $0.type == nil } == [])
  }

  @Test("Requests, responses and errors are captured when they arrive, with their sequence numbers")
  func requests() throws {
    var stage = Self.stage(AirConditions(latency: .milliseconds(5), interval: .zero))
    stage.advertise()
    let id = try stage.connect()
    _ = try Self.take(&stage)
    let start = stage.now + .milliseconds(1_000_500)
    // The device name, and a handle that there is not.
    _ = stage.begin(.read(0x0003), over: id)
    stage.wait(.milliseconds(20))
    _ = stage.begin(.read(0x0999), over: id)
    stage.wait(.milliseconds(20))
    let records = try Self.take(&stage)
    #expect(
      records.compactMap(\.att).map { Hex.string($0) } == [
        "0A0300", "0B" + Hex.string(Array("box 0".utf8)), "0A9909", "010A990901",
      ])
    #expect(records.map { $0.flags & 0x0380 } == [0x0100, 0x0180, 0x0100, 0x0180])
    #expect(
      records.map(\.time)
        == [5, 10, 25, 30].map { milliseconds in
          let (seconds, attoseconds) = (start + .milliseconds(milliseconds)).components
          return "\(seconds)." + "\(1_000_000 + attoseconds / 1_000_000_000_000)".dropFirst()
        })
    // Each side counts its PDUs, and expects the other's next one.
    let bits = records.map { ($0.pdu[0] >> 3 & 1, $0.pdu[0] >> 2 & 1) }
    #expect(bits[0].0 != bits[2].0 && bits[1].0 != bits[3].0)
    #expect(bits[1].1 == bits[2].0 && bits[2].1 == bits[3].0)
  }

  @Test("A packet that is longer than a PDU of the link layer is split")
  func fragments() throws {
    var stage = Self.stage()
    stage.advertise()
    let id = try stage.connect()
    _ = try Self.take(&stage)
    _ = stage.begin(.command(0x0003, [UInt8](repeating: 7, count: 510)), over: id)
    let records = try Self.take(&stage)
    #expect(records.map { $0.pdu[0] & 3 } == [2, 1, 1])
    #expect(records.map { Int($0.pdu[1]) } == [251, 251, 15])
    #expect(records.flatMap { $0.pdu.dropFirst(2) }.prefix(7) == [0x01, 0x02, 0x04, 0x00, 0x52, 0x03, 0x00])
  }

  @Test("What is captured changes nothing on the air")
  func sameAir() throws {
    func actions(isCaptured: Bool) throws -> [AirAction] {
      var stage = Stage(conditions: AirConditions(loss: 0.2, fading: 10, interval: .zero), seed: 7)
      if isCaptured { stage.air.startCapture(origin: .zero) }
      stage.send(.linkLayer(Stage.second, .scan(ScanWindow())))
      stage.advertise()
      stage.wait(.seconds(20))
      var actions = stage.take()
      let id = try stage.connect()
      for _ in 1...20 {
        _ = stage.begin(.read(0x0003), over: id)
        stage.wait(.seconds(1))
      }
      actions += stage.take()
      return actions
    }
    #expect(try actions(isCaptured: true) == actions(isCaptured: false))
  }
}
