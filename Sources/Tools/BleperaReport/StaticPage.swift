import BleperaBluetooth

/// A page with the style of a report and without its script.
package struct StaticPage {
  private let title: String
  private let source: String
  private let body: String

  /// - Parameters:
  ///   - source: a line below the title.
  ///   - body: the markup of the page's main part.
  package init(title: String, source: String, body: String) {
    (self.title, self.source, self.body) = (title, source, body)
  }

  package var html: String {
    ReportPage.beginning + ReportTemplate.head + "<header>\n<h1>\(Markup.escaped(title))</h1>\n"
      + "<p id=\"source\">\(Markup.escaped(source))</p>\n</header>\n<main>\n\(body)</main>\n</html>\n"
  }
}
