import BleperaBluetooth
import BleperaProfile
import BleperaPropertyLists
import TestSupport
import Testing

@Suite("Accessories")
struct AccessoryRulesTests {
  private static func check(_ text: String) -> (accessory: AccessoryDescription?, diagnostics: [Diagnostic]) {
    AccessoryDescription.check(Array(text.utf8), file: "a/strap.plist")
  }

  private static func file(_ content: String, _ advertisement: String = "") -> String {
    "{ Name = Strap; Advertisement = { \(advertisement) }; \(content) }"
  }

  /// An accessory with one marker or several, and a text for each.
  static let faults: [(String, [String])] = [
    (
      "{ Name = \"⟦\"; ⟦Advertisment = {}; }",
      ["found an empty string, expected a name", "did you mean 'Advertisement'?"]
    ),
    ("⟦{ Name = Strap; }", ["found no key Advertisement"]),
    (file("Address = ⟦privat;"), ["found \"privat\", expected public, static, resolvable or nonresolvable"]),
    (file("Pairing = ⟦justworks;"), ["did you mean 'just-works'?"]),
    (file("Pairing = passkey; Passkey = ⟦1000000;"), ["found 1000000, expected 0 to 999999"]),
    (file("Passkey = ⟦1;"), ["found a Passkey with Pairing just-works, expected Pairing = passkey"]),
    (file("Appearance = ⟦65536;"), ["found 65536, expected 0 to 65535"]),
    (file("BondLimit = ⟦-1;"), ["found -1, expected 0 to 1000"]),
    (file("IdentityKey = <⟦0001>;"), ["found 2 bytes, expected 16 bytes, or none"]),
    (
      file("Address = nonresolvable; Services = ⟦({ UUID = FE00; });"),
      ["found Services with Address nonresolvable, expected another Address: nobody can connect to this one"]
    ),
    (file("", "Interval = ⟦19;"), ["found 19, expected milliseconds from 20 to 10240"]),
    (file("", "ManufacturerData = <⟦4C>;"), ["found one byte, expected at least the two of the company's number"]),
    (file("", "Data = <⟦\(String(repeating: "00", count: 32))>;"), ["found 32 bytes, expected at most 31"]),
    (file("", "LocalName = ⟦A; Data = <020106>;"), ["found LocalName as well as Data or ScanResponse"]),
    (file("", "ServiceData = (⟦{ UUID = FE00; });"), ["found no key Value"]),
    (
      "{ Name = Strap; Advertisement = ⟦{ LocalName = \"\(String(repeating: "A", count: 30))\"; }; }",
      ["expected parts that fit into an advertisement and a scan response of 31 bytes each"]
    ),
    (
      file("Services = ({ UUID = ⟦1801; });"),
      ["found 1801, the Generic Attribute service, expected another service: each"]
    ),
    (
      file(
        "Services = ({ UUID = FE00; Characteristics = ({ UUID = FE01; Properties = ⟦(read, notify); "
          + "Permissions = (readable); Value = <01>; }); });"),
      ["with a cached Value, expected read alone; without Value the characteristic is dynamic"]
    ),
    ("⟦{ Title = A; Steps = (); }", ["found a scenario, expected an accessory or a profile"]),
    ("{ BLEPeripheral = { Services = (); ⟦Advertisment = {}; }; }", ["did you mean 'Advertisement'?"]),
  ]

