import BleperaBluetooth
import TestSupport
import Testing

@Suite("A Device Name")
struct DeviceNameTests {
  @Test(
    "has 1 to 248 bytes and no control characters",
    arguments: [
      ("iPhone", nil), ("Ada\u{2019}s iPhone", nil), (" ", nil), (String(repeating: "\u{E9}", count: 124), nil),
      ("", "an empty string"), (String(repeating: "\u{E9}", count: 124) + "s", "a name of 249 bytes"),
      ("Ada\n", "\"Ada\\n\""), ("\u{1B}[31m", "\"\\u{1B}[31m\""), ("\u{85}", "\"\\u{85}\""),
    ] as [(String, String?)])
  func fault(text: String, fault: String?) {
    #expect(DeviceName.fault(of: text) == fault)
  }

  @Test("ends at its first zero byte, as an advertised name does", arguments: PeerText.all)
  func received(text: PeerText) {
    #expect(LocalName.received(text.bytes) == text.name)
    let packet = [UInt8(text.bytes.count + 1), ADType.completeLocalName] + text.bytes
    #expect(AdvertisedContent(AdvertisingData(leniently: packet).structures).name == text.advertised)
  }
}
