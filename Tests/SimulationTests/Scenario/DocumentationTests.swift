import BleperaProfile
import BleperaPropertyLists
import BleperaSimulation
import TestSupport
import Testing

/// The tables of docs/scenarios.md are the schema's.
@Suite struct DocumentationTests {
  private static let steps = Scenario.schema.filter { $0.choice != nil }

  /// Of dictionaries that are the same for all steps.
  static let plain: [String] = Scenario.schema.filter { $0.choice == nil }.flatMap { section in
    section.keys.map { key in
      "| `\(key.name)` | \(key.type.word) | \(key.isRequired ? "**required**; " : "")\(key.meaning) |"
    }
  }

  /// Of `Steps` and of `Expect`, with the steps that have the key.
  static let bySteps: [String] = ["Steps[]", "Steps[].Expect"].flatMap { path in
    let sections = steps.filter { $0.path == path }
    var keys: [SchemaKey] = []
    for key in sections.flatMap(\.keys) where !keys.contains(key) { keys.append(key) }
    return keys.map { key in
      let kinds = sections.filter { $0.keys.contains(key) }.compactMap { $0.choice?.split(separator: " ").last }
      let owners = kinds.count == Scenario.Step.Kind.allCases.count ? "all" : kinds.joined(separator: ", ")
      return
        "| `\(key.name)` | \(key.type.word) | \(owners) | \(key.isRequired ? "**required**; " : "")\(key.meaning) |"
    }
  }

  @Test(arguments: plain + bySteps)
  func `every key of a scenario is documented with its type and meaning`(row: String) throws {
    #expect(try ProjectFile.text("docs/scenarios.md").split(separator: "\n").contains(row[...]))
  }

  @Test(arguments: Scenario.Step.Kind.allCases)
  func `every step is documented`(kind: Scenario.Step.Kind) throws {
    #expect(try ProjectFile.text("docs/scenarios.md").contains("\n| `\(kind.rawValue)` | "))
  }

  @Test func `the page's example is a scenario that is shipped`() throws {
    let page = try ProjectFile.text("docs/scenarios.md")
    let start = try #require(page.firstRange(of: "```\n"))
    let end = try #require(page[start.upperBound...].firstRange(of: "```"))
    #expect(page[start.upperBound..<end.lowerBound] == (try ProjectFile.text("scenarios/filter-by-name.plist"))[...])
  }
}
