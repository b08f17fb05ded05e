import ArgumentParser
import BleperaBluetooth
import BleperaRules

struct RulesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rules",
    abstract: "Print the rules with their values and sources.",
    usage: "blepera rules [<options>] [<rule>]",
    discussion: """
      Each rule describes what iOS does and to which apps, followed by its values in one version of iOS, each with its \
      standing and its source: measured (the source names phone and file), documented by Apple or a specification, \
      reported by a developer, or ours, that is, blepera's own, because none is published. What is known and not emulated \
      is marked as not used yet. The last values belong to no rule of iOS.
      """)

  @Argument(
    help: ArgumentHelp("A rule, such as R2 (default: all).", valueName: "rule"),
    completion: .list(RuleID.allCases.map { "\($0)" }))
  var rule: String?

  @Option(help: ArgumentHelp("The iOS version (default: 26).", valueName: "version"))
  var ios: IOSVersion?

  @Option(help: EmulationOptions.kindHelp)
  var phoneKind: PhoneKindName?

  @Option(help: PhoneFile.help, completion: .propertyList)
  var like: PhoneFile?

  @Flag(help: "Print a JSON object on one line.")
  var json = false

  func validate() throws {
    try like?.validate()
    try PhoneKindName.validate(phoneKind, ios ?? like?.phone?.ios ?? .newest)
    guard let rule, !RuleSet.rules.contains(where: { "\($0.id)" == rule.uppercased() }) else { return }
    throw ValidationError("'\(rule)' is not a rule; the rules are R1 to R\(RuleSet.rules.count).")
  }

  var report: RulesReport {
    RulesReport(RuleSet(ios, phoneKind, like: like), only: rule?.uppercased())
  }

  func run() throws { report.print(on: Terminal(.output), asJSON: json) }
}

/// The result of `blepera rules`.
struct RulesReport: CommandReport, Equatable {
  let ios: Int
  let rules: [RuleEntry]
  let values: [ValueEntry]

  struct RuleEntry: Encodable, Equatable {
    let id: String
    let name: String
    let meaning: String
    let scope: String
    let source: String
  }

  struct ValueEntry: Encodable, Equatable {
    /// The rule; nil for a value that belongs to no rule of iOS.
    let rule: String?
    let name: String
    let value: String
    let standing: Standing
    let source: String
    let used: Bool
    /// The kind of capture that shows the value; nil for a value that no capture shows.
    let visible: RuleVisibility?
  }

  /// - Parameter id: the only rule; nil for all rules and the values that belong to no rule.
  init(_ ruleSet: RuleSet, only id: String? = nil) {
    ios = ruleSet.version.rawValue
    rules = RuleSet.rules.filter { id == nil || "\($0.id)" == id }.map { rule in
      RuleEntry(
        id: "\(rule.id)", name: rule.name, meaning: rule.meaning, scope: rule.scope, source: rule.source)
    }
    values = ruleSet.values.filter { value in id == nil || value.rule.map { "\($0)" } == id }.map { value in
      ValueEntry(
        rule: value.rule.map { "\($0)" }, name: value.name, value: value.text, standing: value.standing,
        source: value.source, used: value.isUsed, visible: value.visibility)
    }
  }

  func lines(for terminal: Terminal) -> [String] {
    let text = RulesText(terminal: terminal)
    let rules = rules.map { rule in text.rule(rule, values.filter { $0.rule == rule.id }) }
    let others = values.filter { $0.rule == nil }
    guard rules.count > 1 else { return rules.first ?? [] }
    let title = text.title(ios: ios, values.map(\.standing))
    return Array(([title] + rules + [text.others(others)]).joined(separator: [""]))
  }
}

/// Formats rules and their values.
struct RulesText {
  let terminal: Terminal

  /// The indentation of everything but a rule's number.
  private static let indent = 5
  /// The width of lines, limited because longer lines are hard to read.
  private var width: Int { min(terminal.columns, 120) }
  /// The smallest width for a source beside its value; with less, the source is printed below.
  private static let narrowestSource = 20

  func title(ios: Int, _ standings: [Standing]) -> [String] {
    [terminal.styled("R1 to R19, with the values of iOS \(ios)", .bold), RuleSet.count(standings)]
  }

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

  /// The name, value, standing and source of each value in columns; if they do not fit, the last two are printed below.
  private func values(_ values: [RulesReport.ValueEntry]) -> [String] {
    let indent = Self.indent + 2
    let nameWidth = values.map(\.name.count).max() ?? 0
    let valueWidth = values.map(\.value.count).max() ?? 0
    let standingStart = indent + nameWidth + 2 + valueWidth + 2
    let sourceStart = standingStart + (values.map(\.standing.rawValue.count).max() ?? 0) + 2
    let longestWord = values.flatMap { $0.source.split(separator: " ") }.map(\.count).max() ?? 0
    let isBeside = width - sourceStart >= max(Self.narrowestSource, longestWord)
    let start = isBeside ? sourceStart : indent + 2
    return values.flatMap { value in
      let name = TextLayout.padded(value.name, to: nameWidth)
      let head = TextLayout.spaces(indent) + name + "  " + terminal.styled(value.value, .green)
      let visible = value.visible.map { "; visible: \($0.rawValue)" } ?? ""
      let known = (value.used ? "" : "not used yet; ") + value.source + visible
      let text = isBeside ? known : "\(value.standing): \(known)"
      let source = TextLayout.wrapped(text, to: width - start).map { terminal.styled($0, .dim) }
      guard isBeside, let first = source.first else {
        return [head] + source.map { TextLayout.spaces(start) + $0 }
      }
      let beside = TextLayout.padded(head, to: standingStart) + value.standing.rawValue
      return [TextLayout.padded(beside, to: start) + first] + source.dropFirst().map { TextLayout.spaces(start) + $0 }
    }
  }
}
