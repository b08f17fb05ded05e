import BleperaBluetooth
import BleperaPhone
import BleperaProfile
import BleperaRadio
import BleperaRules
import BleperaTesting
import TestSupport
import Testing

@testable import BleperaSimulation

/// A phone whose values are measured, and its packets in a capture of the virtual air.
@Suite("The emulated phone does what was measured", .timeLimit(.minutes(5)))
struct MeasuredPhoneTests {
  struct Packet: Hashable {
    /// In milliseconds.
    let time: Double
    /// 0 for ADV_IND, 4 for SCAN_RSP, 5 for CONNECT_IND.
    let type: UInt8
    let address: String
    let data: [UInt8]
    /// 0, 12 or 39 for 37, 38 or 39. No exchange moves a packet on 37.
    let channel: Int
  }

  /// The packets that a story's scanner captures of a phone.
  static func packets(
    _ values: String, ios: Int = 26, address: Phone.AddressKind = .public,
    _ story: (Phone, Central) async throws -> Void
  ) async throws -> [Packet] {
    let check = MeasuredPhone.check(Array("{ Phone = test; \(values) }".utf8), file: "test.plist")
    let measured = try #require(check.phone, "\(check.diagnostics)")
    let bytes = Record<[UInt8]>()
    let capture: @Sendable ([UInt8]) -> Void = { bytes.add($0) }
    let air = Air(on: .virtual, seed: 3, capture: capture) { Issue.record("\($0)") }
    let central = Central(on: air, as: .iPhoneApp())
    central.scan()
    var settings = PhoneSettings(ios: try #require(IOSVersion(rawValue: ios)), measured: measured)
    settings.usesPublicAddress = address == .public
    let phone = Phone(on: air, named: "phone", settings)
    try await story(phone, central)
    var rest = bytes.elements.flatMap(\.self)[...]
    var packets: [Packet] = []
    func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reversed().reduce(0) { $0 << 8 | Int($1) } }
    while rest.count >= 16 {
      let record = Array(rest.prefix(16 + number(rest.dropFirst(8).prefix(4))))
      rest = rest.dropFirst(record.count)
      let pdu = record[30...].dropLast(3)
      // The access address of advertising.
      guard record[26..<30].elementsEqual([0xD6, 0xBE, 0x89, 0x8E]), let header = pdu.first else { continue }
      packets.append(
        Packet(
          time: Double(number(record[0..<4])) * 1000 + Double(number(record[4..<8])) / 1000, type: header & 0x0F,
          address: Hex.string(pdu.dropFirst(2).prefix(6).reversed()), data: Array(pdu.dropFirst(8)),
          channel: number(record[16...16])))
    }
    return packets
  }

  static func app(name: String? = nil, _ uuids: [BluetoothUUID] = [BluetoothUUID(0x180D as UInt16)]) -> AppDefinition {
    AppDefinition(
      "org.example.measured", localName: name, advertising: uuids,
      services: [ServiceDefinition(uuid: BluetoothUUID(0x180D as UInt16), characteristics: [])])
  }

  @Test(
    "The interval, and the steps of its delay",
    arguments: [("foregroundInterval", 417.5), ("backgroundInterval", 517.5), ("ownInterval", 350)])
  func intervals(name: String, interval: Double) async throws {
    let delay = "advertisingDelay = { maximum = 2.5; step = 1.25; };"
    let packets = try await Self.packets("\(name) = \(interval); \(delay)") { phone, central in
      if name != "ownInterval" { phone.launch(Self.app()) }
      if name == "backgroundInterval" { phone.moveToBackground() }
      await central.air.advance(by: .seconds(60))
    }
    let times = packets.filter { $0.type == 0 && $0.channel == 0 }.map(\.time).dropFirst(3)
    let gaps = zip(times.dropFirst(), times).map { ($0 - $1 - interval) / 1.25 }
    #expect(gaps.count > 90)
    #expect(Set(gaps.map { $0.rounded() }) == [0, 1, 2])
    #expect(gaps.allSatisfy { abs($0 - $0.rounded()) < 0.01 })
  }

