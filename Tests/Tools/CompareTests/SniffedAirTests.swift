import BleperaBluetooth
import BleperaRules
import Testing

@testable import BleperaCompare

@Suite struct SniffedAirTests {
  /// An advertiser of the tests.
  struct Advertiser {
    var address: UInt64
    var data: String
    var response = ""
    var interval: Double
    var type: UInt8 = 0
    var delay = 10.0
    var step: Double?
    /// Milliseconds.
    var times: Range<Double> = 0..<120_000
  }

  static func packets(_ advertisers: [Advertiser], missing: Double = 0) throws -> [CapturedPacket] {
    var random = SplitMix64(seed: 11)
    var packets: [CapturedPacket] = []
    for advertiser in advertisers {
      func packet(_ type: UInt8, _ text: String, channel: UInt8, at time: Double) throws -> CapturedPacket {
        let data = try #require(Hex.bytes(text.filter { $0 != " " }))
        let address = (0..<6).map { UInt8(truncatingIfNeeded: advertiser.address >> (8 * $0)) }
        return CapturedPacket(
          number: 0, time: Int64(time * 1e6),
          content: .air(
            AirPacket(
              channel: channel, signal: nil, accessAddress: 0x8E89_BED6,
              pdu: [type | 0x40, UInt8(data.count + 6)] + address + data, isCRCRight: true)))
      }
      var time = advertiser.times.lowerBound
      while time < advertiser.times.upperBound {
        for channel in 0..<3 where Double.random(in: 0..<1, using: &random) >= missing {
          let sent = time + Double(channel) * 0.6
          packets.append(try packet(advertiser.type, advertiser.data, channel: UInt8(37 + channel), at: sent))
          if !advertiser.response.isEmpty {
            packets.append(try packet(4, advertiser.response, channel: UInt8(37 + channel), at: sent + 0.3))
          }
        }
        time += advertiser.interval
        time +=
          advertiser.step.map { Double(Int.random(in: 0...Int(advertiser.delay / $0), using: &random)) * $0 }
          ?? Double.random(in: 0...advertiser.delay, using: &random)
      }
    }
    return packets.sorted { $0.time < $1.time }
  }

  static func air(_ selection: PhoneSelection, _ advertisers: [Advertiser], missing: Double = 0) throws -> SniffedAir {
    var air = SniffedAir(selection)
    for packet in try packets(advertisers, missing: missing) { air.add(packet) }
    return air
  }

  static func expect(_ air: SniffedAir, _ name: String, _ content: RuleContent) {
    guard let found = air.measurements.first(where: { $0.name == name }) else {
      Issue.record("\(name) is not seen")
      return
    }
    switch (found.content, content) {
    case (.milliseconds(let value), .milliseconds(let other)):
      #expect(abs(value - other) <= found.error && found.error < other / 10, "\(name)")
    case (.fields(let fields), .fields(let others)):
      #expect(fields.map(\.name) == others.map(\.name))
      for (field, other) in zip(fields, others) {
        guard case (.milliseconds(let value), .milliseconds(let expected)) = (field.content, other.content) else {
          continue
        }
        #expect(abs(value - expected) <= found.fieldErrors[field.name] ?? found.error, "\(name) \(field.name)")
      }
    case (_, _): #expect(found.content == content, "\(name)")
    }
  }

  static let service = BluetoothUUID(UInt16(0x180D))
  static let overflow = OverflowArea([service]).structure.bytes
  static let own = "02011A 0BFF4C00 1006 071EA3DD89E0"

  @Test(
    "a phone in the background is found by the bit among two others, with packets missed", arguments: [0, 0.3])
  func threePhones(missing: Double) throws {
    let background = "02011A 020A0C 0BFF4C00 1006 071EA3DD89E0"
    let air = try Self.air(
      PhoneSelection(services: [Self.service]),
      [
        Advertiser(address: 0x4A0D_A81F_846F, data: background, response: Hex.string(Self.overflow), interval: 270),
        Advertiser(address: 0x5A0D_A81F_846F, data: Self.own, interval: 181.25),
        Advertiser(address: 0x6A0D_A81F_846F, data: "02011A 0303 0F18", interval: 30),
      ], missing: missing)
    Self.expect(air, "backgroundInterval", .milliseconds(270))
    Self.expect(
      air, "advertisingDelay", .fields([.init("maximum", .milliseconds(10)), .init("step", .milliseconds(0))]))
    Self.expect(air, "txPowerLevel", .number(12))
    Self.expect(air, "txPowerPlace", .word("afterFlags"))
    #expect(!air.measurements.contains { ["ownInterval", "foregroundInterval"].contains($0.name) })
  }

