import BleperaBluetooth
import BleperaRules
import Testing

@testable import BleperaCompare

@Suite struct PhoneLogTests {
  /// A log of commands and notes, with the bytes that an iPhone's has.
  struct Log {
    var log = PhoneLog()
    var time: Int64 = 1_700_000_000_000_000_000
    var number = 0

    mutating func add(_ content: CapturedPacket.Content, after milliseconds: Int64 = 0) {
      time += milliseconds * 1_000_000
      number += 1
      log.add(CapturedPacket(number: number, time: time, content: content))
    }

    mutating func command(_ opcode: UInt16, _ parameters: String, after milliseconds: Int64 = 0) throws {
      let bytes = try #require(Hex.bytes(parameters.filter { $0 != " " }))
      add(
        .hci(
          HCIPacket(
            kind: .command, isReceived: false,
            bytes: [UInt8(opcode & 0xFF), UInt8(opcode >> 8), UInt8(bytes.count)] + bytes)), after: milliseconds)
    }

    mutating func packet(_ kind: HCIPacketKind, isReceived: Bool, _ text: String) throws {
      add(
        .hci(HCIPacket(kind: kind, isReceived: isReceived, bytes: try #require(Hex.bytes(text.filter { $0 != " " })))))
    }

    /// Starts a set as an iPhone does: parameters, data, enable.
    mutating func advertise(_ interval: UInt16, _ data: String, properties: String = "1300", set: String = "00") throws
    {
      let units = Hex.string([UInt8(interval & 0xFF), UInt8(interval >> 8), 0])
      try command(0x2039, "00 01 \(set) 0000 00", after: 16)
      try command(0x207F, "\(set) \(properties) \(units) \(units) 07 01 00 000000000000 00 7F 01 00 02 00 00")
      try command(0x2037, "\(set) 03 01 \(Hex.string([UInt8(data.filter { $0 != " " }.count / 2)])) \(data)")
      try command(0x2039, "01 01 \(set) 0000 00")
    }

    func content(_ name: String) -> RuleContent? { log.measurements.first { $0.name == name }?.content }
  }

  static let nearby = "02011A 0CFF4C00 1007 7B1FF082030038 020A00"
  static let locked = "02011A 0CFF4C00 1007 331FF082030038 020A00"
  static let handoff = "02011A 1BFF4C00 0C0E0852005C1E9047B32AD8710F66E9 1006 7B1DF0820300 00"

  @Test("intervals, layout and status are those of the commands")
  func advertising() throws {
    var log = Log()
    log.add(.power("AP Wake - Other"))
    try log.advertise(432, Self.nearby)
    try log.advertise(3200, "07FF4C0012020002", properties: "1000", set: "01")
    try log.advertise(48, Self.handoff)
    log.time += 1_984_000_000
    try log.advertise(290, Self.handoff)
    try log.advertise(432, Self.locked)
    log.add(.power("AP Sleep"), after: 100)
    log.add(.power("AP Wake - Bluetooth"), after: 60_000)
    #expect(log.content("ownInterval") == .milliseconds(270))
    #expect(log.content("findMyInterval") == .milliseconds(2000))
    #expect(
      log.content("handoffInterval")
        == .fields([
          .init("first", .milliseconds(30)), .init("newTime", .milliseconds(2000)),
          .init("then", .milliseconds(181.25)),
        ]))
    #expect(log.content("txPowerLevel") == .number(0))
    #expect(log.content("txPowerPlace") == .word("last"))
    #expect(
      log.content("nearbyInfoStatus") == .fields([.init("locked", .bytes([0x33])), .init("unlocked", .bytes([0x7B]))]))
  }

