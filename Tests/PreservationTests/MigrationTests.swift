import Testing

@testable import Preservation

@Suite("An older document of the preserved state")
struct MigrationTests {
  @Test("Version 1 is read, without descriptor values and updates")
  func versionOne() throws {
    #expect(try StateDocument.decode(Array(VersionOne.document.utf8)) == VersionOne.state)
  }

  @Test("It is written again as the current version")
  func rewritten() throws {
    let state = try StateDocument.decode(Array(VersionOne.document.utf8))
    let text = String(decoding: try StateDocument.encode(state), as: UTF8.self)
    #expect(text.contains("<key>Version</key>\n\t<integer>2</integer>"))
    #expect(text.contains("<key>DescriptorValues</key>"))
    #expect(text.contains("<key>Updates</key>"))
  }

  @Test(
    "What is wrong with it is said as of the current version",
    arguments: [
      ("<key>Services</key>", "<key>Servicing</key>", KeyProblem(path: "Apps[0].Services", problem: "is missing")),
      ("<key>Apps</key>", "<key>Apqs</key>", KeyProblem(path: "Apps", problem: "is missing")),
    ])
  func wrong(old: String, new: String, problem: KeyProblem) throws {
    let text = VersionOne.document.replacing(old, with: new)
    let document = Seal.sealed(Array(text[..<(try #require(text.firstRange(of: "<!-- CRC")).lowerBound)].utf8))
    #expect(throws: StateDocumentError.damaged(.key(problem))) { try StateDocument.decode(document) }
  }
}
