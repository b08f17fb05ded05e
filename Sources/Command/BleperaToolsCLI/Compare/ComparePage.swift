import BleperaBluetooth
import BleperaCompare
import BleperaReport
import BleperaRules

/// The result of `blepera compare` as a page, with a histogram of the gaps of each interval.
struct ComparePage {
  let report: CompareReport
  let comparison: CaptureComparison
  let rules: RuleSet

  var html: String {
    let title = "\(report.product ?? "A capture") compared with iOS \(report.ios)"
    var body = ""
    let histograms = report.values.compactMap { histogram($0.name) }
    if !histograms.isEmpty { body += Self.panel("Gaps between packets, in milliseconds", histograms.joined()) }
    for (verdict, title) in CompareReport.verdicts {
      let rows = report.values.filter { $0.verdict == verdict }
      guard !rows.isEmpty else { continue }
      body += Self.panel(
        "\(title): \(rows.count)", style: verdict.rawValue,
        Self.table(
          ["value", "rule", "measured", "packets"],
          rows.map { row in
            [row.name, row.rule, row.result, row.packets > 0 ? "\(row.packets)" : ""]
          }))
    }
    if !report.observations.isEmpty {
      body += Self.panel(
        "Also seen", Self.table(["what", "", "count"], report.observations.map { [$0.name, $0.text, $0.times] }))
    }
    return StaticPage(title: title, source: report.summary, body: body).html
  }

  private static func panel(_ title: String, style: String = "", _ content: String) -> String {
    "<section class=\"panel\">\n<h2 class=\"\(style)\">\(Markup.escaped(title))</h2>\n\(content)</section>\n"
  }

  private static func table(_ heads: [String], _ rows: [[String]]) -> String {
    func row(_ cells: [String], _ tag: String) -> String {
      "<tr>" + cells.map { "<\(tag)>\(Markup.escaped($0))</\(tag)>" }.joined() + "</tr>\n"
    }
    return "<table class=\"compared\">\n" + row(heads, "th") + rows.map { row($0, "td") }.joined() + "</table>\n"
  }

  private static let bins = 90
  private static let (left, right, height) = (30.0, 870.0, 130.0)

  /// Bars of the gaps around the interval, drawn over the band that the rule allows; nil without gaps or a rule.
  private func histogram(_ name: String) -> String? {
    guard let gaps = comparison.gaps(name), gaps.total > 0,
      case .milliseconds(let rule)? = VisibleValue.named(name)?.content(in: rules)
    else { return nil }
    var measured = rule
    if case .interval(let interval) = gaps.estimate() { measured = interval.milliseconds }
    let delay = rules.advertisingDelay.value.maximum / .milliseconds(1)
    let (low, high) = (min(rule, measured) * 0.9, max(rule, measured) * 1.05 + 2 * delay)
    var counts = [Int](repeating: 0, count: Self.bins)
    for (gap, count) in gaps.counts {
      let bin = (Double(gap) / 100 - low) / (high - low) * Double(Self.bins)
      if (0..<Double(Self.bins)).contains(bin) { counts[Int(bin)] += count }
    }
    let most = Double(max(1, counts.max() ?? 1))
    func x(_ milliseconds: Double) -> Double {
      ((Self.left + (milliseconds - low) / (high - low) * (Self.right - Self.left)) * 10).rounded() / 10
    }
    let width = (Self.right - Self.left) / Double(Self.bins)
    let bars = counts.enumerated().filter { $0.element > 0 }.map { bin, count in
      let size = (Double(count) / most * (Self.height - 20) * 10).rounded() / 10
      return "<rect class=\"bar\" x=\"\(Self.left + Double(bin) * width)\" y=\"\(Self.height - size)\" "
        + "width=\"\(max(1, width - 1))\" height=\"\(size)\"><title>\(count)</title></rect>\n"
    }
    let marks = stride(from: low, through: high, by: (high - low) / 8).map {
      "<text x=\"\(x($0))\" y=\"\(Self.height + 16)\" text-anchor=\"middle\">\(Self.text($0))</text>\n"
    }
    return
      "<h3>\(name): \(gaps.total) gaps; the band is the rule, \(RuleContent.milliseconds(rule).digits) ms and its delay</h3>\n"
      + "<svg class=\"gaps\" viewBox=\"0 0 900 \(Self.height + 24)\" role=\"img\" aria-label=\"Gaps of \(name)\">\n"
      + "<rect class=\"allowed\" x=\"\(x(rule))\" y=\"0\" width=\"\(max(2, x(rule + delay) - x(rule)))\" "
      + "height=\"\(Self.height)\"/>\n" + bars.joined()
      + "<path class=\"rule\" d=\"M\(x(rule)) 0V\(Self.height)\"/>\n"
      + "<path class=\"line\" d=\"M0 \(Self.height)H900\"/>\n" + marks.joined() + "</svg>\n"
  }

  private static func text(_ value: Double) -> String { RuleContent.milliseconds((value * 10).rounded() / 10).digits }
}

extension RuleContent {
  /// The number without the unit.
  fileprivate var digits: String { String(text().prefix { $0 != " " }) }
}
