import BleperaBluetooth
import BleperaDiscovery

/// A picture of the share of phones found over time, a curve for each prediction, for light and dark pages.
struct DiscoverySVG {
  let curves: [(name: String, counts: DiscoveryCounts)]
  /// The end of the trials, in microseconds.
  let within: Int

  private static let (left, right, top, bottom) = (104.0, 976.0, 84.0, 604.0)
  private static let (firstEntry, entryHeight) = (752.0, 84.0)
  /// The longest name of a curve that fits, in characters.
  private static let longestName = 48
  /// Curves of one color have other dashes.
  private static let dashes = ["none", "18 8", "4 8", "22 7 4 7", "11 5 11 5 3 5"]
  private static let light = ["#1f57c3", "#a35f00", "#2f7d4f", "#7a3fc0", "#b3261e", "#0b7285"]
  private static let dark = ["#8ab4ff", "#eab464", "#74cc97", "#c7a0f8", "#ff8a80", "#66c9db"]
  private static let beginning = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1000 "

  /// Whether a file that begins with these bytes may be replaced.
  static func isPicture(_ start: [UInt8]) -> Bool { start.isEmpty || start.starts(with: beginning.utf8) }

  var text: String {
    let axis = TimeAxis(curves.map(\.counts), within: within, from: Self.left, to: Self.right)
    let height = Self.text(Self.firstEntry + Double(curves.count) * Self.entryHeight - 20)
    let title = "Share of phones found, over time"
    var lines = [
      "\(Self.beginning)\(height)\" role=\"img\" aria-labelledby=\"title\">", "<title id=\"title\">\(title)</title>",
      Self.style, "<rect class=\"page\" width=\"100%\" height=\"100%\"/>", Self.label(title, "name", 24, 48),
    ]
    lines += Self.grid(axis)
    for (index, curve) in curves.enumerated() { lines.append(Self.path(Self.style(of: index), curve.counts, axis)) }
    for (index, curve) in curves.enumerated() { lines += marks(index, curve.counts, axis) }
    lines.append(Self.label("● 50 % found", "dim", 104, 694))
    lines.append(Self.label("○ 95 % found", "dim", 344, 694))
    lines.append(Self.label("a trial ends after \(Self.time(within))", "dim", Self.right, 694, "end"))
    for (index, curve) in curves.enumerated() { lines += Self.entry(index, curve.name, curve.counts) }
    return lines.joined(separator: "\n") + "\n</svg>\n"
  }

  /// On a small screen, which shrinks the picture, text and lines are larger.
  private static var style: String {
    """
    <style>
    text { font: 28px system-ui, -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif; }
    .name { font-weight: 600; }
    .curve, .mark { stroke: currentColor; stroke-width: 4; stroke-linejoin: round; }
    .curve { fill: none; } .grid { stroke-width: 2; }
    .number { font-weight: 700; stroke-width: 8; paint-order: stroke; }
    \(dashes.enumerated().map { ".d\($0) { stroke-dasharray: \($1); }" }.joined(separator: "\n"))
    @media (min-width: 700px) { text { font-size: 18px; } .curve, .mark { stroke-width: 2.5; } }
    \(colors(page: "#ffffff", ink: "#1c1c1e", dim: "#63636a", grid: "#e2e2de", light))
    @media (prefers-color-scheme: dark) {
    \(colors(page: "#1c1c1f", ink: "#ececee", dim: "#a0a0a8", grid: "#3a3a40", dark))
    }
    </style>
    """
  }

  private static func colors(page: String, ink: String, dim: String, grid: String, _ curves: [String]) -> String {
    """
    svg { background: \(page); } text { fill: \(ink); } .dim { fill: \(dim); } .grid { stroke: \(grid); }
    .mark, .number { fill: currentColor; stroke-dasharray: none; } .page, .open { fill: \(page); } .number { stroke: \(page); }
    \(curves.enumerated().map { ".c\($0) { color: \($1); }" }.joined(separator: " "))
    """
  }

  private static func style(of curve: Int) -> String { "c\(curve % light.count) d\(curve % dashes.count)" }

  private static func y(_ share: Double) -> Double { bottom - share * (bottom - top) }

  private static func grid(_ axis: TimeAxis) -> [String] {
    // There is no room for the text of 100 % beside 95 %.
    let shares = [(0, "0 %"), (25, "25 %"), (50, "50 %"), (75, "75 %"), (95, "95 %"), (100, "")].flatMap {
      percent, text in
      let y = y(Double(percent) / 100)
      return [
        "<path class=\"grid\" d=\"M\(left) \(self.text(y))H\(right)\"/>", label(text, "dim", left - 12, y + 8, "end"),
      ]
    }
    return axis.ticks.reduce(into: shares) { lines, tick in
      lines.append("<path class=\"grid\" d=\"M\(text(tick.x)) \(top)V\(bottom)\"/>")
      lines.append(label(tick.name, "dim", min(tick.x, right - 34), bottom + 38, "middle"))
    }
  }