  @Test("scans are classified by sleep, kind and cores")
  func scans() throws {
    var log = Log()
    func scan(_ interval: String, second: String?, type: String = "00", time: Int64) throws {
      try log.command(0xFF3E, "00 0201020100000000")
      try log.command(0xFF42, "01000102 01 \(type) \(interval)", after: 50)
      if let second { try log.command(0xFF42, "01000102 08 \(type) \(second)", after: 1) }
      try log.command(0xFF3E, "01 0201020100000000", after: 1)
      log.time += time * 1_000_000
    }
    log.add(.power("AP Wake - Other"))
    try scan("E0013000 1E00", second: "E0015000 1E00", time: 20_000)
    for _ in 0..<3 {
      try scan("60003000 1E00", second: nil, time: 5_000)
      try scan("60003000 1E00", second: nil, time: 4_950)
      try scan("E0013000 1E00", second: "E0015000 1E00", time: 1_000)
    }
    try scan("E0013000 1E00", second: "E0015000 1E00", time: 20_000)
    try scan("40003000 1E00", second: "40001000 1E00", type: "01", time: 1_700)
    try scan("09063000 1E00", second: "09062000 1E00", time: 10)
    log.add(.power("AP Sleep"))
    log.add(.power("AP Wake - Other"), after: 100_000)
    func timing(_ interval: Double, _ window: Double, time: Double? = nil) -> RuleContent {
      .fields(
        [.init("interval", .milliseconds(interval)), .init("window", .milliseconds(window))]
          + (time.map { [.init("time", .milliseconds($0))] } ?? []))
    }
    #expect(log.content("backgroundScan") == timing(300, 30))
    #expect(log.content("litScan") == timing(60, 30, time: 10_000))
    #expect(log.content("foregroundScan") == timing(40, 30))
    #expect(log.content("sleepScan") == timing(965.625, 30))
  }

