import TestSupport
import Testing

/// The tables of docs/json.md about the events of `--json`.
enum EventTable {
  /// The keys besides `event` and `time` of each event in the table under "Events".
  static func events() throws -> [String: Set<String>] {
    let lines = try ProjectFile.text("docs/json.md").split(separator: "\n")
    let section = lines.drop { $0 != "## Events" }.dropFirst().prefix { !$0.hasPrefix("#") }
    var events: [String: Set<String>] = [:]
    for row in section where row.hasPrefix("| `") {
      let columns = row.split(separator: "|")
      for event in words(columns[0]) { events[event] = columns.count > 1 ? Set(words(columns[1])) : [] }
    }
    return events
  }

  /// The words between backquotes.
  private static func words(_ text: Substring) -> [String] {
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
      .map { String($0.element) }
  }
}
