import BleperaBluetooth
import BleperaRules
import Testing

@testable import BleperaCompare

@Suite struct CaptureComparisonTests {
  @Test("the phone's model and version are read from its notes, and a note of any bytes is not printed")
  func notes() {
    var comparison = CaptureComparison(PhoneSelection())
    for note in [
      "Product: iPhone18,2", "Software: Version 26.5.1 (Build 23F81)\u{1B}[2J", "Address: 00:11:22:33:44:55",
    ] {
      comparison.add(CapturedPacket(number: 1, time: 0, content: .note(note)))
    }
    #expect(comparison.product == "iPhone18,2")
    #expect(comparison.software == "Version 26.5.1 (Build 23F81)")
    #expect(comparison.packets == 3 && comparison.airPackets == 0)
    #expect(comparison.ios == .ios26)
  }

  @Test func `what a phone's own log does not show has no other reason`() {
    var comparison = CaptureComparison(PhoneSelection())
    func reasons() -> Set<String?> {
      Set(comparison.compare(with: RuleSet(.newest)).filter { $0.visibility == .hci }.map { comparison.reason($0) })
    }
    #expect(reasons() == ["only in a phone's own log"])
    let reset = HCIPacket(kind: .command, isReceived: false, bytes: [3, 0x0C, 0])
    comparison.add(CapturedPacket(number: 1, time: 0, content: .hci(reset)))
    #expect(reasons() == [nil])
  }

  @Test("intervals of a clock that fits none are named")
  func unfit() throws {
    var comparison = CaptureComparison(PhoneSelection(services: [SniffedAirTests.service]))
    let advertiser = SniffedAirTests.Advertiser(
      address: 0x4A0D_A81F_846F, data: "02011A 03030D18", interval: 30)
    for var packet in try SniffedAirTests.packets([advertiser]) {
      // A buffer of 131.072 ms is stamped within a fifth of that.
      packet.time = packet.time / 131_072_000 * 131_072_000 + packet.time % 131_072_000 / 5
      comparison.add(packet)
    }
    let values = comparison.compare(with: RuleSet(.newest))
    #expect(values.allSatisfy { $0.measured == nil || $0.name == "txPowerLevel" })
    let unfit = values.filter { comparison.reason($0) == "clock unfit for gaps" }
    #expect(unfit.map(\.name) == ["foregroundInterval"])
  }

  @Test func `of each value that bluetoothd does not report, that is the reason`() {
    let comparison = CaptureComparison(PhoneSelection(services: [SniffedAirTests.service]), receiver: .daemon)
    let values = comparison.compare(with: RuleSet(.newest))
    func names(_ reason: String?) -> [String] { values.filter { comparison.reason($0) == reason }.map(\.name) }
    #expect(names(nil) == ["txPowerLevel", "backgroundAppleItems", "nearbyInfoStatus", "addressRotation"])
    #expect(names("only in a phone's own log").contains("sleepScan"))
    #expect(names("bluetoothd does not report it").contains("backgroundInterval"))
  }

  @Test(
    "a content is written for people, and bytes only where values are asked for",
    arguments: [
      (.milliseconds(181.25), "181.25 ms"), (.milliseconds(270), "270 ms"), (.none, "none"),
      (.list([.bytes([0x10, 3, 0x33, 4, 5])]), "1003 and 3 bytes"),
      (.fields([.init("locked", .bytes([0x33])), .init("unlocked", .bytes([0x7B]))]), "locked 33, unlocked 7B"),
    ] as [(RuleContent, String)])
  func texts(content: RuleContent, text: String) {
    #expect(content.text() == text)
  }

  @Test func `bytes are shown where values are asked for`() {
    #expect(RuleContent.bytes([0x10, 3, 0x33, 4, 5]).text(showsValues: true) == "1003330405")
  }
}
