import Testing

@testable import BleperaCLI

/// What README says of the events of `--json`.
enum ReadmeTable {
  /// The keys besides `event` and `time` of each event in the table under "Events".
  static func events() throws -> [String: Set<String>] {
    let text = String(decoding: try ProfileFile(path: "\(ShippedProfiles.folder)/../README.md").read(), as: UTF8.self)
    let lines = text.split(separator: "\n")
    let section = lines.drop { $0 != "### Events" }.dropFirst().prefix { !$0.hasPrefix("#") }
    var events: [String: Set<String>] = [:]
    for row in section where row.hasPrefix("| `") {
      let columns = row.split(separator: "|")
      for event in words(columns[0]) { events[event] = columns.count > 1 ? Set(words(columns[1])) : [] }
    }
    return events
  }

  /// What stands between backquotes.
  private static func words(_ text: Substring) -> [String] {
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
      .map { String($0.element) }
  }
}
