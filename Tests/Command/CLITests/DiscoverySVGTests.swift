import BleperaDiscovery
import Testing

@testable import BleperaToolsCLI

@Suite struct DiscoverySVGTests {
  private static let minute = 60_000_000

  /// - Parameter milliseconds: nil for phones that were not found.
  private static func counts(_ milliseconds: [Int?]) -> DiscoveryCounts {
    milliseconds.reduce(into: DiscoveryCounts()) { $0.add($1.map { $0 * 1000 }) }
  }

  private static func picture(_ curves: [(name: String, counts: DiscoveryCounts)]) -> String {
    DiscoverySVG(curves: curves, within: minute).text
  }

  /// The attribute of all elements of the class.
  private static func attributes(_ name: String, of style: String, in text: String) -> [String] {
    text.split(separator: "\n").filter { $0.contains("class=\"\(style)") }.compactMap { line in
      line.split(separator: " \(name)=\"").dropFirst().first.map { String($0.prefix { $0 != "\"" }) }
    }
  }

  /// The points of a path of horizontal and vertical lines.
  private static func points(_ path: String) -> [(x: Double, y: Double)] {
    let parts = path.replacing("H", with: " H").replacing("V", with: " V").split(separator: " ")
    var point = (x: Double(parts[0].dropFirst()) ?? .nan, y: Double(parts[1]) ?? .nan)
    return [point]
      + parts.dropFirst(2).map { part in
        let number = Double(part.dropFirst()) ?? .nan
        if part.first == "V" { point.y = number } else { point.x = number }
        return point
      }
  }

  private static let samples: [(name: String, times: [Int?])] = [
    ("found", [50, 60, 300, 301, 302, 2000, 2001, 30_000]), ("not all found", [1, 700, 800, nil, 59_999, nil]),
    ("none found", [nil, nil, nil]), ("at once", [0, 0, 0]), ("one", [60_000]), ("no trials", []),
  ]

  @Test(arguments: samples)
  func `a curve rises in steps to the share found, and on to the end if phones are not found`(
    name: String, times: [Int?]
  ) throws {
    let text = Self.picture([(name, Self.counts(times))])
    let points = Self.points(try #require(Self.attributes("d", of: "curve c0", in: text).first))
    for (point, next) in zip(points, points.dropFirst()) {
      #expect(next.x >= point.x && next.y <= point.y)
      #expect(next.x == point.x || next.y == point.y, "a step is vertical or horizontal")
    }
    let found = times.isEmpty ? 0 : Double(times.count { $0 != nil }) / Double(times.count)
    let last = try #require(points.last)
    #expect(abs(last.y - (604 - 520 * found)) <= 0.05)
    if times.contains(nil) { #expect(last.x == 976) }
  }

  @Test func `a curve of many trials has no more steps than units of the picture`() throws {
    let text = Self.picture([("many", Self.counts((1...50_000).map { $0 }))])
    let points = Self.points(try #require(Self.attributes("d", of: "curve c0", in: text).first))
    #expect((400...2 * 873).contains(points.count))
    #expect(text.utf8.count < 20_000)
  }

  @Test(
    arguments: [
      ([100, 200, 300, 400], 2), ([100, nil, 300, 400], 1), ([100, nil, nil], 0), ([nil], 0),
    ] as [([Int?], Int)])
  func `points are those of 50 and 95 % that are found`(times: [Int?], count: Int) {
    let counts = Self.counts(times)
    let text = Self.picture([("curve", counts)])
    #expect(Self.attributes("cx", of: "mark", in: text).count == count)
    #expect(text.contains("50 % in") == (count > 0) && text.contains("95 % in") == (count > 1))
  }

  @Test func `a point is on its curve`() throws {
    let text = Self.picture([("curve", Self.counts((1...1000).map { $0 * 7 }))])
    let points = Self.points(try #require(Self.attributes("d", of: "curve c0", in: text).first))
    let marks = zip(Self.attributes("cx", of: "mark", in: text), Self.attributes("cy", of: "mark", in: text))
      .compactMap { x, y in Double(x).flatMap { x in Double(y).map { (x: x, y: $0) } } }
    #expect(marks.map(\.y) == [344, 110])
    for mark in marks {
      let near = points.filter { abs($0.x - mark.x) <= 1 }.map(\.y)
      #expect((near.min() ?? 0) <= mark.y && mark.y <= (near.max() ?? 0))
    }
  }

  @Test(arguments: [
    ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"), ("a & \"b\"", "a &amp; &quot;b&quot;"),
    ("bell\u{7} null\u{0} line\n", "bell\u{FFFD} null\u{FFFD} line\u{FFFD}"), ("]]>", "]]&gt;"),
    ("\u{FFFE}é日", "\u{FFFD}é日"), (String(repeating: "long", count: 20), String(repeating: "long", count: 11) + "lon…"),
  ])
  func `a name is text without markup, and is short`(name: String, text: String) {
    let picture = Self.picture([(name, Self.counts([100]))])
    #expect(picture.contains("text-anchor=\"start\">\(text)</text>"))
    #expect(!picture.contains("<script"))
    #expect(!picture.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
  }

  @Test func `the picture loads nothing, and has colors for light and dark pages`() throws {
    let text = Self.picture(Self.samples.map { ($0.name, Self.counts($0.times)) })
    for word in ["<script", "href", "url(", "@import", "<image", "<foreignObject"] { #expect(!text.contains(word)) }
    #expect(text.parts(at: "http").count == 2, "the name space alone")
    let schemes = text.parts(at: "@media (prefers-color-scheme: dark)")
    #expect(schemes.count == 2)
    for index in Self.samples.indices {
      let rules = schemes.map { $0.parts(at: ".c\(index) { color: ").last?.prefix(7) ?? "" }
      #expect(rules[0].hasPrefix("#") && rules[1].hasPrefix("#") && rules[0] != rules[1])
    }
  }

  @Test func `curves differ in more than their colors`() {
    let text = Self.picture((0..<30).map { ("curve \($0)", Self.counts([100 + $0])) })
    let styles = text.parts(at: "<path class=\"curve ").dropFirst().map { $0.prefix { $0 != "\"" } }
    #expect(Set(styles).count == 30)
    for number in 1...30 { #expect(text.contains(">\(number)</text>")) }
  }

  @Test(
    arguments: [
      ([], 60_000_000), ([0], 1), ([1, 2], 1_000_000), ([40, 90, 600_000], 600_000_000), ([3_599_999], 3_600_000_000),
      ([20, nil], 600_000_000), ([5_000_000, nil], 1_000_000_000_000),
    ] as [([Int?], Int)])
  func `the axis has times in its range that do not overlap`(times: [Int?], within: Int) {
    let axis = TimeAxis([Self.counts(times)], within: within, from: 100, to: 1000)
    let ticks = axis.ticks
    #expect(!ticks.isEmpty)
    #expect(ticks.allSatisfy { (100...1000).contains($0.x) })
    #expect(zip(ticks, ticks.dropFirst()).allSatisfy { $1.x - $0.x >= 75 })
    for time in [0, 1, 50, within / 1000, within] { #expect((100...1000).contains(axis.x(time))) }
  }

  @Test func `a file that is not a picture of curves is not replaced`() {
    #expect(DiscoverySVG.isPicture([]) && DiscoverySVG.isPicture(Array(Self.picture([]).utf8.prefix(4096))))
    #expect(!DiscoverySVG.isPicture(Array("<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>".utf8)))
  }
}

extension StringProtocol {
  fileprivate func parts(at separator: String) -> [SubSequence] {
    split(separator: separator, omittingEmptySubsequences: false)
  }
}