  @Test("the status of Nearby Info is that of a locked phone and of one in use by its low half")
  func statuses() throws {
    let address: UInt64 = 0x4A0D_A81F_846F
    let times = ["33": 0..<20_000.0, "77": 20_000..<50_000, "7B": 50_000..<70_000, "3B": 70_000..<72_000]
    let advertisers = times.map { status, times in
      Advertiser(
        address: address, data: "02011A 0CFF4C00 1007 \(status)1FF082030038 020A00", interval: 270, times: times)
    }
    let air = try Self.air(PhoneSelection(addresses: [address]), advertisers)
    Self.expect(
      air, "nearbyInfoStatus", .fields([.init("locked", .bytes([0x33])), .init("unlocked", .bytes([0x7B]))]))
  }

  @Test("the unit of all times is the clock's resolution", arguments: [1, 1_000_000, 10_000_000] as [Int64])
  func clock(unit: Int64) throws {
    var air = SniffedAir(PhoneSelection(services: [Self.service]))
    let phone = Advertiser(
      address: 0x4A0D_A81F_846F, data: "02011A 03030D18", interval: 270, delay: 10, times: 0..<1_200_000)
    for var packet in try Self.packets([phone]) {
      packet.time -= packet.time % unit
      air.add(packet)
    }
    Self.expect(air, "foregroundInterval", .milliseconds(270))
    let interval = try #require(air.measurements.first { $0.name == "foregroundInterval" })
    #expect(interval.error >= Double(unit) / 1e6)
    #expect(air.measurements.contains { $0.name == "advertisingDelay" } == (unit == 1))
  }

