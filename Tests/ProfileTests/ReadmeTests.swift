import TestSupport
import BleperaProfile
import BleperaPropertyLists
import Testing

/// The README's tables of keys are the schema's.
struct ReadmeTests {
  private static let rows: [String] = Profile.schema.flatMap { section in
    section.keys.map { key in
      "| `\(key.name)` | \(key.type.word) | \(key.isRequired ? "**required**; " : "")\(key.meaning) |"
    }
  }

  @Test(arguments: rows)
  func `every key of a profile stands in the README with its type and meaning`(row: String) throws {
    let readme = try ProjectFile.text("README.md")
    #expect(readme.split(separator: "\n").contains(row[...]))
  }
}
