import BleperaBluetooth
import BleperaRules
import Testing

@testable import BleperaCompare

@Suite struct HostLogTests {
  private static let address = "C4B3A29150F0"
  private static let uuid = "03030D18"

  /// Reports of one advertisement, from the number of reports on; the legacy one and the extended one.
  private static func report(_ isExtended: Bool, isResponse: Bool = false, _ data: String) -> String {
    let length = Hex.string([UInt8(data.count / 2)])
    return isExtended
      ? "0D 01 \(isResponse ? "1B" : "13")00 01 \(address) 01 00 FF 7F C4 0000 00 000000000000 \(length)\(data)"
      : "02 01 \(isResponse ? "04" : "00") 01 \(address) \(length)\(data) C4"
  }

  private static func log(_ packets: [(HCIPacketKind, Bool, Double, String)]) throws -> CaptureComparison {
    var comparison = CaptureComparison(
      PhoneSelection(services: [try #require(BluetoothUUID("180D"))]), receiver: .host)
    for (kind, isReceived, time, text) in packets {
      let bytes = try #require(Hex.bytes(text.filter { $0 != " " }))
      comparison.add(
        CapturedPacket(
          number: 0, time: Int64(time * 1e6),
          content: .hci(HCIPacket(kind: kind, isReceived: isReceived, bytes: bytes))))
    }
    return comparison
  }

  private static func event(_ time: Double, _ text: String) -> (HCIPacketKind, Bool, Double, String) {
    (.event, true, time, "3E 00 \(text)")
  }

  private static func measured(_ comparison: CaptureComparison, _ name: String) -> RuleContent? {
    comparison.compare(with: .newest).first { $0.name == name }?.measured?.content
  }

  @Test("the phone is found by its reports, whose gaps are its interval", arguments: [false, true])
  func reports(isExtended: Bool) throws {
    let advertisement = "02011A020A0C\(Self.uuid)"
    let packets = (0..<40).flatMap { number in
      let time = Double(number) * 30 + Double(number % 4)
      return [
        Self.event(time, Self.report(isExtended, advertisement)),
        Self.event(time + 0.3, Self.report(isExtended, isResponse: true, "03084142")),
      ]
    }
    let comparison = try Self.log(packets)
    #expect(comparison.airPackets == 80 && comparison.logPackets == 0)
    guard case .milliseconds(let interval)? = Self.measured(comparison, "foregroundInterval") else {
      Issue.record("no interval is seen")
      return
    }
    #expect((26.5...30.5).contains(interval))
    // The host's clock is not the controller's.
    #expect(Self.measured(comparison, "advertisingDelay") == nil)
    #expect(comparison.observations.contains { $0.name == "layout" && $0.text.contains("shortened name") })
    #expect(comparison.observations.contains { $0.text == "-60 to -60 dBm" })
  }

  @Test("where duplicates are filtered, gaps show nothing", arguments: ["0C20 02 01 01", "4220 06 01 01 0000 0000"])
  func duplicates(command: String) throws {
    let packets = (0..<40).map { Self.event(Double($0) * 30, Self.report(false, "02011A\(Self.uuid)")) }
    let comparison = try Self.log([(.command, false, 0, command)] + packets)
    #expect(comparison.airPackets == 40 && Self.measured(comparison, "foregroundInterval") == nil)
  }

  @Test func `the interval of a link that the phone made counts beside links that the host made`() throws {
    let links = [(0x40, 0, 12), (0x41, 1, 24), (0x42, 0, 12)].map { handle, role, interval in
      let fields = [handle, 0, role, 1].map { Hex.string([UInt8($0)]) }.joined()
      return "01 00 \(fields) \(Self.address) \(Hex.string([UInt8(interval)]))00 0000 4800 00"
    }
    let report = Self.event(0, Self.report(false, "02011A\(Self.uuid)"))
    let comparison = try Self.log([report] + links.map { Self.event(1, $0) })
    #expect(Self.measured(comparison, "connectionInterval") == .milliseconds(30))
  }

  @Test("adapters whose packets come one after the other are as captures of their own")
  func adapters() throws {
    let connected = "01 00 4000 01 01 \(Self.address) 1800 0000 4800 00"
    let report = Self.event(0, Self.report(false, "02011A\(Self.uuid)"))
    // The second adapter's link with the same handle is another peer's.
    let other = "01 00 4000 00 01 060504030201 0C00 0000 4800 00"
    let handles = "4020 0C00 0800 0400 11 06 0100 0500 "
    var whole = try Self.log([report, Self.event(1, connected), (.acl, true, 2, handles + "0018")])
    var apart = whole
    apart.beginCapture()
    for (kind, text) in [(HCIPacketKind.event, "3E 00 \(other)"), (.acl, handles + "0118")] {
      let bytes = try #require(Hex.bytes(text.filter { $0 != " " }))
      var packet = CapturedPacket(
        number: 0, time: 3, content: .hci(HCIPacket(kind: kind, isReceived: true, bytes: bytes)))
      apart.add(packet)
      packet.adapter = 1
      whole.add(packet)
    }
    #expect(Self.measured(whole, "ownHandles") == .fields([.init("1800", .number(1))]))
    #expect(whole.compare(with: .newest) == apart.compare(with: .newest) && whole.observations == apart.observations)
  }

  /// Connection Complete and its enhanced form, to a private address that the controller has resolved.
  @Test("links with the phone show what it sends and asks for", arguments: [true, false], [false, true])
  func links(isEnhanced: Bool, isCentral: Bool) throws {
    let peers = isEnhanced ? "03 010203040506 000000000000 \(Self.address)" : "01 \(Self.address)"
    let connected = "\(isEnhanced ? "0A" : "01") 00 4000 \(isCentral ? "01" : "00") \(peers) 1800 0000 4800 00"
    let other = "01 00 4100 00 01 060504030201 0C00 0000 4800 00"
    let comparison = try Self.log([
      Self.event(0, Self.report(false, "02011A\(Self.uuid)")), Self.event(1, connected), Self.event(2, other),
      // An MTU of 527 from the phone, and of 100 from the host and from another peer.
      (.acl, true, 3, "4020 0700 0300 0400 02 0F02"), (.acl, false, 4, "4020 0700 0300 0400 02 6400"),
      (.acl, true, 5, "4120 0700 0300 0400 02 6400"),
      // The phone's first response to the search for services: 1800 at 0x0001.
      (.acl, true, 6, "4020 0C00 0800 0400 11 06 0100 0500 0018"),
      (.event, true, 7, "05 04 00 4000 13"),
    ])
    #expect(Self.measured(comparison, "clientMTU") == .number(527))
    #expect(Self.measured(comparison, "ownHandles") == .fields([.init("1800", .number(1))]))
    // The interval is that of the central.
    #expect(Self.measured(comparison, "connectionInterval") == (isCentral ? .milliseconds(30) : nil))
    let seen = comparison.observations.filter { $0.name == "first link parameters" }.map(\.text)
    #expect(seen == ["30 ms, latency 0, 720 ms"])
  }
}
