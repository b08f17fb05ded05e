import BleperaProfile
import BleperaPropertyLists
import TestSupport
import Testing

/// The tables of keys in docs/profiles.md are the schema's.
struct ProfilePageTests {
  private static let rows: [String] = Profile.schema.flatMap { section in
    section.keys.map { key in
      "| `\(key.name)` | \(key.type.word) | \(key.isRequired ? "**required**; " : "")\(key.meaning) |"
    }
  }

  @Test(arguments: rows)
  func `every key of a profile stands on the page with its type and meaning`(row: String) throws {
    let page = try ProjectFile.text("docs/profiles.md")
    #expect(page.split(separator: "\n").contains(row[...]))
  }
}
