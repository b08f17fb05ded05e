import BleperaBluetooth
import BleperaProfile
import BleperaPropertyLists
import Testing

/// Files, advertisements and services; each marker is where a diagnostic must point.
@Suite struct ProfileRulesTests {
  static let files: [(input: String, texts: [String])] = [
    (Document.list("⟦<array/>"), ["error: found an array, expected a dictionary"]),
    (Document.list("⟦<dict/>"), ["found no key BLEPeripheral, expected BLEPeripheral, a dictionary"]),
    (
      Document.file("<key>⟦BLEPeriferal</key><dict/>"),
      ["error: found the key \"BLEPeriferal\", expected BLEPeripheral; did you mean 'BLEPeripheral'?"]
    ),
    (Document.file("<key>BLEPeripheral</key>⟦<true/>"), ["BLEPeripheral: found true, expected a dictionary"]),
    (Document.file("<key>BLEPeripheral</key>⟦<dict/>"), ["neither Services nor Advertisement"]),
    (
      Document.peripheral("<key>⟦services</key><array/><key>Advertisement</key><dict/>"),
      [
        "services: found the unknown key \"services\", expected RestoreIdentifier, Advertisement, Services, "
          + "L2CAPChannels or Rules; did"
      ]
    ),
    (
      Document.peripheral("<key>RestoreIdentifier</key><string>⟦</string><key>Services</key><array/>"),
      ["RestoreIdentifier: found an empty string"]
    ),
    (
      Document.peripheral("<key>RestoreIdentifier</key><string>⟦lock</string><key>Services</key><array/>"),
      [
        "error: BLEPeripheral.RestoreIdentifier: found UIBackgroundModes without bluetooth-peripheral, expected the mode"
      ]
    ),
    (Document.peripheral("<key>⟦Servces</key><array/>"), ["the unknown key \"Servces\""]),
    (
      Document.file("<key>UIBackgroundModes</key><array><string>⟦bluetooth-periferal</string></array>" + services),
      ["warning: UIBackgroundModes[0]: found \"bluetooth-periferal\", expected bluetooth-peripheral"]
    ),
    (
      Document.file("<key>UIBackgroundModes</key>⟦<string>bluetooth-peripheral</string>" + services),
      ["UIBackgroundModes: found the string \"bluetooth-peripheral\", expected an array of strings"]
    ),
    (
      Document.file("<key>⟦UIBackgroundMode</key><array/>" + services),
      ["warning: found the key \"UIBackgroundMode\", expected UIBackgroundModes; did you mean 'UIBackgroundModes'?"]
    ),
    (
      Document.file("<key>CFBundleIdentifier</key><string>⟦a b</string>" + services),
      ["error: CFBundleIdentifier: found \"a b\""]
    ),
    (Document.file("<key>CFBundleIdentifier</key><string>⟦</string>" + services), ["CFBundleIdentifier: found \"\""]),
    (
      Document.file("<key>CFBundleIdentifier</key><string>⟦a b.$(PRODUCT_NAME)</string>" + services),
      ["error: CFBundleIdentifier: found \"a b.$(PRODUCT_NAME)\""]
    ),
    (
      Document.file("<key>CFBundleName</key>⟦<integer>1</integer>" + services),
      ["CFBundleName: found the integer 1, expected a string"]
    ),
  ]

  static let services = "<key>BLEPeripheral</key><dict><key>Services</key><array/></dict>"

  @Test("The keys of the file are checked", arguments: files)
  func file(input: String, texts: [String]) { expectDiagnostics(texts, in: input) }

  static let advertisements: [(content: String, texts: [String])] = [
    (
      "<key>LocalName</key><string>⟦\(String(repeating: "ä", count: 125))</string>",
      ["a name of 250 bytes, expected at most 248"]
    ),
    (
      "<key>LocalName</key><string>⟦\(String(repeating: "ä", count: 124))</string>",
      ["found a name of 248 bytes, expected at most 26, which fit beside the UUIDs: an iPhone advertises \"äää"]
    ),
    ("<key>LocalName</key><string>\(String(repeating: "a", count: 26))</string>", []),
    ("<key>LocalName</key><string>⟦\(String(repeating: "a", count: 27))</string>", ["at most 26"]),
    (
      "<key>⟦ManufacturerData</key><data/>",
      ["expected LocalName or ServiceUUIDs: Core Bluetooth lets an app advertise nothing else"]
    ),
    ("<key>LocalName</key>⟦<data/>", ["LocalName: found 0 bytes of data, expected a string"]),
    ("<key>ServiceUUIDs</key>⟦<string>FE00</string>", ["found the string \"FE00\", expected an array of UUID strings"]),
    (
      "<key>ServiceUUIDs</key><array>⟦<integer>1800</integer></array>",
      ["ServiceUUIDs[0]: found the integer 1800, expected a UUID"]
    ),
    (
      "<key>ServiceUUIDs</key><array><string>FE00</string><string>⟦FE01</string></array>",
      ["warning: BLEPeripheral.Advertisement.ServiceUUIDs[1]: found FE01, which Services does not have"]
    ),
    (
      "<key>ServiceUUIDs</key><array><string>fe00</string><string>⟦0000FE00</string></array>",
      ["warning: BLEPeripheral.Advertisement.ServiceUUIDs[1]: found 0000FE00 a second time"]
    ),
    ("<key>⟦Name</key><string/>", ["the unknown key \"Name\", expected LocalName or ServiceUUIDs"]),
  ]