  @Test("The time of an address") func rotation() async throws {
    let packets = try await Self.packets("addressRotation = 60000;", address: .private) { _, central in
      await central.air.advance(by: .seconds(200))
    }
    let sent = packets.filter { $0.type == 0 }
    let addresses = sent.map(\.address)
    let changes = zip(sent.dropFirst(), sent).filter { $0.address != $1.address }.map(\.0.time)
    #expect(Set(addresses).count == 4 && changes.count == 3)
    #expect(zip(changes.dropFirst(), changes).allSatisfy { abs($0 - $1 - 60_000) < 300 })
  }

  @Test(
    "TX power, its place, and the items",
    arguments: [
      ("txPowerLevel = -8;", "02011A 020AF8 0303 0D18"), ("txPowerLevel = none;", "02011A 0303 0D18"),
      ("txPowerPlace = last; txPowerLevel = 3;", "02011A 0303 0D18 020A03"),
      ("ios", "02011A 0303 0D18"),
    ])
  func power(values: String, expected: String) async throws {
    let isOld = values == "ios"
    let packets = try await Self.packets(isOld ? "" : values, ios: isOld ? 11 : 26) { phone, central in
      phone.launch(Self.app())
      await central.air.advance(by: .seconds(5))
    }
    let last = try #require(packets.last { $0.type == 0 })
    #expect(Hex.string(last.data) == expected.filter { $0 != " " })
  }

  @Test("The phone's items, and the status of a locked and of an unlocked phone") func items() async throws {
    let values = "backgroundAppleItems = ( <0F 01 07>, <10 05 01 18 AA BB CC> ); nearbyInfoStatus = { locked = 13; };"
    let packets = try await Self.packets("txPowerLevel = none; \(values)") { phone, central in
      phone.launch(Self.app())
      phone.moveToBackground()
      await central.air.advance(by: .seconds(5))
      phone.lock()
      await central.air.advance(by: .seconds(5))
    }
    let data = packets.filter { $0.type == 0 }.map { Hex.string($0.data) }
    let start = "02011A" + "0DFF4C00" + "0F0107" + "1005"
    #expect(data.contains { $0.hasPrefix(start + "7B18") && $0.count == 34 })
    #expect(data.last?.hasPrefix(start + "1318") == true)
    let response = try #require(packets.last { $0.type == 4 })
    #expect(response.data.starts(with: [0x14, 0xFF, 0x4C, 0x00, 0x01]))
  }

  @Test("The budgets of UUIDs and names") func budgets() async throws {
    let uuids = (0x1810...0x1812).map { BluetoothUUID(UInt16($0)) }
    func packets(_ values: String, _ uuids: [BluetoothUUID]) async throws -> (data: String, response: String) {
      let packets = try await Self.packets("txPowerLevel = none; \(values)") { phone, central in
        phone.launch(Self.app(name: "Heart Rate", uuids))
        await central.air.advance(by: .seconds(5))
      }
      return (
        Hex.string(try #require(packets.last { $0.type == 0 }).data),
        Hex.string(try #require(packets.last { $0.type == 4 }).data)
      )
    }
    let narrow = try await packets("foregroundBudget = 6; scanResponseNameBudget = 5;", uuids)
    #expect(narrow.data == "02011A" + "0502" + "1018" + "1118")
    #expect(narrow.response.hasPrefix("14FF4C0001") && narrow.response.hasSuffix("0408486561"))
    let wide = try await packets("foregroundBudget = 8; emptyScanResponseNameBudget = 7;", uuids)
    #expect(wide.data == "02011A" + "0703" + "1018" + "1118" + "1218")
    #expect(wide.response == "0608" + "4865617274")
  }

  @Test("The connection interval") func connection() async throws {
    let packets = try await Self.packets("connectionInterval = 45;") { phone, central in
      phone.launch(Self.app())
      await central.air.advance(by: .seconds(1))
      try await central.connect(to: phone)
    }
    let connect = try #require(packets.last { $0.type == 5 })
    // After the advertiser's address: access address, CRC, window; then the interval in 1.25 ms.
    #expect(connect.data.dropFirst(6 + 4 + 3 + 3).prefix(2) == [36, 0])
  }
}
