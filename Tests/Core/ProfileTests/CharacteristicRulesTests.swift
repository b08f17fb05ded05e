import BleperaBluetooth
import BleperaProfile
import BleperaPropertyLists
import Testing

@Suite struct ProfileSizeTests {
  /// Each characteristic has a declaration and a value, the service a declaration.
  @Test("More attributes than there is room for are counted", arguments: [(383, 0), (384, 769), (32_640, 65_281)])
  func size(count: Int, attributes: Int) throws {
    let characteristics = (0..<count).map { Document.characteristic(String(0xB7E1_0000 + $0, radix: 16)) }.joined()
    let check = Profile.check(Array(Document.characteristics(characteristics).utf8), file: "a.plist")
    let warnings = check.diagnostics.map { "\($0)" }
    #expect(warnings.count == (attributes == 0 ? 0 : 1))
    #expect(warnings.allSatisfy { $0.contains("Services: found \(attributes) attributes, expected at most") })
    #expect(warnings.allSatisfy { $0.contains(count < 1000 ? "Database Hash" : "there are no handles") })
  }
}

/// Characteristics, values and descriptors; each marker is where a diagnostic must point.
@Suite struct CharacteristicRulesTests {
  static func dictionary(_ content: String) -> String { "<dict><key>UUID</key><string>FE01</string>\(content)</dict>" }
  static let value = "<key>Value</key><data>AQ==</data>"
  static let echo = "<key>Behavior</key><dict><key>Kind</key><string>echo</string></dict>"
  static let counter = "<dict><key>Kind</key><string>counter</string><key>Format</key><string>uint8</string></dict>"

