import BleperaBluetooth
import BleperaRules

extension StateText {
  /// The section about the events and advertisements that central managers receive.
  var receptions: TextSection {
    let groups = state.receptions.flatMap { app -> [[String]] in
      let name = state.apps.count > 1 ? [terminal.styled(app.app, .cyan)] : []
      return [name + app.scans.flatMap { scan($0, isOnly: app.scans.count == 1) }]
        + [("running", app.events), ("suspended", app.eventsWhenSuspended), ("terminated", app.eventsWhenTerminated)]
        .compactMap { label, events in events.map { rows(label, $0) } }
    }
    return TextSection(title: "Received as a central, \(state.state.rawValue)", groups: groups)
  }

  private func scan(_ scan: ScanView, isOnly: Bool) -> [String] {
    let label = isOnly ? "scan" : scan.screenOn ? "screen on" : "screen off"
    guard let timing = scan.timing else { return row(label, "the scan finds nothing (R16)") }
    // In the background an app receives the overflow areas of scan responses alone (R16).
    let what =
      ["advertisements"] + (scan.active && isOnly ? ["scan responses"] : []) + (scan.overflow ? ["overflow areas"] : [])
    let boost = scan.litTiming.map { "; at first \($0)" } ?? ""
    return row(label, "\(Quote.list(what, "and")), \(timing)\(boost)\(isOnly ? "" : " (R16)")")
  }

  /// A row for each outcome, with all events of that outcome.
  private func rows(_ label: String, _ events: [ReceivedEvent]) -> [String] {
    guard !events.isEmpty else { return row(label, "nothing") }
    let outcomes = events.map(\.outcome).reduce(into: [ReceivedEvent.Outcome]()) {
      if !$0.contains($1) { $0.append($1) }
    }
    return outcomes.enumerated().flatMap { index, outcome in
      let those = events.filter { $0.outcome == outcome }
      let names = Quote.list(those.map { noun($0.kind) + ($0.alert ? " (with an alert, R19)" : "") }, "and")
      let rule = those[0].rule.map { " (\($0))" } ?? ""
      return row(index == 0 ? label : "", "\(names): \(text(outcome))\(rule)")
    }
  }

  private func noun(_ kind: NoticeKind) -> String {
    switch kind {
    case .discovery: "discoveries"
    case .connection: "connections"
    case .disconnection: "disconnections"
    case .notification: "notifications"
    case .power: "Bluetooth's state"
    case .subscribe, .unsubscribe, .callback, .response, .change, .connectionEvent: kind.rawValue
    }
  }

  private func text(_ outcome: ReceivedEvent.Outcome) -> String {
    switch outcome {
    case .app: "at once"
    case .woken: "the app is woken for \(Self.seconds(state.rules.wakeBudget.value))"
    case .queued: "queued until the foreground"
    case .relaunched: "the app is relaunched"
    case .dropped: "lost without RestoreIdentifier"
    }
  }
}
