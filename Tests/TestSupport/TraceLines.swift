/// Events for a core and the actions that it must return, one event a line: `7 read a #1 -> refuse a #1 0E R4`.
///
/// The words are the names of the core's events and actions; the number before an event is its time in seconds. An
/// indented line continues the line before it. `? state a suspended` is a query, whose last word is the answer.
package struct TraceLines: Sendable {
  package struct Line: Sendable {
    fileprivate let text: String
    fileprivate let expected: String
    package let time: Duration
    package let isQuery: Bool
    /// The event, or the query without its answer.
    package let words: [String]

    fileprivate init(_ text: String) {
      self.text = text
      let sides = text.split(separator: "->", omittingEmptySubsequences: false)
      var words = sides[0].split(separator: " ").map(String.init)
      let seconds = words.first.flatMap(Double.init)
      if seconds != nil { words.removeFirst() }
      time = .milliseconds(Int64((seconds ?? 0) * 1000))
      isQuery = words.first == "?"
      if isQuery { words.removeFirst() }
      expected = isQuery ? words.removeLast() : sides.dropFirst().joined().split(separator: " ").joined(separator: " ")
      self.words = words
    }
  }

  private let lines: [Line]

  package init(_ text: String) {
    var lines: [String] = []
    for line in text.split(separator: "\n") {
      if line.hasPrefix(" "), let last = lines.popLast() {
        lines.append(last + line)
      } else {
        lines.append(String(line))
      }
    }
    self.lines = lines.map(Line.init)
  }

  /// Handles the lines in order and returns those with other actions or another answer.
  package func differences(handling handle: (Line) -> String) -> [String] {
    lines.compactMap { line in
      let found = handle(line)
      return found == line.expected ? nil : "\(line.text)  IS  \(found)"
    }
  }
}
