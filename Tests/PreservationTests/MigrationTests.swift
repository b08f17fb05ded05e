import Testing

@testable import BleperaPreservation

@Suite("A state file of an older release")
struct MigrationTests {
  @Test("Version 1 is read, without descriptor values and updates")
  func versionOne() throws {
    #expect(try StateFile.decode(Array(VersionOne.document.utf8)) == VersionOne.state)
  }

  @Test("Version 2 is read, as the last release with property lists saved it")
  func versionTwo() throws {
    #expect(try StateFile.decode(try VersionTwo.file()) == VersionTwo.state)
  }

  @Test("A state of an older release is written as the current version")
  func rewritten() throws {
    for state in [VersionOne.state, VersionTwo.state] {
      let bytes = try StateFile.encode(state)
      #expect(String(decoding: bytes, as: UTF8.self).contains(#","version":3}"#))
      #expect(try StateFile.decode(bytes) == state)
    }
  }

  @Test("Cut anywhere, or with a bit of any byte flipped, it is an error")
  func corruption() throws {
    let document = Array(VersionOne.document.utf8)
    for length in 1..<document.count {
      #expect(throws: StateFileError.corrupt(.truncated(length: length))) {
        try StateFile.decode(Array(document[..<length]))
      }
    }
    var damaged = document
    for index in document.indices {
      damaged[index] ^= 1 << (index % 8)
      let error = try #require(throws: StateFileError.self) { try StateFile.decode(damaged) }
      guard case .corrupt = error else { throw error }
      damaged[index] = document[index]
    }
  }

  private func document(_ old: String, _ new: String) throws -> [UInt8] {
    var text = String(decoding: try VersionTwo.file(), as: UTF8.self)
      .replacing(/>\s+</, with: "><").replacing(/>\s+/, with: ">").replacing(/\s+</, with: "<")
    text.removeSubrange(try #require(text.firstRange(of: "<!-- CRC")).lowerBound...)
    let place = try #require(text.firstRange(of: old), "the document does not have \(old)")
    text.replaceSubrange(place, with: new)
    return Seal.sealed(Array("\(text)\n".utf8), as: .propertyList)
  }

  @Test(
    "The error names the key",
    arguments: [
      ("<key>Apps</key>", "<key>Apqs</key>", "Apps is missing"),
      ("<key>Version</key>", "<key>Varsion</key>", "Version is missing"),
      (
        "<integer>2</integer></dict></plist>", "<integer>3</integer></dict></plist>",
        "Version cannot be read: version 3 is not a property list"
      ),
      ("<key>Identity</key>", "<key>Identification</key>", "Apps[0].Identity is missing"),
      ("<key>Services</key>", "<key>Servicing</key>", "Apps[0].Services is missing"),
      ("<key>Since</key><date>", "<key>Since</key><string>", nil),
      ("<integer>17</integer>", "<integer>256</integer>", "Apps[0].Identity.Rules.SuspendedError cannot be read"),
      ("<string>memoryPressure</string>", "<string>none</string>", "Apps[1].Ended.Cause cannot be read"),
      (
        "<string>notify</string>", "<string>notfy</string>",
        "Apps[0].Services[0].Definition.Characteristics[0].Properties cannot be read: \"notfy\" is not"
      ),
      (
        "<array><string>180F</string>", "<array><string>18XD</string>",
        "Apps[0].Advertisement.Asked.ServiceUUIDs[0] cannot be read: \"18XD\" is not a 16-, 32- or 128-bit UUID"
      ),
    ] as [(String, String, String?)])
  func key(old: String, new: String, message: String?) throws {
    let bytes = try document(old, new)
    let error = try #require(throws: StateFileError.self) { try StateFile.decode(bytes) }
    let expected = message.map { "is not valid: \($0)" } ?? "is not a property list"
    #expect("\(error)".hasPrefix("the state file \(expected)"), "\(error)")
    #expect("\(error)".hasSuffix("; move it away and start the apps again."))
  }

  @Test(
    "Syntax that blepera never wrote is not parsed",
    arguments: [
      ("<key>Version</key>", "<!-- nothing --><key>Version</key>"),
      ("<key>Version</key>", "<![CDATA[]]><key>Version</key>"),
      ("<integer>256</integer>", "<integer >256</integer>"), ("<integer>256</integer>", "<integer>256"),
      ("<plist version=\"1.0\">", "<plist>"), ("<key>Version</key>", "<"), ("</plist>", ""),
      ("</plist>", "</plist></dict>"),
    ])
  func syntax(old: String, new: String) throws {
    let bytes = try document(old, new)
    #expect(throws: StateFileError.corrupt(.notPropertyList)) { try StateFile.decode(bytes) }
  }

  @Test("Bytes that are not text are not parsed")
  func notText() throws {
    var body = Array(try Seal.opened(try VersionTwo.file()).body)
    let place = try #require(body.firstRange(of: Array("<integer>".utf8))).upperBound
    body.insert(contentsOf: [UInt8](repeating: 0xFF, count: 9), at: place)
    for bytes in [body, []] {
      #expect(throws: StateFileError.corrupt(.notPropertyList)) {
        try StateFile.decode(Seal.sealed(bytes, as: .propertyList))
      }
    }
  }

  @Test("Nesting that no stack holds is not parsed", arguments: [32, 33, 100_000])
  func nesting(depth: Int) throws {
    let arrays = String(repeating: "<array>", count: depth) + String(repeating: "</array>", count: depth)
    let bytes = Seal.sealed(Array("<plist version=\"1.0\">\(arrays)</plist>\n".utf8), as: .propertyList)
    let error = try #require(throws: StateFileError.self) { try StateFile.decode(bytes) }
    #expect((error == .corrupt(.notPropertyList)) == (depth > 32))
  }

  @Test("Any change under a right checksum is an error or a consistent state")
  func anything() throws {
    let body = Array(try Seal.opened(try VersionTwo.file()).body)
    #expect((1..<1_000).contains(Mutations.consistent(of: body, as: .propertyList, tokens: "<>&/;-0\"")))
  }
}
