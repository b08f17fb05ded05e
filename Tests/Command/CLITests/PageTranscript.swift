import TestSupport

/// A command of a page of the documentation and what stands below it.
struct PageTranscript {
  /// The arguments after the command's name.
  let words: String
  let lines: [String]

  /// The transcripts of a page, from `    $ command ...` to the next command or the end of the indented text.
  static func all(in page: String, of command: String) throws -> [PageTranscript] {
    let lines = try ProjectFile.text(page).split(separator: "\n", omittingEmptySubsequences: false)
    var section = lines[...]
    let indent = "    "
    let prompt = "\(indent)$ \(command)"
    var transcripts: [PageTranscript] = []
    while let start = section.firstIndex(where: { $0.hasPrefix(prompt) }) {
      section = section[(start + 1)...]
      var output = section.prefix { ($0.hasPrefix(indent) || $0.isEmpty) && !$0.hasPrefix("\(indent)$ ") }
      while output.last?.isEmpty == true { output = output.dropLast() }
      let words = String(lines[start].dropFirst(prompt.count))
      transcripts.append(PageTranscript(words: words, lines: output.map { String($0.dropFirst(indent.count)) }))
    }
    return transcripts
  }
}
