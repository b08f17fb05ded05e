import BleperaBlueZ
import BleperaBluetooth
import BleperaProfile
import BleperaRadio
import BleperaRules

/// The text output of `blepera explain`.
struct ExplanationText {
  let terminal: Terminal

  /// The minimum width of a column: fits the AD structure of an overflow area and its digits on one line.
  private static let narrowest = 48
  private static let gap = 3
  /// The maximum width of a column or a single state: keeps the lengths at the right edge near their text.
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
    let blocks =
      [summary(explanation), head(explanation)].filter { !$0.isEmpty } + body
      + [last.reasons, last.limitations, explanation.bluetoothd.map(last.faults) ?? [], last.rules].filter {
        !$0.isEmpty
      }
    return Array(blocks.joined(separator: [""]))
  }

  private func beside(_ left: StateExplanation, _ right: StateExplanation, width: Int) -> [[String]] {
    zip(sections(left, width), sections(right, width)).flatMap { left, right -> [[String]] in
      if left.isEmpty, right.isEmpty { return [] }
      if left.fits(width), right.fits(width) { return [TextSection.beside(left, right, terminal, width: width)] }
      return [left, right].filter { !$0.isEmpty }.map { $0.lines(terminal, width: 2 * width + Self.gap) }
    }
  }

  /// The sections of a state, the same for every state.
  private func sections(_ state: StateExplanation, _ width: Int) -> [TextSection] {
    let packets = PacketText(terminal: terminal, width: width)
    let text = StateText(terminal: terminal, state: state, width: width)
    return [packets.phone(state), packets.bluez(state), text.overflow, text.centrals, text.responses, text.receptions]
  }

  private func head(_ explanation: Explanation) -> [String] {
    let apps = explanation.apps.flatMap { app -> [String] in
      let modes =
        (app.isPeripheral ? [mode(AppIdentity.peripheralBackgroundMode, of: app)] : [])
        + (app.central == nil ? [] : [mode(AppIdentity.centralBackgroundMode, of: app)])
      let name = "\(terminal.styled(app.identifier, .bold)), \(Quote.text(app.identity.name))"
      return labeled("app", [name]) + labeled("background", [modes.joined(separator: ", ")])
        + labeled("advertises", app.isPeripheral ? asked(app) : [])
        + labeled("scans for", app.central.map(scanned) ?? []) + labeled("connects", app.central.map(connected) ?? [])
        + labeled("writes", app.responses.flatMap { TextLayout.wrapped($0.text, to: terminal.columns - 12) })
        + labeled("slow", slow(app, explanation).flatMap { TextLayout.wrapped($0, to: terminal.columns - 12) })
    }
    return apps + labeled("phone", [explanation.states.first.map { phone($0.rules) } ?? ""])
      + (explanation.bluetoothd.map { labeled("bluetoothd", TextLayout.wrapped($0.text, to: terminal.columns - 12)) }
        ?? labeled("packets", ["a controller's, with --controller: those of the iPhone"]))
      + (explanation.exact ? labeled("packets", ["the kernel's, with --exact, beside this bluetoothd"]) : [])
  }

  private func mode(_ mode: String, of app: ExplainedApp) -> String {
    app.identity.backgroundModes.contains(mode) ? mode : "no \(mode)"
  }

  private func scanned(_ central: ExplainedCentral) -> [String] {
    let uuids = central.scan.services.map { "\($0)" } + central.scan.solicitedServices.map { "\($0) (solicited)" }
    return uuids.isEmpty ? ["any service"] : TextLayout.list(uuids, to: terminal.columns - 12)
  }

  private func connected(_ central: ExplainedCentral) -> [String] {
    guard let connection = central.connection else { return ["nothing"] }
    let which =
      [
        connection.isToAll ? "each peripheral" : "the first peripheral",
        connection.name.map { "named \(Quote.text($0))" }, connection.service.map { "with \($0)" },
      ]
      .compactMap(\.self).joined(separator: " ")
    return TextLayout.wrapped(
      which + (connection.reconnects ? ", again after a loss" : "; scans again after a loss"), to: terminal.columns - 12
    )
  }

  private func phone(_ rules: RuleSet) -> String {
    "\(rules.version)\(rules.phoneKind.suffix)"
      + (rules.measured.map { ", as measured on \(Quote.line($0.name))" } ?? "")
  }

  /// Notes about responses that are too late for bluetoothd, which waits less long than an iPhone's centrals.
  private func slow(_ app: ExplainedApp, _ explanation: Explanation) -> [String] {
    let limit = BlueZLimitation.requestTimeLimit
    return [(CentralRequest.read, "reads"), (.write, "writes")].compactMap { request, name in
      guard let delay = app.delays[request] else { return nil }
      let text = "\(name) are answered after \(StateText.seconds(delay))"
      guard delay > limit, explanation.bluetoothd != nil else { return text }
      return "\(text); over BlueZ centrals get \(ATTError.unlikelyError) after \(StateText.seconds(limit))"
    }
  }

  /// The change of the packets in the background, and the centrals that can and cannot still find the phone.
  private func summary(_ explanation: Explanation) -> [String] {
    guard let state = explanation.states.last(where: { $0.state != .foreground }),
      explanation.apps.contains(where: \.isPeripheral)
    else { return [] }
    let what = state.state == .suspended ? "suspended" : "background"
    let lines: [(String, String)]
    if let silence = state.silence {
      let reason =
        switch silence {
        case .noAdvertiser: ": no app advertises"
        case .nameAlone: " (R2)"
        case .noBackgroundMode: ", without bluetooth-peripheral (R4)"
        }
      let isThere = state.plan.own != nil
      lines = [
        ("in brief", "\(what): nothing of an app on the air\(reason)"),
        ("found by", isThere ? "trackers that know the phone's IRK, by its own Nearby Info" : "no central"),
        ("not by", "every \(isThere ? "other " : "")central, until an app is in the foreground"),
      ]
    } else if state.bits.isEmpty {
      lines = [
        ("in brief", "\(what): no name and no service UUID on the air"),
        ("found by", "centrals that take any device, or know the phone's address"),
        ("not by", "every filter for a service UUID or a name"),
      ]
    } else {
      let bits = state.bits.map { "\($0.bit)" }
      let interval = state.plan.interval.map { ", every \($0)" } ?? ""
      lines = [
        (
          "in brief",
          "\(what): no name and no service UUID; bit\(bits.count > 1 ? "s" : "") \(Quote.list(bits, "and")) of the overflow "
            + "area\(interval)"
        ),
        ("found by", "iOS apps, screen on, scanning for its UUID; programs that test its bit"),
        ("not by", "filters for a service UUID or a name: Android, BlueZ; iOS while its screen is off"),
        ("", "trackers that ignore Apple's type 01: Home Assistant, Theengs"),
      ]
    }
    return lines.flatMap { label, text in labeled(label, TextLayout.wrapped(text, to: terminal.columns - 12)) }
  }

  private func asked(_ app: ExplainedApp) -> [String] {
    guard let fields = app.fields else { return ["nothing: its profile has no Advertisement"] }
    let items = fields.serviceUUIDs.map { "\($0)" } + (fields.localName.map { [Quote.text($0)] } ?? [])
    return items.isEmpty ? ["no UUID and no name"] : TextLayout.list(items, to: terminal.columns - 12)
  }

  private func labeled(_ label: String, _ lines: [String]) -> [String] {
    lines.enumerated().map { index, line in
      terminal.styled(TextLayout.padded(index == 0 ? label : "", to: 12), .dim) + line
    }
  }
}

