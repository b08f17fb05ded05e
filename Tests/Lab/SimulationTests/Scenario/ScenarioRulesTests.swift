import BleperaPhone
import BleperaProfile
import BleperaPropertyLists
import BleperaRadio
import TestSupport
import Testing

@testable import BleperaSimulation

@Suite struct ScenarioRulesTests {
  private static func check(_ bytes: [UInt8]) -> ScenarioCheck {
    Scenario.check(bytes, file: "folder/f.plist") { path in
      switch path {
      case "folder/lock.plist":
        .success(Array("<plist version=\"1.0\">\(ScenarioSample.profile)</plist>".utf8))
      case "folder/faulty.plist": .success(Array("<plist version=\"1.0\"><dict/></plist>".utf8))
      default: .failure(UnreadableProfile(reason: "no such file"))
      }
    }
  }

  /// A scenario, and a text for each marker in it.
  static let faults: [(String, [String])] = [
    (
      "<plist version=\"1.0\">⟦⟦<dict>\n<key>⟦Titel</key><string>A</string>\n</dict></plist>",
      ["found no key Steps", "found no key Phones", "did you mean 'Title'?"]
    ),
    (
      ScenarioSample.step("⟦scann"),
      ["Steps[0].Do: found \"scann\", expected serve, foreground"]
    ),
    (
      ScenarioSample.step("background", "<key>⟦Ap</key><string>lock</string>"),
      ["found the unknown key \"Ap\", expected Do, Note, Phone or App for the step background; did you mean 'App'?"]
    ),
    (
      ScenarioSample.step("background", "<key>App</key><string>⟦lok</string>"),
      ["Steps[0].App: found \"lok\", expected an app: lock; did you mean 'lock'?"]
    ),
    (
      ScenarioSample.step("disconnect", "<key>Central</key><string>⟦gateway</string>"),
      ["Steps[0].Central: found \"gateway\", expected a central: door"]
    ),
    (
      ScenarioSample.step("read", "<key>Characteristic</key><string>⟦FE02</string>"),
      ["found FE02, which no profile here has, expected FE01; did you mean 'FE01'?"]
    ),
    (
      ScenarioSample.step(
        "read",
        "<key>Characteristic</key><string>FE01</string><key>Expect</key>⟦<dict><key>Value</key><string>01</string>"
          + "<key>Missing</key><true/></dict>"),
      ["found 2 answers to one request, expected one of them"]
    ),
    (
      ScenarioSample.step(
        "read",
        "<key>Characteristic</key><string>FE01</string><key>Expect</key><dict>"
          + "<key>Error</key><string>⟦unlikleyError</string></dict>"),
      ["did you mean 'unlikelyError'?"]
    ),
    (
      ScenarioSample.step(
        "scan", "<key>Expect</key><dict><key>Found</key><false/><key>LocalName</key>⟦<string>A</string></dict>"),
      ["found LocalName as well as Found, expected one of them"]
    ),
    (
      ScenarioSample.step(
        "inspect", "<key>Expect</key><dict><key>Discovered</key><array><string>⟦fone</string></array></dict>"),
      ["found \"fone\", expected a phone: phone"]
    ),
    (
      ScenarioSample.step("scan", "<key>LookFor</key><dict><key>Services</key>⟦<array/></dict>"),
      ["found Services of door, a central of the kind plain, expected ServiceUUID or OverflowUUID"]
    ),
    (
      ScenarioSample.step("scan", "<key>Within</key><integer>⟦0</integer>"),
      ["Steps[0].Within: found 0, expected seconds from 0.01 to 86400"]
    ),
    (ScenarioSample.step("wait").marked("<dict><key>Do"), ["found no key Seconds"]),
    (ScenarioSample.step("check").marked("<dict><key>Do"), ["found nothing that is expected, expected Expect with"]),
    (
      ScenarioSample.step("fault").marked("<dict><key>Do"), ["found none of What, Defect, Loss, Latency or AnswerDelay"]
    ),
    (
      ScenarioSample.step("fault", "<key>Defect</key><string>⟦write-stal</string>"), ["did you mean 'write-stall'?"]
    ),
    (
      ScenarioSample.step(
        "fault", "<key>What</key><string>unplugAdapter</string><key>Defect</key><string>⟦write-stall</string>"),
      ["found What and Defect, expected one of them"]
    ),
    (
      ScenarioSample.step("fault", "<key>Loss</key><real>0.5</real><key>On</key><false/>⟦"),
      ["found On, expected On only with a Defect"]
    ),
    (
      ScenarioSample.step("write", "<key>Characteristic</key><string>FE01</string><key>Value</key><string>⟦1</string>"),
      ["found \"1\", an odd number of digits, expected data, or hexadecimal digits"]
    ),
    (
      ScenarioSample.steps(
        "⟦<dict><key>Do</key><string>lock</string></dict>",
        phones: ScenarioSample.phone("one", ScenarioSample.app("a"))
          + ScenarioSample.phone("two", ScenarioSample.app("b"))
      ),
      ["found no key Phone, expected Phone, since there are several: one or two"]
    ),
    (
      ScenarioSample.steps(
        "<dict><key>Do</key><string>suspend</string><key>Phone</key><string>one</string>"
          + "<key>App</key><string>⟦b</string></dict>",
        phones: ScenarioSample.phone("one", ScenarioSample.app("a"))
          + ScenarioSample.phone("two", ScenarioSample.app("b"))
      ),
      ["found \"b\", which is on the phone two, expected an app of the phone one"]
    ),
    (
      ScenarioSample.steps(
        "<dict><key>Do</key><string>lock</string></dict>",
        centrals: "<dict><key>Name</key><string>⟦phone</string></dict>"),
      ["found \"phone\" a second time"]
    ),
    (
      ScenarioSample.steps(
        "<dict><key>Do</key><string>lock</string></dict>",
        centrals: "<dict><key>Name</key><string>door</string><key>IOS</key>⟦<integer>14</integer></dict>"),
      ["found IOS of a plain central"]
    ),
    (
      ScenarioSample.steps(
        "<dict><key>Do</key><string>lock</string></dict>",
        centrals: "<dict><key>Name</key><string>door</string><key>MTU</key><integer>⟦22</integer></dict>"),
      ["Centrals[0].MTU: found 22, expected bytes from 23 to 517"]
    ),
    (
      ScenarioSample.steps(
        "<dict><key>Do</key><string>lock</string></dict>",
        phones: "<dict><key>Name</key><string>phone</string><key>IOS</key><integer>⟦19</integer>"
          + "<key>Apps</key><array>\(ScenarioSample.app("lock"))</array></dict>"),
      ["found 19, expected 10 to 18, 26 or 27"]
    ),
    (
      ScenarioSample.steps(
        "<dict><key>Do</key><string>lock</string></dict>",
        phones: "<dict><key>Name</key><string>phone</string><key>IOS</key><integer>18</integer>"
          + "<key>PhoneKind</key><string>⟦n1</string><key>Apps</key><array>\(ScenarioSample.app("lock"))</array></dict>"
      ),
      ["found iOS 18, expected iOS 26 to 27"]
    ),
    (
      ScenarioSample.steps(
        "<dict><key>Do</key><string>lock</string></dict>",
        phones:
          "<dict><key>Name</key><string>phone</string><key>DeviceName</key><string>⟦\(String(repeating: "a", count: 249))"
          + "</string><key>Apps</key><array>\(ScenarioSample.app("lock"))</array></dict>"),
      ["Phones[0].DeviceName: found a name of 249 bytes, expected 1 to 248 bytes of UTF-8 without control characters"]
    ),
    (
      ScenarioSample.steps(
        "<dict><key>Do</key><string>lock</string></dict>",
        phones: ScenarioSample.phone("phone", ScenarioSample.app("lock", "<string>⟦locks.plist</string>"))),
      ["Phones[0].Apps[0].Profile: found \"locks.plist\", no such file"]
    ),
    (
      ScenarioSample.steps(
        "<dict><key>Do</key><string>lock</string></dict>",
        phones: ScenarioSample.phone("phone", ScenarioSample.app("lock", "⟦<dict/>"))),
      ["Phones[0].Apps[0].Profile: found no key BLEPeripheral"]
    ),
  ]