  @Test("The advertisement is checked", arguments: advertisements)
  func advertisement(content: String, texts: [String]) {
    expectDiagnostics(
      texts,
      in: Document.peripheral(
        "<key>Advertisement</key><dict>\(content)</dict><key>Services</key><array>\(Document.service("FE00"))</array>"))
  }

  @Test("A profile without services may advertise any")
  func advertisementAlone() throws {
    let profile = try expectProfile(
      Document.peripheral(
        "<key>Advertisement</key><dict><key>ServiceUUIDs</key><array><string>FE01</string></array></dict>"))
    #expect(profile.advertisement?.serviceUUIDs == [BluetoothUUID(0xFE01 as UInt16)])
    #expect(profile.services.isEmpty)
  }

  static let uuids: [(text: String, fix: String?)] = [
    ("18XD", nil), ("", nil), ("180", nil), ("180D0", nil), ("0x180D", "did you mean '180D'?"),
    ("{1FA2FD8A-17E0-4D3B-AF45-305DA6130E39}", "did you mean '1FA2FD8A-17E0-4D3B-AF45-305DA6130E39'?"),
    ("1FA2FD8A17E04D3BAF45305DA6130E39", "did you mean '1FA2FD8A-17E0-4D3B-AF45-305DA6130E39'?"),
    (" 180D", "did you mean '180D'?"), ("1FA2FD8A-17E0-4D3B-AF45-305DA6130E3", nil),
    (String(repeating: "1", count: 3_000), nil),
  ]

  @Test("A UUID has 4, 8 or 32 digits", arguments: uuids)
  func uuid(text: String, fix: String?) throws {
    let check = Profile.check(Array(Document.services(Document.service(text)).utf8), file: "f")
    let diagnostic = try #require(check.diagnostics.first)
    #expect(check.diagnostics.count == 1)
    #expect(diagnostic.keyPath == "BLEPeripheral.Services[0].UUID")
    #expect(diagnostic.expected == "a UUID such as 180D or 1FA2FD8A-17E0-4D3B-AF45-305DA6130E39")
    #expect(diagnostic.fix == fix)
  }

  static func including(_ uuids: String...) -> String {
    "<key>IncludedServices</key><array>" + uuids.map { "<string>\($0)</string>" }.joined() + "</array>"
  }

  static let serviceLists: [(content: String, texts: [String])] = [
    ("<dict><key>⟦Uuid</key><string>FE00</string></dict>", ["the unknown key \"Uuid\""]),
    ("⟦<dict/>", ["Services[0]: found no key UUID, expected UUID, a UUID"]),
    ("⟦<string>FE00</string>", ["Services[0]: found the string \"FE00\", expected a dictionary"]),
    (Document.service("⟦1800"), ["1800, the Generic Access service"]),
    (Document.service("⟦1801"), ["CBError.uuidNotAllowed"]), (Document.service("⟦1805"), ["uuidNotAllowed"]),
    (Document.service("⟦1812"), ["found 1812, the Human Interface Device service"]),
    (Document.service("⟦181E"), ["uuidNotAllowed"]),
    (Document.service("⟦7905F431-B5CE-4E99-A40F-4B1E122D00D0"), ["the Apple Notification Center service"]),
    (Document.service("0000180A-0000-1000-8000-00805F9B34FB"), []), (Document.service("0000180F"), []),
    (
      Document.service("FE00") + Document.service("⟦fe00"),
      ["warning: BLEPeripheral.Services[1].UUID: found FE00 a second time"]
    ),
    (
      Document.service("FE00", "<key>Primary</key>⟦<string>yes</string>"),
      ["Primary: found the string \"yes\", expected <true/> or <false/>"]
    ),
    (Document.service("FE00", "<key>⟦Characteristic</key><array/>"), ["did you mean 'Characteristics'?"]),
    (Document.service("FE00") + Document.service("FE01", including("FE00")), []),
    (Document.service("FE00") + Document.service("FE01", including("FE00", "⟦FE00")), ["FE00 a second time"]),
    (
      Document.service("FE00", including("⟦FE01")),
      ["Services[0].IncludedServices[0]: found FE01, which Services does not have"]
    ),
    (Document.service("FE00", including("⟦FE00")), ["the service itself, expected another service"]),
    (
      Document.service("FE00", including("⟦FE01")) + Document.service("FE01"),
      ["FE01, which is declared after this service"]
    ),
    (
      Document.service("FE00", including("⟦FE01")) + Document.service("FE01", including("FE00")),
      ["FE01, from which inclusions lead in a circle"]
    ),
    (
      Document.service("FE00", including("⟦FE02")) + Document.service("FE01", including("FE00"))
        + Document.service("FE02", including("FE01")), ["lead in a circle"]
    ),
    (Document.service("FE00", including("⟦FE0Z")) + Document.service("⟦FE0Y"), ["\"FE0Z\"", "\"FE0Y\""]),
  ]

