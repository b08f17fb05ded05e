import BleperaRules
import FoundationEssentials
import TestSupport
import Testing

/// Sentences of the pages that count or sum up, against what they are about.
@Suite struct ClaimsTests {
  @Test func `the front page says how many values are measured, documented, reported and ours`() throws {
    let values = RuleSet.newest.values
    let text = try Self.text("README.md")
    #expect(text.contains("For iOS 26 the rules have \(RuleSet.count(values.map(\.standing))), that"))
    #expect(text.contains("; \(values.count { !$0.isUsed }) of them are not used yet"))
  }

  @Test(arguments: ["README.md", "docs/rules.md", "CHANGELOG.md"])
  func `there are sixteen rules`(page: String) throws {
    #expect(RuleSet.rules.count == 16)
    #expect(try Self.text(page).contains("sixteen rules"))
  }

  @Test func `few files of Sources have more than 300 lines, and none more than 400`() throws {
    let files = try FileManager.default.subpathsOfDirectory(atPath: "\(ProjectFile.root)/Sources")
    let lengths = try files.filter { $0.hasSuffix(".swift") }
      .map { try ProjectFile.bytes("Sources/\($0)").count { $0 == UInt8(ascii: "\n") } }
    #expect(lengths.count > 300 && lengths.allSatisfy { $0 <= 400 })
    #expect(lengths.count { $0 > 300 } <= 12)
    let claim = "a dozen files of `Sources` at most have more than 300, none more than 400"
    #expect(try Self.text("CONTRIBUTING.md").contains(claim))
  }

  /// What was said once and is not so.
  @Test(arguments: [
    ("README.md", "come from published sources"), ("ARCHITECTURE.md", "no limitations. "),
    ("docs/commands.md", "exactly an iPhone's packets"), ("docs/corebluetooth.md", "unmodified"),
    ("docs/guide-gateway.md", "builds blepera"), ("CONTRIBUTING.md", "never more than 300"),
    ("CONTRIBUTING.md", "commit builds and passes"),
  ])
  func `a page claims no more than is so`(page: String, claim: String) throws {
    #expect(try !Self.text(page).contains(claim))
  }

  /// A page without its line breaks.
  private static func text(_ page: String) throws -> String {
    try ProjectFile.text(page).split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