  @Test("Each fault is reported at its place", arguments: faults)
  func fault(_ input: String, _ texts: [String]) {
    let marked = Marked(input)
    let check = AccessoryDescription.check(marked.bytes, file: "f")
    let lines = check.diagnostics.map(\.description)
    #expect(check.diagnostics.map { "\($0.line):\($0.column)" } == marked.places, "\(lines)")
    for (line, text) in zip(lines, texts) { #expect(line.contains(text)) }
    #expect(check.accessory == nil)
  }

  @Test("Every key is read, and services that Core Bluetooth refuses are an accessory's")
  func everything() throws {
    let check = Self.check(
      """
      {
        Name = Beacon; Appearance = 833; Address = resolvable; Pairing = passkey; Passkey = 123456;
        SecureConnections = NO; SecurityRequest = YES; BondLimit = 2;
        IdentityKey = <000102030405060708090A0B0C0D0E0F>;
        Advertisement = {
          LocalName = Be; ServiceUUIDs = (180D, B1E9E2A0-0000-4000-8000-000000000020);
          ServiceData = ({ UUID = FE9F; Value = <0102>; }); ManufacturerData = <FFFF 01>; Interval = 20;
        };
        Services = ({
          UUID = 180A;
          Characteristics = ({
            UUID = 2A29; Properties = (read); Permissions = (readable); Text = Maker;
            Descriptors = ({ UUID = 2A00; Value = <01>; Permissions = (readEncryptionRequired); });
          });
        });
      }
      """)
    #expect(check.diagnostics.isEmpty, "\(check.diagnostics)")
    let accessory = try #require(check.accessory)
    #expect((accessory.name, accessory.address, accessory.pairing) == ("Beacon", .resolvable, .passkey(123_456)))
    var bonding = AccessoryBonding()
    (bonding.limit, bonding.requestsSecurity, bonding.usesSecureConnections) = (2, true, false)
    bonding.identityKey = IdentityResolvingKey(Array(0..<16))
    #expect(accessory.bonding == bonding)
    #expect(accessory.appearance == 833 && accessory.isConnectable)
    #expect(accessory.advertisement.interval == .milliseconds(20))
    // Flags, the UUIDs and the appearance; the rest is in the scan response.
    #expect(
      Hex.string(accessory.advertisement.data)
        == "020106" + "03030D18" + "1107200000000000" + "00800040" + "0000A0E2E9B1" + "03194103")
    #expect(Hex.string(accessory.advertisement.scanResponse) == "05169FFE0102" + "04FFFFFF01" + "03094265")
    let characteristic = accessory.profile.services[0].characteristics[0]
    #expect(characteristic.definition.value == nil && characteristic.initialValue == Array("Maker".utf8))
  }

  @Test("Whole packets are sent as they are; without services nobody connects")
  func raw() throws {
    let check = Self.check(Self.file("", "Data = <1AFF4C000215>; ScanResponse = <03094142>;"))
    #expect(check.diagnostics.map(\.severity) == [.warning])
    let accessory = try #require(check.accessory)
    #expect(accessory.advertisement.data == [0x1A, 0xFF, 0x4C, 0, 2, 0x15] && !accessory.isConnectable)
    #expect(accessory.advertisement.scanResponse == [3, 9, 0x41, 0x42])
    #expect(accessory.advertisement.interval == .microseconds(152_500))
  }

  @Test("No bytes are no identity, which an accessory gives otherwise")
  func identity() throws {
    #expect(try #require(Self.check(Self.file("IdentityKey = <>;")).accessory).bonding.givesIdentity == false)
    #expect(try #require(Self.check(Self.file("")).accessory).bonding == AccessoryBonding())
  }

  @Test("A profile is an accessory", arguments: ShippedProfiles.names)
  func profile(name: String) throws {
    let check = AccessoryDescription.check(try ShippedProfiles.bytes(name), file: "profiles/\(name).plist")
    // Five UUIDs of 128 bits need an overflow area, and a lock remote is a central.
    #expect((check.accessory == nil) == ["five-services", "lock-remote"].contains(name), "\(check.diagnostics)")
    guard let accessory = check.accessory else { return }
    #expect(accessory.isConnectable && accessory.pairing == .justWorks && accessory.profile.advertisement == nil)
  }

  @Test("The shipped accessory has no fault") func shipped() throws {
    let check = AccessoryDescription.check(try ProjectFile.bytes("profiles/accessories/heart-strap.plist"), file: "f")
    #expect(check.diagnostics.isEmpty, "\(check.diagnostics)")
    #expect(check.accessory?.profile.services.map(\.uuid.description) == ["180D", "180F", "180A"])
  }
}
