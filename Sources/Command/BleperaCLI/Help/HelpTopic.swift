/// A topic that `blepera help` explains besides commands.
///
/// `Packaging/manual` makes a manual page from the text of each topic: a line without indentation is a paragraph if it
/// ends as a sentence, otherwise a heading; a term is indented by two, its meaning by six, an example by four.
package struct HelpTopic: Equatable, Sendable {
  let name: String
  let title: String
  private let parts: [Part]

  /// - Parameter name: the word after `help`.
  package init(_ name: String, _ title: String, _ parts: [Part]) {
    self.name = name
    self.title = title
    self.parts = parts
  }

  package enum Part: Equatable, Sendable {
    case heading(String)
    case paragraph(String)
    /// A term with its meaning; notes are printed beside the term.
    case term(String, notes: String? = nil, meaning: String)
    case example([String])
  }

  private static let longestLine = 100

  func lines(for terminal: Terminal) -> [String] {
    let width = min(terminal.columns, terminal.isTerminal ? Self.longestLine : terminal.columns)
    var lines = [terminal.styled(title, .bold)]
    var isAfterParagraph = false
    for part in parts {
      if isAfterParagraph, case .term = part { lines.append("") }
      lines += Self.lines(of: part, terminal, width)
      if case .paragraph = part { isAfterParagraph = true } else { isAfterParagraph = false }
    }
    return lines
  }

  private static func lines(of part: Part, _ terminal: Terminal, _ width: Int) -> [String] {
    switch part {
    case .heading(let text): ["", terminal.styled(text, .bold)]
    case .paragraph(let text): [""] + TextLayout.wrapped(text, to: width)
    case .term(let term, let notes, let meaning):
      ["  " + terminal.styled(term, .cyan) + (notes.map { "  " + terminal.styled($0, .dim) } ?? "")]
        + TextLayout.wrapped(meaning, to: width - 6).map { TextLayout.spaces(6) + $0 }
    case .example(let lines): [""] + lines.map { TextLayout.spaces(4) + $0 }
    }
  }
}
