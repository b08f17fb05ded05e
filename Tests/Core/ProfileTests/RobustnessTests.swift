import BleperaBluetooth
import BleperaProfile
import BleperaPropertyLists
import Testing

/// Whatever the bytes are, checking ends and says something that is in the file.
@Suite struct RobustnessTests {
  static let small = Array(
    Document.peripheral(
      """
      <key>Advertisement</key><dict><key>LocalName</key><string>a&amp;b</string></dict>
      <key>Services</key><array><dict><key>UUID</key><string>FE00</string><key>Characteristics</key><array>
      <dict><key>UUID</key><string>FE01</string><key>Properties</key><array><string>read</string></array>
      <key>Permissions</key><array><string>readable</string></array><key>Value</key><data>AQ==</data></dict>
      <dict><key>UUID</key><string>FE02</string><key>Properties</key><array><string>notify</string></array>
      <key>Permissions</key><array/><key>Behavior</key><dict><key>Kind</key><string>ramp</string><key>Format</key>
      <string>uint8</string><key>Minimum</key><integer>1</integer><key>Maximum</key><integer>9</integer></dict></dict>
      </array></dict></array>
      """
    ).utf8)

  static func binary(_ xml: [UInt8]) throws -> [UInt8] {
    var faults = FaultList()
    let root = try #require(PropertyList.read(xml, faults: &faults).root)
    return BinaryEncoder.encode(root.value)
  }

  private func expectSane(_ bytes: [UInt8]) {
    let check = Profile.check(bytes, file: "f")
    let hasErrors = check.diagnostics.contains { $0.severity == .error }
    // Cheaper than an expectation each time.
    if hasErrors == (check.profile != nil) { Issue.record("a profile in spite of errors, or neither: \(bytes)") }
    for diagnostic in check.diagnostics where diagnostic.line < 1 || diagnostic.column < 1 || diagnostic.found.isEmpty {
      Issue.record("\(diagnostic)")
    }
  }

  @Test("Every truncation of a profile is reported")
  func truncations() throws {
    let xml = try ShippedProfiles.xml("two-includes")
    for (bytes, last) in [(xml, UInt8(ascii: ">")), (try ShippedProfiles.bytes("heart-rate"), UInt8(ascii: "}"))] {
      let end = try #require(bytes.lastIndex(of: last))
      for length in 0..<end where Profile.check(Array(bytes[..<length]), file: "f").profile != nil {
        Issue.record("a profile in \(length) bytes")
      }
    }
    let binary = try Self.binary(xml)
    for length in 0..<binary.count where Profile.check(Array(binary[..<length]), file: "f").profile != nil {
      Issue.record("a profile in \(length) binary bytes")
    }
  }

  @Test("Changed bytes never trap", arguments: [1, 2, 3, 4])
  func changes(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let binary = try Self.binary(Self.small)
    for round in 0..<1_500 {
      var bytes = round % 3 == 0 ? Self.small : binary
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let index = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 2: bytes.remove(at: index)
        default: bytes.insert(bytes[Int.random(in: 0..<bytes.count, using: &random)], at: index)
        }
      }
      expectSane(bytes)
    }
  }

  @Test("Bytes at random never trap")
  func noise() {
    var random = SplitMix64(seed: 9)
    for _ in 0..<500 {
      let noise = (0..<Int.random(in: 0..<80, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      expectSane(noise)
      expectSane(Array("<plist><dict>".utf8) + noise)
      expectSane(Array("bplist00".utf8) + noise + [0, 0, 0, 0, 0, 0, 1, 1] + BinaryEncoder.bigEndian(1, 8) + noise)
    }
  }

  static let floods: [(start: String, unit: String)] = [
    ("", "<plist>"), ("<plist>", "<dict>"), ("<plist>", "<dict></dict>"), ("<plist>", "<a>"), ("<plist>", "<"),
    ("<plist><string>", "a"), ("<plist><string>", "&amp;"), ("<plist><string>", "&x;"), ("<plist><string>", "&"),
    ("<plist><string>", "<![CDATA["), ("<plist><data>", "A"), ("<plist><data>", "="), ("<plist><integer>", "9"),
    ("<plist><real>", "9"), ("<plist><dict>", "<key>a</key>"), ("<plist><dict>", "<key>a</key><true/>"),
    ("<plist><dict>", "x<!---->"), ("<plist ", "a='b' "), ("<!DOCTYPE ", "\"'"), ("<?xml ", "a='b' "), ("", "<?a?>"),
    ("<plist><string>", "\r"), ("<plist><string>", "\u{1} "), ("", "\n"),
  ]

  @Test("A flood of anything ends", arguments: floods)
  func flood(start: String, unit: String) {
    expectSane(Array(start.utf8) + Array(String(repeating: unit, count: 2_000).utf8))
  }

  @Test("A thousand faults are shown, the rest are counted")
  func manyFaults() throws {
    let keys = (0..<1_500).map { "<key>x\($0)</key><true/>" }.joined()
    let check = Profile.check(Array(Document.peripheral(keys + "<key>Services</key><array/>").utf8), file: "f")
    #expect(check.diagnostics.count == 1_001)
    let last = try #require(check.diagnostics.last)
    #expect(last.description.contains("error: found 500 more, expected fewer than 1000"))
  }
}
