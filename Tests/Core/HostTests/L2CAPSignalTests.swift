import BleperaBluetooth
import Testing

@testable import BleperaHost

@Suite("Commands of the LE signaling channel, of Vol 3, Part A, 4")
struct L2CAPSignalTests {
  private static let offer = L2CAPSignal.CreditOffer(channel: 0x0040, mtu: 0x0102, mps: 0x0017, credits: 3)

  static let samples: [(L2CAPSignal.Content, String)] = [
    (.commandReject(reason: 2, data: [0x40, 0, 0x41, 0]), "01070600" + "0200" + "40004100"),
    (.disconnectionRequest(destination: 0x0041, source: 0x0040), "06070400" + "41004000"),
    (.disconnectionResponse(destination: 0x0041, source: 0x0040), "07070400" + "41004000"),
    (
      .parameterUpdateRequest(
        L2CAPSignal.ParameterUpdate(minimumInterval: 6, maximumInterval: 24, latency: 0, timeout: 72)),
      "12070800" + "0600180000004800"
    ),
    (.parameterUpdateResponse(1), "13070200" + "0100"),
    (.creditConnectionRequest(L2CAPPSM(rawValue: 0x80), offer), "14070A00" + "8000" + "4000020117000300"),
    (.creditConnectionResponse(offer, result: 2), "15070A00" + "4000020117000300" + "0200"),
    (.credits(channel: 0x0040, count: 0x0105), "16070400" + "40000501"),
    (.other(code: 0x17, data: [1, 2]), "17070200" + "0102"),
    (.other(code: 0x16, data: [1, 2, 3]), "16070300" + "010203"),
  ]

  @Test("A command is written as the specification has it, and read again", arguments: samples)
  func sample(content: L2CAPSignal.Content, hex: String) {
    let signal = L2CAPSignal(identifier: 7, content)
    #expect(Hex.string(signal.bytes) == hex)
    #expect(L2CAPSignal(signal.bytes) == signal)
    for count in 0..<signal.bytes.count { #expect(L2CAPSignal(Array(signal.bytes.prefix(count))) == nil) }
    #expect(L2CAPSignal(signal.bytes + [0]) == nil)
  }

  @Test("An identifier is never 0")
  func identifier() { #expect(L2CAPSignal([0x16, 0, 4, 0, 0x40, 0, 5, 1]) == nil) }
}
