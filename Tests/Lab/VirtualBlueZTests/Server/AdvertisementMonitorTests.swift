import BleperaBluetooth
import BleperaDBus
import BusTesting
import Testing

@testable import BleperaVirtualBlueZ

@Suite("What bluetoothd makes of an advertisement monitor")
struct AdvertisementMonitorTests {
  private static func patterns(_ patterns: [(UInt8, UInt8, [UInt8])]) throws -> DBusValue {
    try .array(
      of: .structure([.byte, .byte, .array(.byte)]),
      patterns.map { .structure([.byte($0.0), .byte($0.1), .bytes($0.2)]) })
  }

  private static func monitor(
    _ list: [(UInt8, UInt8, [UInt8])] = [(0, 0x01, [0x1A])], type: String = "or_patterns",
    more: [String: DBusValue] = [:]
  ) throws -> AdvertisementMonitor? {
    AdvertisementMonitor(
      properties: ["Type": .string(type), "Patterns": try patterns(list)].merging(more) { $1 })
  }

  private static func thresholds(_ high: Int16, _ low: Int16, _ highTime: UInt16, _ lowTime: UInt16) -> [String:
    DBusValue]
  {
    [
      "RSSIHighThreshold": .int16(high), "RSSILowThreshold": .int16(low), "RSSIHighTimeout": .uint16(highTime),
      "RSSILowTimeout": .uint16(lowTime),
    ]
  }

  private static let accepted: [(String, [(UInt8, UInt8, [UInt8])], String, [String: DBusValue], Bool)] = [
    ("a pattern", [(0, 0x01, [0x1A])], "or_patterns", [:], true),
    ("several", [(0, 0x01, [0x1A]), (0, 0xFF, [UInt8](repeating: 0, count: 31))], "or_patterns", [:], true),
    ("none", [], "or_patterns", [:], false),
    ("an empty one", [(0, 0x01, [])], "or_patterns", [:], false),
    ("one that is too long", [(0, 0x01, [UInt8](repeating: 0, count: 32))], "or_patterns", [:], false),
    ("one that begins too late", [(31, 0x01, [0x1A])], "or_patterns", [:], false),
    ("another type", [(0, 0x01, [0x1A])], "patterns", [:], false),
    ("thresholds", [(0, 0x01, [0x1A])], "or_patterns", thresholds(-60, -80, 1, 300), true),
    ("thresholds the wrong way", [(0, 0x01, [0x1A])], "or_patterns", thresholds(-80, -60, 1, 1), false),
    ("a time that is too long", [(0, 0x01, [0x1A])], "or_patterns", thresholds(-60, -80, 301, 1), false),
    ("too much behind its start", [(30, 0x01, [0x1A, 0x00])], "or_patterns", [:], false),
    ("an AD type that bluetoothd does not know", [(0, 0x3E, [0x1A])], "or_patterns", [:], false),
    ("one value of several", [(0, 0x01, [0x1A])], "or_patterns", ["RSSILowThreshold": .int16(-60)], true),
    ("a high threshold below all", [(0, 0x01, [0x1A])], "or_patterns", ["RSSIHighThreshold": .int16(-128)], false),
    ("a threshold of another type", [(0, 0x01, [0x1A])], "or_patterns", ["RSSILowThreshold": .uint16(1)], false),
    (
      "a sampling period that is too long", [(0, 0x01, [0x1A])], "or_patterns", ["RSSISamplingPeriod": .uint16(257)],
      false
    ),
    ("a sampling period", [(0, 0x01, [0x1A])], "or_patterns", ["RSSISamplingPeriod": .uint16(255)], true),
  ]

  @Test("It is activated or released", arguments: accepted)
  func isAccepted(
    _ name: String, patterns: [(UInt8, UInt8, [UInt8])], type: String, more: [String: DBusValue], isExpected: Bool
  ) throws {
    #expect(try (Self.monitor(patterns, type: type, more: more) != nil) == isExpected, "\(name)")
  }

