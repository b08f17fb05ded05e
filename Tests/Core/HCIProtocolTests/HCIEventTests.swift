import BleperaBluetooth
import Testing

@testable import BleperaHCIProtocol

@Suite("HCI: events")
struct HCIEventTests {
  /// An event, from its code on, as octets in hexadecimal.
  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    let code: HCIEventCode
    let event: String
    /// How many of the octets after the code have to be there.
    let least: Int?
    /// Decodes the parameters, and encodes the packet.
    let recode: @Sendable ([UInt8]) throws(HCIError) -> [UInt8]
    let isParsed: Bool

    init<Event: HCIEventParameters>(_ type: Event.Type, _ event: String, least: Int? = nil, isParsed: Bool = true) {
      (name, code, self.event, self.least, self.isParsed) = ("\(type)", type.code, event, least, isParsed)
      recode = { bytes throws(HCIError) in try Event(bytes).packet }
    }

    var testDescription: String { name }
  }

  private static let peer = "01 0102030405C6"

  static let rows: [Row] = [
    Row(HCICommandComplete.self, "0E 06 01 0120 00 AABB", least: 3),
    Row(HCICommandStatus.self, "0F 04 0C 01 0D20"),
    Row(HCICompletedPackets.self, "13 09 02 4000 0100 4100 0300"),
    Row(HCIDisconnectionComplete.self, "05 04 00 4000 13"),
    Row(HCIEncryptionChange.self, "08 04 00 4000 01"),
    Row(HCIEncryptionKeyRefresh.self, "30 03 00 4000"),
    Row(HCIHardwareError.self, "10 01 2A"), Row(HCIDataBufferOverflow.self, "1A 01 01"),
    Row(HCIRemoteVersion.self, "0C 08 00 4000 0D 4C00 0201", isParsed: false),
    Row(HCIInquiryComplete.self, "01 01 00", isParsed: false),
    Row(HCIClassicComplete.self, "03 0B 04 0000 010203040506 01 00", isParsed: false),
    Row(HCILEConnectionComplete.self, "3E 13 01 00 4000 00 \(peer) 1800 0000 4800 00"),
    Row(
      HCIEnhancedConnectionComplete.self,
      "3E 1F 0A 00 4000 01 02 010203040506 060504030241 0102030405 42 1800 0400 4800 05"),
    Row(HCIAdvertisingReports.self, "3E 19 02 02 00 \(peer) 03 02011A C4 04 03 060504030201 00 7F"),
    Row(
      HCIExtendedReports.self, "3E 1D 0D 01 1300 \(peer) 01 00 FF 7F C4 0000 00 000000000000 03 02011A"),
    Row(HCIConnectionUpdateComplete.self, "3E 0A 03 00 4000 1800 0000 4800"),
    Row(HCIRemoteFeatures.self, "3E 0C 04 00 4000 7F10000000000000", isParsed: false),
    Row(HCILongTermKeyRequest.self, "3E 0D 05 4000 0700000000000000 0900"),
    Row(HCIParameterRequest.self, "3E 0B 06 4000 0600 1800 0000 4800"),
    Row(HCIDataLengthChange.self, "3E 0B 07 4000 FB00 4808 1B00 4801"),
    Row(HCIPHYUpdate.self, "3E 06 0C 00 4000 02 01", isParsed: false),
    Row(HCIScanTimeout.self, "3E 01 11", isParsed: false),
    Row(HCISetTerminated.self, "3E 06 12 43 01 0000 05"),
  ]

  @Test("What is decoded encodes to the same octets", arguments: rows)
  func coding(row: Row) throws {
    let event = try bytes(row.event)
    #expect(event[0] == row.code.code && (row.code.subevent == nil || event[2] == row.code.subevent))
    #expect(try row.recode(Array(event.dropFirst(row.code.subevent == nil ? 2 : 3))) == [4] + event)
    let other = HCIEvent.other(code: row.code.code, subevent: row.code.subevent)
    #expect(try (HCIEvent(event) == other) == !row.isParsed)
  }

  @Test("An event that is cut is invalid, whether its length is right or not", arguments: rows)
  func cut(row: Row) throws {
    let event = try bytes(row.event)
    #expect((0..<event.count).allSatisfy { isInvalid(Array(event.prefix($0))) } && isInvalid(event + [0]))
    let body = event.dropFirst(2)
    let counts = 0..<(row.isParsed ? row.least ?? body.count : 0)
    #expect(counts.allSatisfy { isInvalid([event[0], UInt8($0)] + body.prefix($0)) })
  }

  private func isInvalid(_ event: [UInt8]) -> Bool {
    do throws(HCIError) {
      _ = try HCIEvent(event)
      return false
    } catch { return error == .invalidParameters }
  }

  @Test("The bits of the masks are those of the specification (7.3.1 and 7.8.1)")
  func masks() {
    let bits: [(HCIEventCode, Int?)] = [
      (HCIInquiryComplete.code, 0), (HCIClassicComplete.code, 2), (HCIDisconnectionComplete.code, 4),
      (HCIEncryptionChange.code, 7), (HCIRemoteVersion.code, 11), (HCIHardwareError.code, 15),
      (HCIDataBufferOverflow.code, 25), (HCIEncryptionKeyRefresh.code, 47), (HCILEConnectionComplete.code, 0),
      (HCIParameterRequest.code, 5), (HCIEnhancedConnectionComplete.code, 9), (HCISetTerminated.code, 17),
      (HCICommandComplete.code, nil), (HCICompletedPackets.code, nil),
    ]
    for (code, bit) in bits { #expect(code.bit == bit, "\(code)") }
  }

  @Test("Both events of a connection are one case")
  func connections() throws {
    guard case .connectionComplete(let first) = try HCIEvent(bytes(Self.rows[11].event)),
      case .connectionComplete(let second) = try HCIEvent(bytes(Self.rows[12].event))
    else { throw HCIError.invalidParameters }
    #expect(first.isCentral && first.peer == DeviceAddress(bits: 0xC605_0403_0201, isRandom: true))
    #expect(!first.isResolved && first.ownPrivate == nil && first.interval == 24 && first.timeout == 72)
    #expect(!second.isCentral && second.peer == DeviceAddress(bits: 0x0605_0403_0201) && second.isResolved)
    #expect(second.ownPrivate == DeviceAddress(bits: 0x4102_0304_0506, isRandom: true))
    #expect(second.peerPrivate == DeviceAddress(bits: 0x4205_0403_0201, isRandom: true) && second.accuracy == 5)
  }

  @Test("Version 2 of an event is read as version 1")
  func versions() throws {
    let second = try bytes("3E 22" + "29" + Self.rows[12].event.filter { $0 != " " }.dropFirst(6) + "FF FFFF")
    #expect(try HCIEvent(second) == HCIEvent(bytes(Self.rows[12].event)))
    #expect(
      try HCIEvent(bytes("59 05 00 4000 01 10")) == .encryptionChange(HCIEncryptionChange(0x40, status: 0, isOn: true)))
  }

  @Test("A log's event may be cut, or have any length and any version")
  func logged() throws {
    let event = try bytes("59 00 00 4000 01 10")
    #expect(
      HCIEncryptionChange(loggedEvent: event[...], atLeast: 4) == HCIEncryptionChange(0x40, status: 0, isOn: true))
    #expect(HCIEncryptionChange(loggedEvent: event.prefix(5), atLeast: 3)?.handle == 0x40)
    #expect(HCIEncryptionChange(loggedEvent: event.prefix(5), atLeast: 4) == nil)
    #expect(HCIDisconnectionComplete(loggedEvent: event[...], atLeast: 0) == nil)
    for count in 0...3 {
      #expect((HCIScanTimeout(loggedEvent: [0x3E, 1, 0x11].prefix(count), atLeast: 0) != nil) == (count == 3))
    }
    // The set is outside its range.
    #expect(HCISetAddress(logged: [0xF0, 1, 2, 3, 4, 5, 0xC6], atLeast: 7)?.set == 0xF0)
  }

  @Test("Reports have their fields, also of several devices")
  func reports() throws {
    guard case .advertisingReports(let reports) = try HCIEvent(bytes(Self.rows[13].event)),
      case .extendedReports(let extended) = try HCIEvent(bytes(Self.rows[14].event))
    else { throw HCIError.invalidParameters }
    #expect(reports.map(\.data) == [[2, 1, 0x1A], []] && reports.map(\.rssi) == [-60, 127])
    #expect(reports.map(\.isResolved) == [false, true] && reports[1].type == 4 && reports[1].address.isRandom)
    #expect(extended[0].kind == [.connectable, .scannable, .legacy] && extended[0].set == 0xFF)
    #expect(extended[0].data == [2, 1, 0x1A] && extended[0].rssi == -60 && extended[0].power == 127)
  }

  @Test(
    "Events that a host does not use have their codes",
    arguments: [("FF 01 00", nil), ("3E 01 7F", 0x7F)] as [(String, UInt8?)])
  func others(event: String, subevent: UInt8?) throws {
    let event = try bytes(event)
    #expect(try HCIEvent(event) == .other(code: event[0], subevent: subevent))
  }

  @Test("No octets make the parser crash")
  func random() {
    var random = SplitMix64(seed: 63)
    let codes = Self.rows.map(\.code)
    for _ in 0..<20_000 {
      let code = codes[Int.random(in: 0..<codes.count, using: &random)]
      let head = code.subevent.map { [$0] } ?? []
      let body =
        head
        + (0..<Int.random(in: 0...60, using: &random)).map { _ in
          UInt8.random(in: 0...UInt8.random(in: 0...255, using: &random), using: &random)
        }
      _ = try? HCIEvent([code.code, UInt8(body.count)] + body)
    }
  }
}