  @Test("of what bluetoothd reports, only what it does not change is measured")
  func daemon() throws {
    func measured(_ data: String) throws -> Set<String> {
      var air = SniffedAir(PhoneSelection(addresses: [0x4A0D_A81F_846F]), receiver: .daemon)
      let phone = Advertiser(address: 0x4A0D_A81F_846F, data: data, interval: 1000)
      for packet in try Self.packets([phone]) { air.add(packet) }
      return Set(air.measurements.map(\.name))
    }
    #expect(
      try measured("02011A 020A0C 0BFF4C00 1006 0B1EA3DD89E0") == [
        "txPowerLevel", "backgroundAppleItems", "nearbyInfoStatus",
      ])
    #expect(try measured("02011A 020A0C \(Hex.string(Self.overflow))") == ["txPowerLevel"])
  }

  @Test("each set is observed with its interval, its addresses and for how long it was sent, and with its layout")
  func sets() throws {
    let key = try #require(IdentityResolvingKey(Array(1...16)))
    let address = key.address(prand: 0x40_0001)
    let find = (0..<3).map { index in
      Advertiser(
        address: key.address(prand: 0x73_0004 + UInt32(index & 1)), data: "07FF4C00 1202 0002", interval: 2000, type: 2,
        delay: 0, times: Double(index) * 60_000..<(Double(index) * 60_000 + 30_000))
    }
    let app = Advertiser(
      address: address, data: "02011A 020A0C 03030D18", response: "0308 4865 \(Hex.string(Self.overflow))",
      interval: 100,
      delay: 0, times: 0..<60_050)
    let air = try Self.air(PhoneSelection(key: key), [app] + find)
    let found = air.observations.map { "\($0.name): \($0.text), \($0.count) of \($0.total ?? 0)" }
    #expect(
      found.prefix(4) == [
        "set: findMy, 2000 ms, 2 addresses, for 28001 ms, 3 of 0",
        "set: foreground, 100 ms, 1 address, for 60001 ms, 1 of 0",
        "layout: foreground: flags, TX power, services | shortened name, overflow area, 1803 of 1938",
        "layout: findMy: Apple's 12, 135 of 1938",
      ])
  }

  @Test("a link of the phone shows its interval, MTU and handles, from either side")
  func links() throws {
    let (phone, other) = ("01 02 03 04 05 06", "11 12 13 14 15 16")
    func packet(_ text: String, accessAddress: UInt32, fromCentral: Bool? = nil) throws -> CapturedPacket {
      let pdu = try #require(Hex.bytes(text.filter { $0 != " " }))
      var air = AirPacket(channel: nil, signal: nil, accessAddress: accessAddress, pdu: pdu, isCRCRight: true)
      air.isFromCentral = fromCentral
      return CapturedPacket(number: 0, time: 0, content: .air(air))
    }
    for isCentral in [false, true] {
      var air = SniffedAir(PhoneSelection(addresses: [0x0605_0403_0201]))
      let (central, peripheral) = isCentral ? (phone, other) : (other, phone)
      let link: UInt32 = 0x5065_5DEE
      func data(_ text: String, byPhone: Bool) throws {
        let length = Hex.string([UInt8(text.filter { $0 != " " }.count / 2)])
        air.add(try packet("02 \(length) \(text)", accessAddress: link, fromCentral: byPhone == isCentral))
      }
      air.add(
        try packet(
          "05 22 \(central) \(peripheral) EE5D6550 000000 01 0000 2400 0000 4800 FFFFFFFF1F 05",
          accessAddress: AccessAddress.advertising))
      try data("0300 0400 02 0F02", byPhone: true)
      try data("0300 0400 02 F700", byPhone: false)
      try data("1400 0400 11 06 0100 0500 0018 0600 0900 0118 3E00 4200 0D18", byPhone: true)
      air.add(try packet("03 01 05", accessAddress: link, fromCentral: false))
      try data("0300 0400 02 FFFF", byPhone: true)
      // The other central's interval is not the phone's choice.
      if isCentral {
        Self.expect(air, "connectionInterval", .milliseconds(45))
      } else {
        #expect(!air.measurements.contains { $0.name == "connectionInterval" })
      }
      #expect(air.observations.contains { $0.text == "45 ms, latency 0, 720 ms" })
      Self.expect(air, "clientMTU", .number(527))
      Self.expect(air, "ownHandles", .fields([.init("1800", .number(1)), .init("1801", .number(6))]))
    }
  }

  @Test("a key joins the sets and addresses of a phone, and no other phone's")
  func key() throws {
    let key = try #require(IdentityResolvingKey(Array(1...16)))
    let (first, second, third, other) = (
      key.address(prand: 0x40_0001), key.address(prand: 0x51_0002),
      key.address(prand: 0x62_0003), UInt64(0x4A0D_A81F_846F)
    )
    let air = try Self.air(
      PhoneSelection(key: key),
      [
        Advertiser(address: first, data: Self.own, interval: 270, times: 0..<100_000),
        Advertiser(address: second, data: Self.own, interval: 270, times: 100_000..<1_000_000),
        Advertiser(address: third, data: Self.own, interval: 270, times: 1_000_000..<1_100_000),
        Advertiser(
          address: key.address(prand: 0x73_0004), data: "07FF4C00 1202 0002", interval: 2000, type: 2,
          times: 0..<1_100_000),
        Advertiser(address: other, data: Self.own, interval: 152.5),
      ])
    Self.expect(air, "ownInterval", .milliseconds(270))
    Self.expect(air, "findMyInterval", .milliseconds(2000))
    let rotation = try #require(air.measurements.first { $0.name == "addressRotation" })
    guard case .milliseconds(let time) = rotation.content else {
      Issue.record("no time")
      return
    }
    #expect(abs(time - 900_000) < 500)
  }

  @Test("new Handoff has the short interval for its time, and then the long one", arguments: [0, 0.3])
  func handoff(missing: Double) throws {
    let address: UInt64 = 0x4A0D_A81F_846F
    let advertisers = (0..<12).flatMap { index -> [Advertiser] in
      let data = "02011A 1BFF4C00 0C0E085200\(Hex.string([UInt8(index)]))1E9047B32AD8710F66E9 1006 7B1DF0820300 00"
      let start = Double(index) * 20_000
      return [
        Advertiser(address: address, data: data, interval: 30, delay: 5, step: 1.25, times: start..<(start + 2000)),
        Advertiser(
          address: address, data: data, interval: 181.25, delay: 5, step: 1.25, times: (start + 2000)..<(start + 20_000)
        ),
      ]
    }
    let air = try Self.air(PhoneSelection(addresses: [address]), advertisers, missing: missing)
    Self.expect(
      air, "handoffInterval",
      .fields([
        .init("first", .milliseconds(30)), .init("newTime", .milliseconds(2000)), .init("then", .milliseconds(181.25)),
      ]))
  }

  @Test("a name that was shortened shows its room, with an overflow area beside it and without")
  func names() throws {
    for (name, overflow) in [
      ("scanResponseNameBudget", Hex.string(Self.overflow)), ("emptyScanResponseNameBudget", ""),
    ] {
      let air = try Self.air(
        PhoneSelection(services: [Self.service]),
        [
          Advertiser(
            address: 0x4A0D_A81F_846F, data: "02011A 03030D18", response: "0908 4865617274205261 \(overflow)",
            interval: 30)
        ])
      Self.expect(air, name, .number(10))
      Self.expect(air, "foregroundInterval", .milliseconds(30))
    }
  }
}