  @Test(
    arguments: [
      ("", "iPhone"), ("<key>SplitView</key><true/>", "iPad"),
      ("<key>SplitView</key><true/><key>DeviceName</key><string>Ada's iPhone</string>", "Ada's iPhone"),
    ])
  func `the name of a phone is its user's`(keys: String, name: String) throws {
    let phone = ScenarioSample.phone("phone", ScenarioSample.app("lock"))
    let text = ScenarioSample.steps(
      "<dict><key>Do</key><string>serve</string></dict>",
      phones: phone.replacing("<key>Apps</key>", with: keys + "<key>Apps</key>"))
    #expect(try #require(Self.check(Array(text.utf8)).scenario).phones.map(\.settings.deviceName) == [name])
  }

  @Test(arguments: faults.indices)
  func `a fault is reported at its place`(index: Int) {
    let (text, expected) = Self.faults[index]
    let marked = Marked(text)
    let check = Self.check(marked.bytes)
    let lines = check.diagnostics.map(\.description)
    #expect(check.diagnostics.map { "\($0.line):\($0.column)" } == marked.places, "\(lines)")
    #expect(lines.count == expected.count)
    for (line, text) in zip(lines, expected) { #expect(line.contains(text)) }
    #expect(check.scenario == nil)
  }

  @Test(arguments: [("", true), ("<key>On</key><true/>", true), ("<key>On</key><false/>", false)])
  func `a phone has a defect from a step on`(key: String, isOn: Bool) throws {
    let text = ScenarioSample.step("fault", "<key>Defect</key><string>silent-ready</string>" + key)
    let step = try #require(Self.check(Array(text.utf8)).scenario?.steps.first)
    var fault = Scenario.Step.Fault()
    fault.event = .defect(.silentReady, phone: "phone", isOn: isOn)
    #expect(step.action == .fault(fault))
    #expect(step.text == "defect silent-ready of phone \(isOn ? "on" : "off")")
  }

  @Test func `a step may use the characteristics of a phone's own services`() throws {
    let app = ScenarioSample.app("lock")
    let steps = "<dict><key>Do</key><string>read</string><key>Characteristic</key><string>2A19</string></dict>"
    let plain = Self.check(Array(ScenarioSample.steps(steps).utf8))
    #expect(plain.scenario == nil)
    for isOn in [true, false] {
      let phone =
        "<dict><key>Name</key><string>phone</string><key>PhoneServices</key><\(isOn)/>"
        + "<key>Apps</key><array>\(app)</array></dict>"
      let check = Self.check(Array(ScenarioSample.steps(steps, phones: phone).utf8))
      #expect(check.scenario?.phones.map(\.settings.phoneServices) == (isOn ? [true] : nil))
    }
  }

  @Test func `all faults are reported at once`() {
    let text = ScenarioSample.steps(
      """
      <dict><key>Do</key><string>background</string><key>App</key><string>⟦x</string></dict>
      <dict><key>Do</key><string>⟦flay</string></dict>
      <dict><key>Do</key><string>read</string><key>Characteristic</key><string>⟦18XD</string></dict>
      """)
    let marked = Marked(text)
    #expect(Self.check(marked.bytes).diagnostics.map { "\($0.line):\($0.column)" } == marked.places)
  }

  @Test(
    arguments: [
      ("", false), ("<key>PublicAddress</key><true/>", true), ("<key>PublicAddress</key><false/>", false),
    ])
  func `a phone has private addresses unless the scenario says otherwise`(key: String, isPublic: Bool) throws {
    let phone = ScenarioSample.phone("phone", ScenarioSample.app("lock"))
    let text = ScenarioSample.steps(
      "<dict><key>Do</key><string>serve</string></dict>",
      phones: phone.replacing("<key>Apps</key>", with: key + "<key>Apps</key>"))
    #expect(try #require(Self.check(Array(text.utf8)).scenario).phones.map(\.settings.usesPublicAddress) == [isPublic])
  }

  @Test(
    arguments: [("", "just-works"), ("refuse", "refuse"), ("passkey", "passkey"), ("compare", "compare")])
  func `a phone accepts every pairing unless the scenario says otherwise`(word: String, mode: String) throws {
    let phone = ScenarioSample.phone("phone", ScenarioSample.app("lock"))
    let key = word.isEmpty ? "" : "<key>Pairing</key><string>\(word)</string>"
    let text = ScenarioSample.steps(
      "<dict><key>Do</key><string>serve</string></dict>",
      phones: phone.replacing("<key>Apps</key>", with: key + "<key>Apps</key>"))
    #expect(try #require(Self.check(Array(text.utf8)).scenario).phones.map(\.settings.pairing.rawValue) == [mode])
  }

  @Test func `a profile's path is relative to the scenario, and its errors are reported in its own file`() throws {
    let text = ScenarioSample.steps(
      "<dict><key>Do</key><string>serve</string></dict>",
      phones: ScenarioSample.phone("phone", ScenarioSample.app("lock", "<string>lock.plist</string>")))
    let check = Self.check(Array(text.utf8))
    #expect(check.diagnostics == [])
    #expect(try #require(check.scenario).apps.map(\.fallbackName) == ["lock"])
    let faulty = Self.check(Array(text.replacing("lock.plist", with: "faulty.plist").utf8))
    #expect(
      faulty.diagnostics.map { "\($0)" }.allSatisfy { $0.hasPrefix("folder/faulty.plist:1:22: error: found no key") })
    #expect(faulty.diagnostics.count == 1)
    #expect(faulty.scenario == nil)
  }
}

extension String {
  /// The text with a marker before the first of these words.
  fileprivate func marked(_ words: String) -> String {
    firstRange(of: words).map { replacingCharacters(in: $0, by: "⟦" + words) } ?? self
  }

  private func replacingCharacters(in range: Range<Index>, by text: String) -> String {
    self[..<range.lowerBound] + text + self[range.upperBound...]
  }
}