  static let rules: [(content: String, texts: [String])] = [
    (
      "⟦⟦⟦<dict/>",
      [
        "Characteristics[0]: found no key UUID", "found no key Properties, expected Properties, an array of strings",
        "no key Permissions",
      ]
    ),
    ("⟦<true/>", ["found true, expected a dictionary"]),
    (
      Document.characteristic("FE01", "read", "readable", "<key>⟦Behaviour</key><dict/>"),
      [
        "\"Behaviour\", expected UUID, Properties, Permissions, Value, Text, Behavior, InitialValue, InitialText, AnswerDelay or"
      ]
    ),
    (Document.characteristic("⟦2A3"), ["Services[0].Characteristics[0].UUID: found \"2A3\""]),
    (Document.characteristic("FE01", "⟦raed"), ["Properties[0]: found \"raed\", expected read, writeWithoutResponse"]),
    (Document.characteristic("FE01", "read ⟦Notify"), ["Properties[1]: found \"Notify\""]),
    (Document.characteristic("FE01", "read ⟦read"), ["Properties[1]: found \"read\" a second time"]),
    (Document.characteristic("FE01", "⟦<"), ["Properties: found an empty array, expected at least one of read"]),
    (
      Document.characteristic("FE01", "⟦<read broadcast extendedProperties"),
      [
        "broadcast and extendedProperties, expected properties that Core Bluetooth allows for local characteristics"
      ]
    ),
    (
      Document.characteristic("FE01", "read", "⟦readble"),
      [
        "\"readble\", expected readable, writeable, readEncryptionRequired or writeEncryptionRequired; did you mean 'r"
      ]
    ),
    (Document.characteristic("FE01", "write", "⟦writable"), ["did you mean 'writeable'?"]),
    (
      dictionary(
        "<key>Properties</key>⟦<string>read</string><key>Permissions</key><array>⟦<true/></array>"
      ),
      [
        "Properties: found the string \"read\", expected an array of strings",
        "Permissions[0]: found true, expected a string",
      ]
    ),

    (Document.characteristic("FE01", "read", "readable", value), []),
    (Document.characteristic("FE01", "read", "readable", "<key>Text</key><string>größer</string>"), []),
    (Document.characteristic("FE01", "read", "readable", "<key>Value</key><data/>"), []),
    (
      Document.characteristic("FE01", "read", "readable", "<key>Value</key>⟦<integer>1</integer>"),
      ["Value: found the integer 1, expected data, or hexadecimal digits such as 06 54"]
    ),
    (
      Document.characteristic(
        "FE01", "read", "readable", "<key>Text</key><string>\(String(repeating: "x", count: 512))</string>"), []
    ),
    (
      Document.characteristic(
        "FE01", "read", "readable", "<key>Text</key><string>⟦\(String(repeating: "x", count: 513))</string>"),
      ["Text: found 513 bytes, expected at most 512"]
    ),
    (
      Document.characteristic(
        "FE01", "read", "readable", "<key>Value</key><string>⟦\(String(repeating: "0f", count: 513))</string>"),
      ["Value: found 513 bytes, expected at most 512"]
    ),
    (
      Document.characteristic("FE01", "read", "readable", "<key>Value</key><string>⟦Lock</string>"),
      ["Value: found \"Lock\", expected data, or hexadecimal digits such as 06 54; use Text for text"]
    ),
    (
      Document.characteristic("FE01", "read", "readable", "<key>Value</key><string>⟦065</string>"),
      ["Value: found \"065\", an odd number of digits, expected data"]
    ),
    (Document.characteristic("FE01", "read", "readable", "<key>Value</key><string>⟦0x</string>"), ["found \"0x\""]),
    (
      Document.characteristic("FE01", "read", "readable", "<key>Text</key><string>⟦0x06 53</string>"),
      ["Text: found \"0x06 53\", which is sent as these characters, expected Value for the bytes 06 53"]
    ),
    (Document.characteristic("FE01", "read", "readable", "<key>Text</key><string>⟦0653</string>"), ["warning: "]),
    (Document.characteristic("FE01", "read", "readable", "<key>Text</key><string>face</string>"), []),
    (
      Document.characteristic(
        "FE01", "read", "readable", "<key>Value</key><string>01</string><key>Text</key>⟦<string>x</string>"),
      ["Text: found Text as well as Value, expected one of them"]
    ),
    (
      Document.characteristic("FE01", "⟦<read notify", "readable", value),
      [
        "expected read alone, as Core Bluetooth demands: \"Characteristics with cached values must be read-only\""
      ]
    ),
    (Document.characteristic("FE01", "⟦<notify", "readable", value), ["Properties: found notify with a cached Value"]),
    (
      Document.characteristic("FE01", "read", "⟦<readable writeable", value),
      ["Permissions: found readable, writeable with a cached Value"]
    ),
    (
      Document.characteristic("FE01", "⟦<read write", "⟦<writeEncryptionRequired", value),
      ["Properties: found", "Permissions: found writeEncryptionRequired with"]
    ),
    (Document.characteristic("FE01", "read", "readEncryptionRequired", value), []),
    (Document.characteristic("FE01", "read", "⟦<", value), ["Permissions: found no permission with a cached Value"]),
    (
      Document.characteristic("FE01", "read write", "readable writeable", "<key>Value</key>⟦<data>AQ==</data>" + echo),
      ["Value: found Value as well as Behavior"]
    ),

    (
      Document.characteristic("FE01", "read", "⟦<"),
      ["warning: BLEPeripheral.Services[0].Characteristics[0].Permissions: found no permission for the property read"]
    ),
    (
      Document.characteristic("FE01", "read write", "⟦<readable"),
      ["readable for a property that writes, expected writeable or"]
    ),
    (
      Document.characteristic("FE01", "read", "⟦<readable writeable"),
      ["readable, writeable without a property that writes"]
    ),
    (Document.characteristic("FE01", "read write", "readEncryptionRequired writeEncryptionRequired"), []),
    (
      Document.characteristic("FE01", "⟦<read notify", "readEncryptionRequired", "<key>Behavior</key>\(counter)"),
      [
        "warning: BLEPeripheral.Services[0].Characteristics[0].Properties: found read, notify with the permission "
          + "readEncryptionRequired, expected notifyEncryptionRequired or indicateEncryptionRequired alone: updates are "
          + "sent over an open link too"
      ]
    ),
    (
      Document.characteristic("FE01", "⟦<read indicate", "readEncryptionRequired", "<key>Behavior</key>\(counter)"),
      ["found read, indicate with"]
    ),
    (
      Document.characteristic(
        "FE01", "read notifyEncryptionRequired", "readEncryptionRequired", "<key>Behavior</key>\(counter)"), []
    ),
    (
      Document.characteristic(
        "FE01", "read notify", "readable readEncryptionRequired", "<key>Behavior</key>\(counter)"), []
    ),
    (Document.characteristic("FE01", "writeWithoutResponse", "writeable"), []),
    (
      Document.characteristic("FE01", "⟦<notify", ""),
      ["found notify without a source of values, expected a Behavior: without it only 'blepera notify' sends updates"]
    ),
    (
      Document.characteristic("FE01", "⟦<notifyEncryptionRequired indicate", "readable"),
      ["found indicate and notifyEncryptionRequired without a source of values"]
    ),
    (
      Document.characteristic("FE01", "write notify", "writeable")
        + Document.characteristic(
          "FE02", "notify", "",
          "<key>Behavior</key><dict><key>Kind</key><string>echo</string>"
            + "<key>Source</key><string>FE01</string></dict>"), []
    ),
    (Document.characteristic("FE01", "notify", "", "<key>Behavior</key>\(counter)"), []),
    (Document.characteristic("FE01", "read", "readable", "<key>Behavior</key>\(counter)"), []),
    (
      Document.characteristic("FE01", "write", "writeable", "<key>Behavior</key>⟦\(counter)"),
      ["a behavior whose values no central can see"]
    ),
  ]

