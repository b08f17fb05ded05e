import BleperaAppLink
import BleperaBluetooth

/// An HTML page with its style, script and data, which loads nothing.
///
/// The script inserts all text of a trace as text nodes, so no text is read as markup.
package struct ReportPage: Encodable {
  private let blepera: String
  private let rules = ReportRule.all
  private let runs: [ReportRun]

  /// - Parameter version: the version of blepera.
  package init(_ sources: [ReportSource], version: String) {
    blepera = version
    runs = sources.map(ReportBuilder.run)
  }

  /// The beginning of every report, by which a file is recognized as one.
  package static let beginning =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<meta name=\"generator\" content=\"blepera report\">\n"

  package var html: String {
    Self.beginning + ReportTemplate.head + ReportTemplate.body
      + "<script type=\"application/json\" id=\"data\">"
      + json + "</script>\n<script>\n" + ReportTemplate.script + "</script>\n</html>\n"
  }

  /// The data as JSON without `<`, so that no text ends the script element around it.
  private var json: String {
    var bytes: [UInt8] = []
    for byte in JSONLine.text(self).utf8 {
      if byte == UInt8(ascii: "<") { bytes += Array("\\u003C".utf8) } else { bytes.append(byte) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// `1 phone, 1 central, 19 events`.
  package var summary: String {
    let counts = [
      (runs.reduce(0) { $0 + $1.phones.count }, "phone"), (runs.reduce(0) { $0 + $1.centrals.count }, "central"),
      (runs.reduce(0) { $0 + $1.events.count }, "event"),
    ]
    let omitted = runs.reduce(0) { $0 + $1.omitted }
    return counts.map { Quote.counted($0, $1) }.joined(separator: ", ")
      + (omitted > 0 ? "; \(Quote.counted(omitted, "event")) did not fit" : "")
  }
}