  @Test("Services are checked", arguments: serviceLists)
  func service(content: String, texts: [String]) { expectDiagnostics(texts, in: Document.services(content)) }

  @Test(
    "Either key of AccessorySetupKit counts",
    arguments: [
      ("NSAccessorySetupSupports", "Bluetooth", true), ("NSAccessorySetupKitSupports", "Bluetooth", true),
      ("NSAccessorySetupSupports", "WiFi", false),
    ])
  func accessorySetup(key: String, transport: String, uses: Bool) throws {
    let profile = try expectProfile(
      Document.file(
        """
        <key>\(key)</key><array><string>\(transport)</string></array>
        <key>BLEPeripheral</key><dict><key>Services</key><array>\(Document.service("FE00"))</array></dict>
        """))
    #expect(profile.usesAccessorySetup == uses)
  }

  @Test(
    "A build variable of the identifier is the name of the file, with a warning",
    arguments: [
      ("$(PRODUCT_BUNDLE_IDENTIFIER)", "my-lock"), ("${PRODUCT_NAME:rfc1034identifier}", "my-lock"),
      ("com.apple.${PRODUCT_NAME:rfc1034identifier}", "com.apple.my-lock"),
      ("org.example.$(PRODUCT_NAME:rfc1034identifier)", "org.example.my-lock"),
      ("$(PREFIX).lock${SUFFIX", "my-lock.lockmy-lock"),
    ])
  func buildVariable(text: String, identifier: String) {
    let list = Document.file("<key>CFBundleIdentifier</key><string>\(text)</string>" + Self.services)
    let check = Profile.check(Array(list.utf8), file: "profiles/my lock.plist")
    #expect(check.profile?.bundleIdentifier == identifier)
    let place = "profiles/my lock.plist:1:65: warning: CFBundleIdentifier: "
    #expect(
      check.diagnostics.map(\.description) == [
        place + "found \"\(text)\", which has a build variable, expected an identifier such as org.example.lock; "
          + "'\(identifier)' is used"
      ])
  }

  @Test("A name with a build variable is left out")
  func variableName() throws {
    let (names, text) = ("<key>CFBundleName</key><string>Lock</string>", "<key>CFBundleDisplayName</key><string>")
    #expect(try expectProfile(Document.file(names + text + "${N}</string>" + Self.services)).bundleName == "Lock")
    #expect(try expectProfile(Document.file(text + "$(N)</string>" + Self.services)).bundleName == nil)
  }

  @Test("A whole Info.plist is a profile")
  func infoPlist() throws {
    let profile = try expectProfile(
      Document.file(
        """
        <key>CFBundleIdentifier</key><string>org.example.lock</string>
        <key>CFBundleName</key><string>lock</string>
        <key>CFBundleDisplayName</key><string>Lock</string>
        <key>CFBundleVersion</key><string>1</string>
        <key>LSRequiresIPhoneOS</key><true/>
        <key>NSBluetoothAlwaysUsageDescription</key><string>To open doors</string>
        <key>UIBackgroundModes</key><array><string>bluetooth-central</string>
        <string>bluetooth-peripheral</string></array>
        <key>UIDeviceFamily</key><array><integer>1</integer></array>
        <key>BLEPeripheral</key><dict><key>RestoreIdentifier</key><string>lock</string><key>Services</key><array>
        \(Document.service("FE00") + Document.service("FE01", "<key>Primary</key><false/>" + Self.including("FE00")))
        </array></dict>
        """))
    #expect(profile.bundleIdentifier == "org.example.lock")
    #expect(profile.bundleName == "Lock")
    #expect(profile.backgroundModes == ["bluetooth-central", "bluetooth-peripheral"])
    #expect(!profile.usesAccessorySetup)
    #expect(profile.restoreIdentifier == "lock")
    #expect(profile.advertisement == nil)
    #expect(
      profile.services.map(\.definition) == [
        ServiceDefinition(uuid: BluetoothUUID(0xFE00 as UInt16)),
        ServiceDefinition(
          uuid: BluetoothUUID(0xFE01 as UInt16), isPrimary: false, includedServices: [BluetoothUUID(0xFE00 as UInt16)]),
      ])
  }
}
