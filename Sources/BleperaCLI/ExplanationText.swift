import Policy
import Profile

/// `blepera explain` for a person.
struct ExplanationText {
  let terminal: Terminal

  /// Of one of two columns: the AD structure of an overflow area and its digits go on one line.
  private static let narrowest = 48
  private static let gap = 3
  /// Of a column, and of a state that has the terminal to itself: more would tear lengths from what they are of.
  private static let widest = 88

  func lines(_ explanation: Explanation) -> [String] {
    let half = min((terminal.columns - Self.gap) / 2, Self.widest)
    let body: [[String]]
    if explanation.states.count == 2, half >= Self.narrowest {
      body = beside(explanation.states[0], explanation.states[1], width: half)
    } else {
      let width = max(Self.narrowest, min(terminal.columns, Self.widest))
      body = explanation.states.flatMap { state in
        sections(state, width).filter { !$0.isEmpty }.map { $0.lines(terminal, width: width) }
      }
    }
    let last = ReasonText(terminal: terminal, states: explanation.states)
    let blocks = [head(explanation)] + body + [last.reasons, last.differences, last.rules].filter { !$0.isEmpty }
    return Array(blocks.joined(separator: [""]))
  }

  private func beside(_ left: StateExplanation, _ right: StateExplanation, width: Int) -> [[String]] {
    zip(sections(left, width), sections(right, width)).flatMap { left, right -> [[String]] in
      if left.isEmpty, right.isEmpty { return [] }
      if left.fits(width), right.fits(width) { return [TextSection.beside(left, right, terminal, width: width)] }
      return [left, right].filter { !$0.isEmpty }.map { $0.lines(terminal, width: 2 * width + Self.gap) }
    }
  }

  /// The same ones for every state.
  private func sections(_ state: StateExplanation, _ width: Int) -> [TextSection] {
    let packets = PacketText(terminal: terminal, width: width)
    let text = StateText(terminal: terminal, state: state, width: width)
    return [packets.phone(state), packets.bluez(state), text.overflow, text.centrals, text.answers]
  }

  private func head(_ explanation: Explanation) -> [String] {
    let apps = explanation.apps.flatMap { app -> [String] in
      let mode = app.description.hasBackgroundMode ? "bluetooth-peripheral" : "no bluetooth-peripheral"
      let name = "\(terminal.styled(app.identifier, .bold)), \(Quote.text(app.description.name))"
      return labelled("app", [name]) + labelled("background", [mode]) + labelled("advertises", asked(app))
    }
    return apps + labelled("phone", [explanation.states.first.map { "\($0.rules.version)" } ?? ""])
  }

  private func asked(_ app: ExplainedApp) -> [String] {
    guard let fields = app.fields else { return ["nothing: its profile has no Advertisement"] }
    let items = fields.serviceUUIDs.map { "\($0)" } + (fields.localName.map { [Quote.text($0)] } ?? [])
    return items.isEmpty ? ["no UUID and no name"] : TextLayout.list(items, to: terminal.columns - 12)
  }

  private func labelled(_ label: String, _ lines: [String]) -> [String] {
    lines.enumerated().map { index, line in
      terminal.styled(TextLayout.padded(index == 0 ? label : "", to: 12), .dim) + line
    }
  }
}
