/// The parts of a report's page that are the same in each.
enum ReportTemplate {
  /// The markup before the body.
  static var head: String {
    text(PackageResources.head_html) + "<style>\n" + text(PackageResources.page_css) + "</style>\n"
  }

  static var body: String { text(PackageResources.body_html) }

  /// The parts of the script; each uses only the parts before it.
  static var script: String {
    let parts = [
      PackageResources.model_js, PackageResources.timeline_js, PackageResources.marks_js, PackageResources.moments_js,
      PackageResources.details_js, PackageResources.main_js,
    ]
    return "(() => {\n'use strict';\n" + parts.map(text).joined() + "})();\n"
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
