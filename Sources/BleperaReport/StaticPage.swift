/// A page with the style of a report and without its script.
package struct StaticPage {
  private let title: String
  private let source: String
  private let body: String

  /// - Parameters:
  ///   - source: a line below the title.
  ///   - body: markup.
  package init(title: String, source: String, body: String) {
    (self.title, self.source, self.body) = (title, source, body)
  }

  package var html: String {
    ReportPage.beginning + ReportPage.head + "<header>\n<h1>\(Self.escaped(title))</h1>\n"
      + "<p id=\"source\">\(Self.escaped(source))</p>\n</header>\n<main>\n\(body)</main>\n</html>\n"
  }

  /// The text as markup.
  package static func escaped(_ text: String) -> String {
    text.reduce(into: "") { escaped, character in
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      default: escaped.append(character)
      }
    }
  }
}