  @Test("links, the MTU as a client and the phone's own handles are read")
  func links() throws {
    var log = Log()
    let phy = "6000 3000 0800 1800 0000 4800 0200 0C00"
    try log.command(0x2043, "01 01 00 000000000000 01 \(phy)")
    try log.command(0x2085, "FF 00 01 01 00 000000000000 01 \(phy)")
    try log.packet(
      .event, isReceived: true, "3E 1F 0A 00 4000 00 00 000000000000 000000000000 000000000000 1800 0000 4800 00")
    try log.packet(.acl, isReceived: false, "4020 0700 0300 0400 02 0F02")
    try log.packet(.acl, isReceived: true, "4020 0700 0300 0400 02 F700")
    try log.packet(.acl, isReceived: false, "4020 1200 0E00 0400 11 06 0100 0500 0018 0600 0900 0118")
    #expect(
      log.content("connectionScan")
        == .fields([.init("interval", .milliseconds(60)), .init("window", .milliseconds(30))]))
    #expect(
      log.content("requestedLink")
        == .fields([
          .init("minimum", .milliseconds(10)), .init("maximum", .milliseconds(30)), .init("latency", .number(0)),
          .init("timeout", .milliseconds(720)),
        ]))
    #expect(log.log.measurements.first { $0.name == "requestedLink" }?.packets == 2)
    #expect(log.content("connectionInterval") == .milliseconds(30))
    #expect(log.content("clientMTU") == .number(527))
    #expect(log.content("ownHandles") == .fields([.init("1800", .number(1)), .init("1801", .number(6))]))
  }

  @Test("the windows of connections are distinguished by the window in force when the phone goes to sleep")
  func sleepingConnections() throws {
    var log = Log()
    let rest = "1800 3000 0000 4800 0200 0C00"
    for (window, sleeps) in [("1400", true), ("3000", false), ("1400", true), ("3000", false), ("1400", true)] {
      try log.command(0x2043, "01 01 00 000000000000 01 E001 \(window) \(rest)")
      guard sleeps else { continue }
      log.add(.power("AP Sleep"))
      log.add(.power("AP Wake - Other"), after: 1000)
    }
    func window(_ milliseconds: Double) -> RuleContent {
      .fields([.init("interval", .milliseconds(300)), .init("window", .milliseconds(milliseconds))])
    }
    #expect(log.content("connectionScan") == window(30))
    #expect(log.content("sleepConnectionScan") == window(12.5))
  }

  @Test("what happens on a link is observed in its order")
  func steps() throws {
    var log = Log()
    func link() throws {
      try log.packet(
        .event, isReceived: true, "3E 1F 0A 00 4000 00 00 000000000000 000000000000 000000000000 1800 0000 4800 00")
      try log.command(0x2019, "4000 0000000000000000 0000 00000000000000000000000000000000", after: 10)
      try log.packet(.event, isReceived: true, "3E 0B 07 4000 FB00 4808 FB00 4808")
      log.time += 470_000_000
      try log.packet(.event, isReceived: true, "3E 06 0C 00 4000 02 02")
      try log.packet(.event, isReceived: true, "08 04 00 4000 01")
      try log.packet(.acl, isReceived: false, "4000 0B00 0700 0400 1D 0800 0A00 FFFF")
      try log.packet(.acl, isReceived: true, "4020 0B00 0700 0400 1D 1200 0100 FFFF")
      try log.packet(.acl, isReceived: false, "4000 0B00 0700 0400 10 0100 FFFF 0028")
      try log.packet(.acl, isReceived: true, "4020 1000 0C00 0500 12 01 0800 1800 2400 0000 9001")
      try log.packet(.acl, isReceived: false, "4000 0A00 0600 0500 13 01 0200 0000")
      try log.packet(.event, isReceived: true, "3E 0A 03 00 4000 1800 0000 9001")
      try log.packet(.acl, isReceived: true, "4020 0B00 0700 0600 01 04 00 2D 10 0F 0F")
    }
    try link()
    try link()
    let found = log.log.observations.map { "\($0.name): \($0.text), \($0.count) of \($0.total ?? 0)" }
    #expect(
      found == [
        "first link parameters: 30 ms, latency 0, 720 ms, 2 of 2",
        "parameters asked by a peer: 30 to 45 ms, latency 0, 4000 ms: accepted, 30 ms given, 2 of 2",
        "link: PHY 2M after 480 ms, 2 of 0", "link: data length of 251 bytes, 2120 us after 10 ms, 2 of 0",
        "link: encrypted after 480 ms, 2 of 0",
        "order on a link: encryption, data length, PHY, encrypted, Service Changed, services, pairing, 2 of 2",
        "pairing: received request: IO capability 04, OOB 00, AuthReq 2D, key size 16, keys 0F and 0F, 2 of 2",
        "Service Changed: 000A-FFFF, sent after encrypted, 2 of 2",
        "Service Changed: received, services looked for again, 2 of 2",
      ])
  }

  @Test(
    "what a peer asked for is observed with the rule of Apple's that it breaks, and with what followed",
    arguments: [
      ("0800 1800 0000 4800", "0100", "10 to 30 ms, latency 0, 720 ms against 'timeout 2 to 18 s': rejected"),
      ("0C00 1800 1F00 5802", "0100", "15 to 30 ms, latency 31, 6000 ms against 'latency at most 30': rejected"),
      (
        "0800 1800 0000 9001", "0100", "10 to 30 ms, latency 0, 4000 ms against 'minimum a multiple of 15 ms': rejected"
      ),
      (
        "0C00 1200 0000 9001", "0100",
        "15 to 22.5 ms, latency 0, 4000 ms against 'maximum 15 ms above the minimum, or both 15 ms': rejected"
      ),
      (
        "4800 5400 1300 5802", "0100",
        "90 to 105 ms, latency 19, 6000 ms against 'maximum x (latency + 1) at most 2 s': rejected"
      ),
      (
        "4800 5400 0900 2C01", "0000",
        "90 to 105 ms, latency 9, 3000 ms against 'maximum x (latency + 1) x 3 below the timeout': accepted, "
          + "nothing followed"
      ),
      ("0C00 0C00 0000 5802", "0000", "15 ms, latency 0, 6000 ms: accepted, nothing followed"),
    ])
  func asked(parameters: String, result: String, text: String) throws {
    var log = Log()
    try log.packet(.acl, isReceived: true, "4020 1000 0C00 0500 12 01 0800 \(parameters)")
    try log.packet(.acl, isReceived: false, "4000 0A00 0600 0500 13 01 0200 \(result)")
    #expect(log.log.observations.map(\.text) == [text])
  }

  @Test("each scan is observed with its state and times, those of Broadcom's second core too")
  func scanRows() throws {
    var log = Log()
    func scan(_ timing: String, second: String, type: String) throws {
      try log.command(
        0xFE3A,
        "0200 0200 0000 0009 0000 0100 0000 0100 0100 \(type) \(timing) 00000000 00000000 00 00 00 \(second) 32")
    }
    log.add(.power("AP Wake - Other"))
    for _ in 0..<4 {
      try scan("E001 3000", second: "E001 5000", type: "00")
      log.time += 90_000_000_000
      try scan("4000 3000", second: "0000 0000", type: "01")
      log.time += 6_000_000_000
    }
    try scan("0000 0000", second: "0000 0000", type: "00")
    #expect(
      log.log.observations.map { "\($0.name): \($0.text), \($0.count)" } == [
        "scan, awake: 30/300 + 50/300 passive, 360 s in all, 90 s each, every 96 s to 96 s, 4",
        "scan, awake: 30/40 active, 24 s in all, 6 s each, every 96 s to 96 s, 4",
      ])
  }

  @Test("nothing is in force between two logs")
  func twoLogs() throws {
    var log = Log()
    func scan(_ interval: String, for time: Int64) throws {
      try log.command(0xFF42, "01000102 01 00 \(interval)")
      try log.command(0xFF42, "01000102 08 00 \(interval)")
      try log.command(0xFF3E, "01 0201020100000000")
      try log.command(0xFF3E, "00 0201020100000000", after: time)
    }
    try scan("E0013000 1E00", for: 20_000)
    try log.command(0xFF42, "01000102 01 00 60003000 1E00")
    try log.command(0xFF42, "01000102 08 00 60003000 1E00")
    try log.command(0xFF3E, "01 0201020100000000")
    log.log.beginCapture()
    log.time += 86_400_000_000_000
    try scan("E0013000 1E00", for: 1_000)
    #expect(
      log.content("backgroundScan")
        == .fields([.init("interval", .milliseconds(300)), .init("window", .milliseconds(30))]))
  }

  @Test func `a clock that jumps adds no time of a scan, and ends nothing`() throws {
    var log = Log()
    try log.command(0xFF42, "01000102 01 00 60003000 1E00")
    try log.command(0xFF3E, "01")
    try log.command(0xFF3E, "01", after: 10_000)
    for _ in 0..<4 {
      try log.command(0xFF3E, "01", after: 0xFFFF_FFFF - 1_700_000_000)
      try log.command(0xFF3E, "01", after: 1_700_000_000 - 0xFFFF_FFFF)
    }
    // A step of days: no time of a phone's log.
    try log.command(0xFF3E, "01", after: 2 * 86_400_000)
    #expect(
      log.log.observations.filter { $0.name.hasPrefix("scan") }.map(\.text) == ["30/60 passive, 10 s in all, 10 s each"]
    )
  }

  @Test func `data that a controller cannot hold is not kept`() throws {
    var log = Log()
    try log.command(0x2036, "00 1300 2000 00")
    for number in 0..<400 {
      try log.command(0x2037, "00 \(number == 0 ? "01" : "00") 01 FB" + String(repeating: "0201", count: 125) + "06")
    }
    try log.command(0x2039, "01 01 00 0000 00")
    let layout = try #require(log.log.observations.first { $0.name == "layout" }).text
    #expect(layout.count < 16 * 1650)
  }

  @Test("a command that is cut is ignored", arguments: 0..<16)
  func cut(length: Int) throws {
    var log = Log()
    for opcode: UInt16 in [
      0x2035, 0x2036, 0x2037, 0x2039, 0x207F, 0x2043, 0x2085, 0xFF42, 0xFF3E, 0xFE3A, 0x2006, 0x2008,
    ] {
      try log.command(opcode, String(repeating: "01", count: length), after: 1)
    }
    #expect(log.log.packets == 12)
  }

  @Test("The whole content is compared, its times within their error")
  func verdicts() {
    let rules = RuleSet(.newest)
    func verdict(_ measurement: Measurement) -> Comparison.Verdict? {
      Comparison.all([measurement], with: rules).first { $0.name == measurement.name }?.verdict
    }
    #expect(verdict(Measurement("ownInterval", .milliseconds(270.2), error: 0.3, packets: 9)) == .agrees)
    #expect(verdict(Measurement("ownInterval", .milliseconds(271), error: 0.3, packets: 9)) == .differs)
    #expect(
      verdict(Measurement("handoffInterval", .fields([.init("then", .milliseconds(181.25))]), packets: 9)) == .agrees)
    #expect(
      verdict(
        Measurement("backgroundAppleItems", .list([.bytes([0x12, 2, 0, 0])]), packets: 9)) == .differs)
    let handoff = Measurement(
      "handoffInterval", .fields([.init("first", .milliseconds(60)), .init("newTime", .milliseconds(1950))]),
      fieldErrors: ["newTime": 100], packets: 9)
    #expect(verdict(handoff) == .differs)
    #expect(verdict(Measurement("clientMTU", .number(185), packets: 1)) == .differs)
    #expect(Comparison.all([], with: rules).allSatisfy { $0.verdict == .notSeen })
    #expect(Comparison.all([], with: rules).map(\.name) == VisibleValue.all.map(\.name))
  }
}
