import BleperaAppLink

/// One HTML page with its style, its script and its data; it loads nothing.
///
/// All text of a trace is data: the script inserts it as text, so none is markup.
struct ReportPage: Encodable {
  private let blepera = Blepera.version
  private let rules = ReportRule.all
  private let runs: [ReportRun]

  init(_ sources: [ReportSource]) { runs = sources.map(ReportBuilder.run) }

  /// The bytes by which a file is known as a report.
  static let beginning = "<!DOCTYPE html>\n<html lang=\"en\">\n<meta name=\"generator\" content=\"blepera report\">\n"

  var html: String {
    Self.beginning + ReportTemplate.head + "<style>\n" + ReportStyle.text + ReportStyle.details + "</style>\n"
      + ReportTemplate.body + "<script type=\"application/json\" id=\"data\">" + json + "</script>\n<script>\n"
      + ReportScript.text + "</script>\n</html>\n"
  }

  /// Without `<`, so that nothing in it ends the element that holds it.
  private var json: String {
    var bytes: [UInt8] = []
    for byte in JSONLine.text(self).utf8 {
      if byte == UInt8(ascii: "<") { bytes += Array("\\u003C".utf8) } else { bytes.append(byte) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// `1 phone, 1 central, 19 events`.
  var summary: String {
    let counts = [
      (runs.reduce(0) { $0 + $1.phones.count }, "phone"), (runs.reduce(0) { $0 + $1.centrals.count }, "central"),
      (runs.reduce(0) { $0 + $1.events.count }, "event"),
    ]
    let omitted = runs.reduce(0) { $0 + $1.omitted }
    return counts.map { TextLayout.counted($0, $1) }.joined(separator: ", ")
      + (omitted > 0 ? "; \(TextLayout.counted(omitted, "event")) did not fit" : "")
  }
}