/// Formats the reasons, differences and rules of all states.
struct ReasonText {
  let terminal: Terminal
  let states: [StateExplanation]

  /// The width of the column of states.
  private static let tagWidth = 12

  /// The requested fields that are not advertised as requested.
  var reasons: [String] {
    let rows = states.flatMap { state in
      let interval = state.plan.intervalKind == .background ? state.plan.interval.map { ["interval: \($0) (R3)"] } : nil
      return tagged(state.state.rawValue, state.apps.flatMap { reasons(of: $0, state) } + (interval ?? []))
    }
    return titled("Reasons", rows)
  }

  private func reasons(of app: ExplainedApp, _ state: StateExplanation) -> [String] {
    let reasons = state.plan.reasons.filter { $0.app == app.id }.map { reason in
      "\(text(reason.field)): \(text(reason.outcome)) (\(reason.rule))"
    }
    guard state.apps.count > 1, !reasons.isEmpty else { return reasons }
    return ["\(app.identifier):"] + reasons
  }

  private func text(_ field: AdvertisedField) -> String {
    switch field {
    case .localName(let name): Quote.text(name)
    case .serviceUUID(let uuid): "\(uuid)"
    }
  }

  private func text(_ outcome: PlanReason.Outcome) -> String {
    switch outcome {
    case .shortened(let name): "shortened to \(Quote.text(name))"
    case .movedToOverflow, .movedToScanResponse, .dropped, .merged, .withheld: "\(outcome)"
    }
  }

  /// Each limitation of BlueZ once, with its states.
  var limitations: [String] {
    var all: [RadioLimitation] = []
    for limitation in states.flatMap(\.limitations) where !all.contains(limitation) { all.append(limitation) }
    let rows = all.flatMap { limitation in
      let having = states.filter { $0.limitations.contains(limitation) }
      return tagged(having.count > 1 ? "both" : having.first?.state.rawValue ?? "", [limitation.instead])
    }
    return titled("Differences between BlueZ and an iPhone", rows)
  }

  /// The faults of the release of bluetoothd, which apply to each advertisement.
  func faults(of daemon: ExplainedDaemon) -> [String] {
    titled(
      "Faults of bluetoothd \(daemon.daemon.version.map { "\($0)" } ?? "")",
      daemon.faults.flatMap { labeled("", 2, $0) })
  }

  /// The rules named above.
  var rules: [String] {
    let cited = Set(states.flatMap(\.citedRules))
    let rows = RuleSet.rules.filter { cited.contains($0) }.flatMap { rule in
      labeled("\(rule.id)", 5, "\(rule.name): \(rule.meaning)")
    }
    return titled("Rules", rows)
  }

  private func titled(_ title: String, _ rows: [String]) -> [String] {
    guard !rows.isEmpty else { return [] }
    return [terminal.styled(title, .bold)] + rows
  }

  private func tagged(_ tag: String, _ rows: [String]) -> [String] {
    guard states.count > 1 else { return rows.flatMap { labeled("", 2, $0) } }
    return rows.enumerated().flatMap { labeled($0 == 0 ? tag : "", Self.tagWidth, $1) }
  }

  private func labeled(_ label: String, _ width: Int, _ text: String) -> [String] {
    TextLayout.wrapped(text, to: terminal.columns - width).enumerated().map { index, line in
      terminal.styled(TextLayout.padded(index == 0 ? label : "", to: width), .cyan) + line
    }
  }
}