  /// The steps of a curve, one for each unit of the picture in which phones are found.
  private static func path(_ style: String, _ counts: DiscoveryCounts, _ axis: TimeAxis) -> String {
    var steps = [(x: left, found: 0)]
    for (milliseconds, count) in counts.times.sorted(by: { $0.key < $1.key }) {
      let step = (axis.x(milliseconds).rounded(), steps[steps.count - 1].found + count)
      if steps.last?.x == step.0 { steps.removeLast() }
      steps.append(step)
    }
    let heights = steps.map { text(y(Double($0.found) / Double(max(counts.trials, 1)))) }
    let line = zip(steps, heights).dropFirst().map { "H\(text($0.x))V\($1)" }.joined()
    // A curve that reaches all phones ends there.
    let end = counts.notFound > 0 ? "H\(text(right))" : ""
    return "<path class=\"curve \(style)\" d=\"M\(text(left)) \(heights[0])\(line)\(end)\"/>"
  }

  /// The points of 50 and 95 %, and the number of the curve, which is at another height for each curve.
  private func marks(_ index: Int, _ counts: DiscoveryCounts, _ axis: TimeAxis) -> [String] {
    let percent = Int((1 - (counts.shareNotFound ?? 1)) * 100 * Double(index + 1) / Double(curves.count + 1))
    let places = counts.percentiles([50, 95, percent]).map { $0.map { axis.x(Int(($0 * 1000).rounded())) } }
    let (style, ys) = (Self.style(of: index), [50, 95, percent].map { Self.y(Double($0) / 100) })
    return [
      places[0].map { "<circle class=\"mark \(style)\" cx=\"\(Self.text($0))\" cy=\"\(ys[0])\" r=\"8\"/>" },
      places[1].map { "<circle class=\"mark open \(style)\" cx=\"\(Self.text($0))\" cy=\"\(ys[1])\" r=\"8\"/>" },
      places[2].map { Self.label("\(index + 1)", "number \(style)", $0 - 14, ys[2] - 6, "end") },
    ].compactMap(\.self)
  }

  private static func entry(_ index: Int, _ name: String, _ counts: DiscoveryCounts) -> [String] {
    let y = firstEntry + Double(index) * entryHeight
    let shown = name.count > longestName ? name.prefix(longestName - 1) + "…" : name
    var results = zip([50, 95], counts.percentiles([50, 95])).compactMap { percent, seconds in
      seconds.map { "\(percent) % in \(time(Int(($0 * 1_000_000).rounded())))" }
    }
    results.append("\(text((counts.shareNotFound ?? 1) * 100, 100)) % not found")
    return [
      "<g><title>\(escaped(name))</title>", label("\(index + 1)", "number \(style(of: index))", 24, y),
      "<path class=\"curve \(style(of: index))\" d=\"M24 \(text(y + 24))H88\"/>", label(shown, "name", left, y),
      label(results.joined(separator: ", "), "dim", left, y + 36), "</g>",
    ]
  }

  private static func label(
    _ label: String, _ style: String, _ x: Double, _ y: Double, _ anchor: String = "start"
  ) -> String {
    "<text class=\"\(style)\" x=\"\(text(x))\" y=\"\(text(y))\" text-anchor=\"\(anchor)\">\(escaped(label))</text>"
  }

  /// Markup without the characters that XML 1.0 does not have.
  private static func escaped(_ text: String) -> String {
    let scalars = text.unicodeScalars.map { $0.value < 0x20 || 0xFFFE...0xFFFF ~= $0.value ? "\u{FFFD}" : $0 }
    return Markup.escaped(String(String.UnicodeScalarView(scalars)))
  }

  /// - Parameter microseconds: shown as whole minutes, or as seconds with at most three decimals.
  private static func time(_ microseconds: Int) -> String {
    let seconds = Double(microseconds) / 1_000_000
    if seconds >= 120, microseconds % 60_000_000 == 0 { return "\(microseconds / 60_000_000) min" }
    return "\(text(seconds, seconds < 1 ? 1000 : seconds < 100 ? 100 : 10)) s"
  }

  /// The number in parts of `unit`, without a fraction of zero.
  private static func text(_ number: Double, _ unit: Double = 10) -> String {
    let rounded = (number * unit).rounded() / unit
    return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
  }
}
