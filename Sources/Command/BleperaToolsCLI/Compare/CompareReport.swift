import BleperaBluetooth
import BleperaCLI
import BleperaCompare
import BleperaRules

/// The result of `blepera compare`.
struct CompareReport: CommandReport, Equatable {
  let ios: Int
  /// The raw value of a `PhoneKind`.
  let phoneKind: String
  /// The product and the software in the notes of the phone's log.
  let product: String?
  let software: String?
  /// The number of packets and notes in all captures.
  let packets: Int
  let airPackets: Int
  let logPackets: Int
  let values: [ValueEntry]
  let observations: [Observation]
  /// The clocks of captures that were compared with scenes.
  let clocks: [Clock]?

  struct Clock: Encodable, Equatable {
    let capture: String
    /// The time by which the capture is ahead of the scenes, in seconds; nil if it was not found.
    let offset: Double?
    /// The error of the offset in seconds; 0 for an offset from the command line.
    let error: Double?

    init(_ capture: String, _ found: ClockOffset?) {
      self.capture = capture
      offset = found.map { Double($0.nanoseconds / 1_000_000) / 1000 }
      error = found.map { Double($0.error / 1_000_000) / 1000 }
    }

    var text: String {
      guard let offset, let error else {
        return "\(capture): no three pairs of lock and unlock are as in the scenes; '--offset' sets its clock's offset"
      }
      let source =
        error > 0 ? " ± \(RuleContent.milliseconds(error * 1000).text()), from the pairs of lock and unlock" : ""
      return "\(capture): its clock is \(offset) s ahead of the scenes" + source
    }
  }

  struct ValueEntry: Encodable, Equatable {
    let name: String
    let visible: RuleVisibility
    let rule: String
    let measured: String?
    /// The error in milliseconds.
    let error: Double?
    let packets: Int
    let verdict: Comparison.Verdict
    /// The reason that nothing was measured, if known.
    let reason: String?

    /// The measured value with its error, or the reason that nothing was measured.
    var result: String {
      guard let measured else { return reason ?? "" }
      return measured + (error.map { " ± \(RuleContent.milliseconds($0).text())" } ?? "")
    }
  }

  static let verdicts: [(verdict: Comparison.Verdict, title: String)] = [
    (.differs, "differs"), (.agrees, "agrees"), (.notSeen, "not seen"),
  ]

  init(_ comparison: CaptureComparison, _ rules: RuleSet, showsValues: Bool, clocks: [Clock]) {
    self.clocks = clocks.isEmpty ? nil : clocks
    observations = comparison.observations
    ios = rules.version.rawValue
    phoneKind = rules.phoneKind.rawValue
    (product, software) = (comparison.product, comparison.software)
    (packets, airPackets, logPackets) = (comparison.packets, comparison.airPackets, comparison.logPackets)
    values = comparison.compare(with: rules).map { value in
      ValueEntry(
        name: value.name, visible: value.visibility, rule: value.rule.text(showsValues: showsValues),
        measured: value.measured?.content.text(showsValues: showsValues),
        error: value.measured.flatMap { $0.error > 0 ? $0.error : nil }, packets: value.measured?.packets ?? 0,
        verdict: value.verdict, reason: comparison.reason(value))
    }
  }

  var summary: String {
    "\(packets) packets and notes, \(logPackets) of the phone's own log, \(airPackets) of the phone on the air"
  }

  func lines(for terminal: Terminal) -> [String] {
    let phone = [product, software].compactMap { $0 }.joined(separator: ", ")
    var lines = [
      terminal.styled(
        "Compared with the rules of iOS \(ios)\(PhoneKind(rawValue: phoneKind)?.suffix ?? "")", .bold),
      summary,
    ]
    if !phone.isEmpty { lines.append(phone) }
    lines += (clocks ?? []).map(\.text)
    let width = values.map(\.name.count).max() ?? 0
    let styles: [Comparison.Verdict: Terminal.Style] = [.differs: .red, .agrees: .green, .notSeen: .dim]
    for (verdict, title) in Self.verdicts {
      let members = values.filter { $0.verdict == verdict }
      guard !members.isEmpty else { continue }
      lines += ["", terminal.styled("\(title): \(members.count)", styles[verdict] ?? .plain)]
      for value in members {
        let name = "  " + TextLayout.padded(value.name, to: width) + "  "
        guard value.measured != nil else {
          let why = value.result
          lines.append(name + value.rule + (why.isEmpty ? "" : terminal.styled("  (\(why))", .dim)))
          continue
        }
        lines.append(name + value.result + terminal.styled("  from \(value.packets)", .dim))
        if value.verdict == .differs { lines.append(TextLayout.spaces(width + 4) + "rule: \(value.rule)") }
      }
    }
    guard !observations.isEmpty else { return lines }
    lines += ["", terminal.styled("also seen: \(observations.count)", .bold)]
    lines += observations.map { "  \($0.name): \($0.text)" + terminal.styled("  \($0.times)", .dim) }
    return lines
  }
}

extension Observation {
  /// `20 of 22`
  var times: String { total.map { "\(count) of \($0)" } ?? "\(count)" }
}
