import BleperaBluetooth
import BleperaCompare
import BleperaRules

/// The result of `blepera compare`.
struct CompareReport: CommandReport, Equatable {
  let ios: Int
  /// From the notes of the phone's log.
  let product: String?
  let software: String?
  /// Of all captures.
  let packets: Int
  let airPackets: Int
  let logPackets: Int
  let values: [ValueEntry]

  struct ValueEntry: Encodable, Equatable {
    let name: String
    let visible: RuleVisibility
    let rule: String
    let measured: String?
    /// In milliseconds.
    let error: Double?
    let packets: Int
    let verdict: Comparison.Verdict
    /// Whether the gaps fit no interval.
    let isUnfit: Bool
  }

  init(_ comparison: CaptureComparison, _ rules: RuleSet, showsValues: Bool) {
    ios = rules.version.rawValue
    (product, software) = (comparison.product, comparison.software)
    (packets, airPackets, logPackets) = (comparison.packets, comparison.airPackets, comparison.logPackets)
    let unfit = comparison.unfitIntervals
    values = comparison.compare(with: rules).map { value in
      ValueEntry(
        name: value.name, visible: value.visibility, rule: value.rule.text(showsValues: showsValues),
        measured: value.measured?.content.text(showsValues: showsValues),
        error: value.measured.flatMap { $0.error > 0 ? $0.error : nil }, packets: value.measured?.packets ?? 0,
        verdict: value.verdict, isUnfit: value.measured == nil && unfit.contains(value.name))
    }
  }

  func lines(for terminal: Terminal) -> [String] {
    let phone = [product, software].compactMap { $0 }.joined(separator: ", ")
    var lines = [
      terminal.styled("Compared with the rules of iOS \(ios)", .bold),
      "\(packets) packets and notes, \(logPackets) of the phone's own log, \(airPackets) of the phone on the air",
    ]
    if !phone.isEmpty { lines.append(phone) }
    let width = values.map(\.name.count).max() ?? 0
    let groups: [(verdict: Comparison.Verdict, title: String, style: Terminal.Style)] = [
      (.differs, "differs", .red), (.agrees, "agrees", .green), (.notSeen, "not seen", .dim),
    ]
    for group in groups {
      let members = values.filter { $0.verdict == group.verdict }
      guard !members.isEmpty else { continue }
      lines += ["", terminal.styled("\(group.title): \(members.count)", group.style)]
      for value in members {
        let name = "  " + TextLayout.padded(value.name, to: width) + "  "
        guard let measured = value.measured else {
          let why = value.isUnfit ? "clock unfit for gaps" : value.visible == .hci ? "only in a phone's own log" : ""
          lines.append(name + value.rule + (why.isEmpty ? "" : terminal.styled("  (\(why))", .dim)))
          continue
        }
        let error = value.error.map { " ± \(RuleContent.milliseconds($0).text())" } ?? ""
        let source = terminal.styled("  from \(value.packets)", .dim)
        lines.append(name + measured + error + source)
        if value.verdict == .differs { lines.append(TextLayout.spaces(width + 4) + "rule: \(value.rule)") }
      }
    }
    return lines
  }
}