  @Test("Characteristics are checked", arguments: rules)
  func rule(content: String, texts: [String]) { expectDiagnostics(texts, in: Document.characteristics(content)) }

  static func descriptor(_ uuid: String, _ value: String, _ more: String = "") -> String {
    "<dict><key>UUID</key><string>\(uuid)</string><key>\(value.contains("<string") ? "Text" : "Value")</key>\(value)\(more)</dict>"
  }

  static let descriptors: [(content: String, texts: [String])] = [
    (descriptor("2901", "<string>Name</string>"), []), (descriptor("2904", "<data>FwAvJwEAAA==</data>"), []),
    (descriptor("00002901-0000-1000-8000-00805F9B34FB", "<string/>"), []),
    (descriptor("2901", "⟦<data>AQ==</data>"), ["found 1 byte of data, expected Text for 2901"]),
    (descriptor("2904", "⟦<data>AQ==</data>"), ["found 1 byte, expected a Value of 7 bytes for 2904"]),
    (descriptor("2904", "⟦<string>abcdefg</string>"), ["found text, expected a Value of 7 bytes for 2904"]),
    (descriptor("2901", "<string>⟦\(String(repeating: "x", count: 513))</string>"), ["513 bytes"]),
    (
      descriptor("⟦2900", "<data/>"),
      ["2900, Characteristic Extended Properties, which the system makes, expected another descriptor"]
    ),
    (descriptor("⟦2902", "<data/>"), ["2902, Client Characteristic Configuration, which the system makes"]),
    (descriptor("⟦2903", "<data/>"), ["2903, Server"]),
    (
      descriptor("⟦2905", "<data/>"),
      ["warning: BLEPeripheral.Services[0].Characteristics[0].Descriptors[0].UUID: found 2905, expected 2901 or 2904"]
    ),
    (descriptor("⟦2908", "<string>ab</string>"), ["warning:"]),
    (descriptor("2901", "<string/>") + descriptor("⟦2901", "<string/>"), ["2901 a second time"]),
    (descriptor("2901", "<string/>") + descriptor("2904", "<data>FwAvJwEAAA==</data>"), []),
    ("⟦<dict><key>UUID</key><string>2901</string></dict>", ["Descriptors[0]: found neither Value nor Text"]),
    (descriptor("2901", "<string/>", "<key>Permissions</key><array><string>readable</string></array>"), []),
    (
      descriptor(
        "2901", "<string/>", "<key>Permissions</key>⟦<array><string>readable</string><string>writeable</string></array>"
      ),
      [
        "Permissions: found readable, writeable, expected readable: Core Bluetooth's descriptors can only be read"
      ]
    ),
    (
      descriptor("2901", "<string/>", "<key>Permissions</key><array><string>⟦write</string></array>"),
      ["found \"write\", expected readable"]
    ),
    ("⟦<string>2901</string>", ["Descriptors[0]: found the string \"2901\", expected a dictionary"]),
  ]

  @Test("Descriptors are checked", arguments: descriptors)
  func descriptor(content: String, texts: [String]) {
    expectDiagnostics(
      texts,
      in: Document.characteristics(
        Document.characteristic("FE01", "read", "readable", "<key>Descriptors</key><array>\(content)</array>")))
  }

  @Test("A characteristic becomes its definition")
  func definition() throws {
    let profile = try expectProfile(
      Document.characteristics(
        Document.characteristic(
          "2A37", "read write", "readable writeable",
          "<key>Descriptors</key><array>\(Self.descriptor("2901", "<string>ä</string>"))</array>")
          + Document.characteristic("2A38", "read", "readable", Self.value)))
    #expect(
      profile.services.first?.characteristics == [
        Profile.Characteristic(
          definition: CharacteristicDefinition(
            uuid: BluetoothUUID(0x2A37 as UInt16), properties: [.read, .write],
            permissions: [.readable, .writeable],
            descriptors: [DescriptorDefinition(uuid: DescriptorDefinition.userDescription, value: [0xC3, 0xA4])])),
        Profile.Characteristic(
          definition: CharacteristicDefinition(
            uuid: BluetoothUUID(0x2A38 as UInt16), properties: .read, permissions: .readable, value: [1])),
      ])
  }
}
