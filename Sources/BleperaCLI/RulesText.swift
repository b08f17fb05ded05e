/// Rules and their values for a person.
struct RulesText {
  let terminal: Terminal

  /// What stands in front of everything but the number of a rule.
  private static let indent = 5
  /// Longer lines are hard to read.
  private var width: Int { min(terminal.columns, 120) }
  /// A narrower source stands below its value.
  private static let narrowestSource = 20

  func title(ios: Int) -> String { terminal.styled("R1 to R16, with the values of iOS \(ios)", .bold) }

  func rule(_ rule: RulesReport.RuleEntry, _ values: [RulesReport.ValueEntry]) -> [String] {
    let id = terminal.styled(TextLayout.padded(rule.id, to: Self.indent), .cyan)
    let scope = terminal.styled(rule.scope, .dim)
    let head = TextLayout.spread(id + terminal.styled(rule.name, .bold), scope, over: width)
    return [head] + wrapped(rule.meaning, .plain) + wrapped(rule.source, .dim) + self.values(values)
  }

  func others(_ values: [RulesReport.ValueEntry]) -> [String] {
    [terminal.styled("no rule of iOS", .bold)] + self.values(values)
  }

  private func wrapped(_ text: String, _ style: Terminal.Style) -> [String] {
    TextLayout.wrapped(text, to: width - Self.indent)
      .map { TextLayout.spaces(Self.indent) + terminal.styled($0, style) }
  }

  /// Name, value and source in columns.
  private func values(_ values: [RulesReport.ValueEntry]) -> [String] {
    let indent = Self.indent + 2
    let nameWidth = values.map(\.name.count).max() ?? 0
    let valueWidth = values.map(\.value.count).max() ?? 0
    let sourceStart = indent + nameWidth + 2 + valueWidth + 2
    let longestWord = values.flatMap { $0.source.split(separator: " ") }.map(\.count).max() ?? 0
    let isBeside = width - sourceStart >= max(Self.narrowestSource, longestWord)
    let start = isBeside ? sourceStart : indent + 2
    return values.flatMap { value in
      let name = TextLayout.padded(value.name, to: nameWidth)
      let head = TextLayout.spaces(indent) + name + "  " + terminal.styled(value.value, .green)
      let source = TextLayout.wrapped(value.source, to: width - start).map { terminal.styled($0, .dim) }
      guard isBeside, let first = source.first else {
        return [head] + source.map { TextLayout.spaces(start) + $0 }
      }
      return [TextLayout.padded(head, to: start) + first] + source.dropFirst().map { TextLayout.spaces(start) + $0 }
    }
  }
}
