import BleperaSimulation
import TestSupport
import Testing

/// The steps, keys and examples in docs/scenarios.md.
@Suite struct DocumentationTests {
  @Test(arguments: Scenario.Step.Kind.allCases)
  func `every step is documented`(kind: Scenario.Step.Kind) throws {
    let rows = try ProjectFile.text("docs/scenarios.md").split(separator: "\n").filter { $0.hasPrefix("| `") }
    #expect(rows.contains { $0.dropFirst().prefix { $0 != "|" }.contains("`\(kind.rawValue)`") })
  }

  @Test func `the page's example is a scenario that is shipped`() throws {
    let page = try ProjectFile.text("docs/scenarios.md")
    let start = try #require(page.firstRange(of: "```\n"))
    let end = try #require(page[start.upperBound...].firstRange(of: "```"))
    #expect(page[start.upperBound..<end.lowerBound] == (try ProjectFile.text("scenarios/filter-by-name.plist"))[...])
  }
}