  @Test("Values that a program leaves out are bluetoothd's")
  func defaults() throws {
    let pattern: [(UInt8, UInt8, [UInt8])] = [(0, 0x01, [0x1A])]
    let some = try #require(try Self.monitor(pattern, more: ["RSSILowThreshold": .int16(-60)])?.thresholds)
    #expect([some.high, some.low] == [-60, -60] && some.highTime == .seconds(10) && some.lowTime == .seconds(5))
    let none = try #require(try Self.monitor(pattern, more: ["RSSISamplingPeriod": .uint16(0)])?.thresholds)
    #expect([none.high, none.low] == [-127, -127])
    for more in [[:], Self.thresholds(127, 127, 0, 0)] {
      let monitor = try #require(try Self.monitor(pattern, more: more))
      #expect(monitor.thresholds == nil)
    }
  }

  @Test(
    "A pattern is bytes at a place in a structure of its type",
    arguments: [
      ([(0, 0x01, [0x1A])], true), ([(0, 0x01, [0x06])], false), ([(0, 0x02, [0x1A])], false),
      ([(0, 0xFF, [0x4C, 0x00, 0x10])], true), ([(2, 0xFF, [0x10])], true), ([(1, 0xFF, [0x10])], false),
      ([(9, 0xFF, [0xE0])], true), ([(9, 0xFF, [0xE0, 0x00])], false), ([(10, 0xFF, [0x00])], false),
      ([(0, 0x01, [0x06]), (2, 0xFF, [0x10])], true),
    ] as [([(UInt8, UInt8, [UInt8])], Bool)])
  func matches(patterns: [(UInt8, UInt8, [UInt8])], isMatch: Bool) throws {
    let bytes = try #require(Hex.bytes("02 01 1A 0B FF 4C 00 10 06 07 1E A3 DD 89 E0"))
    let structures = try AdvertisingData(decoding: bytes).structures
    #expect(try Self.monitor(patterns)?.matches(structures) == isMatch)
  }

  /// Histories for a monitor of -60 dBm for 2 s and -80 dBm for 3 s; a time without a strength is a check of the clock.
  private static let histories: [(String, [(second: Int, rssi: Int?, change: MonitoredDevice.Change?)])] = [
    ("near for the whole time", [(0, -50, nil), (1, -50, nil), (2, -50, .found), (3, -50, nil)]),
    ("at the threshold is not above it", [(0, -60, nil), (2, -60, nil), (4, -60, nil)]),
    ("weaker between", [(0, -50, nil), (1, -70, nil), (2, -50, nil), (3, -50, nil), (4, -50, .found)]),
    ("absent between", [(0, -50, nil), (3, -50, nil), (4, -50, nil), (5, -50, .found)]),
    (
      "far for the whole time",
      [(0, -50, nil), (2, -50, .found), (3, -90, nil), (5, -90, nil), (6, -90, .lost), (7, -90, nil)]
    ),
    ("between the thresholds", [(0, -50, nil), (2, -50, .found), (3, -90, nil), (5, -70, nil), (7, -90, nil)]),
    ("silent", [(0, -50, nil), (2, -50, .found), (4, nil, nil), (5, nil, .lost), (6, nil, nil)]),
    ("again", [(0, -50, nil), (2, -50, .found), (5, nil, .lost), (6, -50, nil), (8, -50, .found)]),
  ]

  @Test("With thresholds a device is found and lost", arguments: histories)
  func history(_ name: String, steps: [(second: Int, rssi: Int?, change: MonitoredDevice.Change?)]) throws {
    let thresholds = try #require(
      try Self.monitor([(0, 0x01, [0x1A])], more: Self.thresholds(-60, -80, 2, 3))?.thresholds)
    var device = MonitoredDevice()
    for step in steps {
      let now = Duration.seconds(step.second)
      let change = step.rssi.map { device.received($0, at: now, thresholds) } ?? device.expired(at: now, thresholds)
      #expect(change == step.change, "\(name), second \(step.second)")
    }
  }
}
