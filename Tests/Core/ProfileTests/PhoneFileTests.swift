import BleperaBluetooth
import BleperaProfile
import BleperaRules
import Testing

@Suite("Phone files")
struct PhoneFileTests {
  static func check(_ text: String) -> PhoneFileCheck { MeasuredPhone.check(Array(text.utf8), file: "a/my.plist") }

  @Test("Every visible value is read, with the comment above it as its source") func everything() throws {
    let check = Self.check(
      """
      // an iPhone
      {
        Phone = "iPhone18,2";
        iOS = 18;
        DeviceName = "Ada's iPhone";
        // measured: log.pklg, 127 packets, 2026-11-24
        txPowerLevel = none;
        txPowerPlace = last;   // trailing
        backgroundAppleItems = ( <0F 01 07>, 100503aabbccdd );
        // two lines,
        // joined
        nearbyInfoStatus = { locked = 33; };
        handoffInterval = { first = 30; newTime = 2000; then = 181.25; };
        advertisingDelay = { maximum = 5; step = 1.25; };
        ownHandles = { 180A = 10; D0611E78-BBB4-4591-A5F8-487910AE4366 = 47; };
        clientMTU = 247;
      }
      """)
    #expect(check.diagnostics.isEmpty)
    let phone = try #require(check.phone)
    #expect((phone.name, phone.ios, phone.deviceName) == ("iPhone18,2", .ios18, "Ada's iPhone"))
    let values = RuleSet(.ios18).with(phone).values
    let texts = Dictionary(uniqueKeysWithValues: values.map { ($0.name, $0.text) })
    #expect(texts["txPowerLevel"] == "none")
    #expect(texts["txPowerPlace"] == "last")
    #expect(texts["backgroundAppleItems"] == "0F 01 07, 10 05 03 AA BB CC DD")
    #expect(texts["nearbyInfoStatus"] == "33 locked, 7B unlocked")
    #expect(texts["handoffInterval"] == "30 ms for 2 s, then 181.25 ms")
    #expect(texts["advertisingDelay"] == "0 to 5 ms in steps of 1.25 ms")
    #expect(texts["ownHandles"] == "2 services")
    #expect(texts["clientMTU"] == "247 bytes")
    let sources = Dictionary(uniqueKeysWithValues: values.map { ($0.name, $0.source) })
    #expect(sources["txPowerLevel"] == "log.pklg, 127 packets, 2026-11-24")
    #expect(sources["nearbyInfoStatus"] == "two lines, joined")
    #expect(sources["txPowerPlace"] == "my.plist" && sources["backgroundAppleItems"] == "my.plist")
    #expect(sources["ownInterval"] == RuleSet(.ios18).ownInterval.source)
  }

  @Test("What is written is read again", arguments: IOSVersion.allCases, [true, false])
  func roundTrip(version: IOSVersion, hasVersion: Bool) {
    let values = VisibleValue.all.compactMap { value -> MeasuredPhone.Value? in
      let content = value.content(in: RuleSet(version))
      guard content != .none || value.name == "txPowerLevel" else { return nil }
      return MeasuredPhone.Value(value.name, content, source: "\(value.name) of a file")
    }
    #expect(values.count > 20)
    let phone = MeasuredPhone(
      name: "a \"phone\"", ios: hasVersion ? version : nil, deviceName: hasVersion ? "Ada's" : nil, values: values)
    let check = Self.check(phone.text(head: ["Written by a test."]))
    #expect(check.diagnostics.isEmpty)
    #expect(check.phone == phone)
  }

  @Test(
    "Faults are reported at their place",
    arguments: [
      ("{ iOS = 26; }", "1:1: error: found no key Phone, expected Phone, a string"),
      ("{ Phone = \"\"; }", "1:12: error: Phone: found an empty string, expected a model such as iPhone18,2"),
      ("{ Phone = a; iOS = 9; }", "1:20: error: iOS: found 9, expected the major number of iOS: 10 to 18, 26 or 27"),
      (
        "{ Phone = a; ownIntervall = 5; }",
        "did you mean 'ownInterval'?"
      ),
      (
        "{ Phone = a; DeviceName = \"\"; }",
        "DeviceName: found an empty string, expected 1 to 248 bytes of UTF-8 without control characters"
      ),
      ("{ Phone = a; ownInterval = 5; }", "ownInterval: found 5, expected milliseconds from 20 to 10240"),
      ("{ Phone = a; ownInterval = fast; }", "found the string \"fast\", expected an integer or a real"),
      ("{ Phone = a; txPowerLevel = 99; }", "txPowerLevel: found 99, expected dBm from -127 to 20"),
      ("{ Phone = a; txPowerLevel = no; }", "found \"no\", expected dBm, -127 to 20, or none"),
      ("{ Phone = a; txPowerPlace = lst; }", "expected afterFlags or last; did you mean 'last'?"),
      (
        "{ Phone = a; nearbyInfoStatus = { locked = 3333; }; }",
        "nearbyInfoStatus.locked: found 2 bytes, expected 1 byte"
      ),
      ("{ Phone = a; handoffInterval = { frist = 30; }; }", "did you mean 'first'?"),
      ("{ Phone = a; backgroundAppleItems = ( 100501 ); }", "found 10 05 01, expected an item's type"),
      ("{ Phone = a; foregroundScan = { window = 50; }; }", "found fields that contradict each other"),
      ("{ Phone = a; ownHandles = { 18 = 1; }; }", "ownHandles.18: found \"18\", expected a UUID"),
      ("{ Phone = a; ownHandles = { 180A = 0; }; }", "ownHandles.180A: found the integer 0, expected a handle"),
      ("{ BLEPeripheral = {}; }", "found a profile, expected a phone file"),
      ("{ Steps = (); }", "found a scenario, expected a phone file"),
    ])
  func faults(text: String, message: String) {
    let check = Self.check(text)
    #expect(check.phone == nil)
    let diagnostics = check.diagnostics.map { "\($0)" }
    #expect(diagnostics.contains { $0.contains(message) }, "\(diagnostics)")
  }

  @Test("A handle that became a string in XML is read") func stringHandle() {
    let xml =
      "<plist><dict><key>Phone</key><string>a</string><key>ownHandles</key><dict><key>180A</key><string>16</string>"
    let check = Self.check(xml + "</dict></dict></plist>")
    #expect(check.phone?.values.first?.content == .fields([.init("180A", .number(16))]))
  }

  @Test("A phone file is no profile") func profile() {
    let check = Profile.check(Array("{ Phone = a; }".utf8), file: "a.plist")
    #expect(check.diagnostics.map { "\($0)" }.first?.contains("found a phone file, expected a profile") == true)
  }
}
