@testable import BleperaCLI

/// A command of README and what stands below it.
struct ReadmeTranscript {
  /// What follows the command's name.
  let words: String
  let lines: [String]

  /// Those of a section, from `    $ command ...` to the next command or the end of the indented text.
  static func all(under heading: String, of command: String) throws -> [ReadmeTranscript] {
    let text = String(decoding: try ProfileFile(path: "\(ShippedProfiles.folder)/../README.md").read(), as: UTF8.self)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    var section = lines.drop { $0 != heading }.dropFirst().prefix { !$0.hasPrefix("## ") }
    let indent = "    "
    let prompt = "\(indent)$ \(command)"
    var transcripts: [ReadmeTranscript] = []
    while let start = section.firstIndex(where: { $0.hasPrefix(prompt) }) {
      section = section[(start + 1)...]
      var output = section.prefix { ($0.hasPrefix(indent) || $0.isEmpty) && !$0.hasPrefix("\(indent)$ ") }
      while output.last?.isEmpty == true { output = output.dropLast() }
      let words = String(lines[start].dropFirst(prompt.count))
      transcripts.append(ReadmeTranscript(words: words, lines: output.map { String($0.dropFirst(indent.count)) }))
    }
    return transcripts
  }
}
