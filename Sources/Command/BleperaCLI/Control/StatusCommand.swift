import ArgumentParser
import BleperaAppLink
import BleperaBluetooth
import BleperaRadio
import BleperaSessions

struct StatusCommand: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show the state of a running phone and its apps.")

  @Flag(help: "Print a JSON object on one line.")
  var json = false

  @OptionGroup var system: PhoneName

  var request: ControlRequest { ControlRequest(.status) }

  @Flag(help: "Show the state again every second, until Ctrl-C.")
  var watch = false

  private static let interval = Duration.seconds(1)

  func run() async throws {
    if watch { ExitCode.succeedAtInterrupt() }
    while true {
      try await show()
      guard watch else { return }
      try await Task.sleep(for: Self.interval)
    }
  }

  private func show() async throws {
    let output = Terminal(.output)
    let reply: ControlReply
    do throws(ControlFailure) {
      reply = try await ControlConnection.ask(request, at: try system.address)
    } catch {
      if json { output.print(JSONLine.text(ControlReply(error: "\(error)"))) }
      throw CommandFailure.exit("\(error)")
    }
    guard let status = reply.status else { return }
    guard !json else { return output.print(JSONLine.text(status)) }
    let lines = StatusText(terminal: output).folded(status)
    guard watch, output.isTerminal else { return output.print(lines) }
    // Clears the screen, and prints from the upper left corner.
    output.write(Array("\u{1B}[H\u{1B}[J".utf8))
    output.print(output.rows.map { TextLayout.cut(lines, to: $0 - 1) } ?? lines)
  }
}

/// Formats the state of a phone.
struct StatusText {
  let terminal: Terminal

  /// The lines, broken where the terminal ends.
  func folded(_ status: PhoneStatus) -> [String] {
    let lines = lines(status).map { terminal.escaped($0) }
    guard terminal.isTerminal else { return lines }
    return lines.flatMap { line in
      TextLayout.folded(line, to: terminal.columns, indent: Self.detail).split(separator: "\n").map(String.init)
    }
  }

  func lines(_ status: PhoneStatus) -> [String] {
    var lines = [
      "\(heading("phone")) iOS \(status.ios), \(radio(status)), screen \(status.screenLocked ? "off" : "on")"
    ]
    if let controller = status.controller { lines.append("\(heading("controller")) \(controller)") }
    if let address = status.address { lines.append("\(heading("address")) \(text(address))") }
    if let key = status.address?.irkReversed {
      lines.append(
        "\(heading("")) IRK \(key)  reversed, for TheengsGateway and Bumble; Home Assistant and ESPresense take the other"
      )
    }
    for app in status.apps {
      lines.append("\(heading("app")) \(Quote.line(app.identifier))  \(state(app.state))\(facts(app))")
      if let preserved = preserved(app) { lines.append("\(heading("")) \(preserved)") }
      if let advertised = advertised(app) { lines.append("\(heading("")) \(advertised)") }
      lines += central(app.central).map { "\(heading("")) \($0)" }
    }
    lines += air(status.air)
    for subscriber in status.subscribers {
      lines.append(
        "\(heading("subscriber")) \(subscriber.central)  \(subscriber.app)  \(subscriber.service)/"
          + subscriber.characteristic + awaited(subscriber))
    }
    for channel in status.channels ?? [] {
      let centrals = channel.centrals.isEmpty ? "" : "  open to " + channel.centrals.joined(separator: " ")
      lines.append(
        "\(heading("channel")) PSM \(channel.psm)  \(channel.app)\(channel.encrypted ? "  encrypted" : "")\(centrals)")
    }
    lines += (status.bonds ?? []).flatMap { BondsReport.lines($0) }.map { "\(heading($0.heading)) \($0.text)" }
    lines += (status.pairings ?? []).map { pairing in
      let parts = [pairing.address, pairing.role, pairing.number, pairing.advice].compactMap(\.self)
      return "\(heading("pairing", .yellow)) \(parts.joined(separator: "  "))"
    }
    lines += (status.hosts ?? []).map { "\(heading("host")) \($0)" }
    if status.controller != nil {
      lines += status.limitations.map { "\(heading("note")) \($0.instead)" }
    } else if !status.limitations.isEmpty {
      let limitations = Quote.counted(status.limitations.count, "limitation")
      lines.append(
        "\(heading("note")) \(status.bluez ?? "the radio") has \(limitations); 'blepera doctor' lists them")
    }
    lines += (status.defects ?? []).map { "\(heading("defect", .yellow)) \($0); 'blepera defects' has its source" }
    lines += status.warnings.map { "\(heading("warning", .yellow)) \($0)" }
    return lines
  }

  /// The column after the longest heading, `subscriber`.
  private static let detail = 12

  private func heading(_ text: String, _ style: Terminal.Style = .dim) -> String {
    terminal.styled(text, style) + TextLayout.spaces(Self.detail - 1 - text.count)
  }

  private func radio(_ status: PhoneStatus) -> String {
    let state =
      switch status.radio {
      case .unknown: "radio unknown"
      case .noDaemon: "no bluetoothd"
      case .noAdapter: "no adapter"
      case .poweredOff: "powered off"
      case .poweredOn: "powered on"
      }
    return [status.adapter, state].compactMap(\.self).joined(separator: " ")
  }

  private func text(_ address: PhoneStatus.Address) -> String {
    guard let key = address.irk else { return "\(address.current)  public" }
    return "\(address.current)  private, of \(address.identity)  IRK \(key)"
  }

  private func state(_ state: AppState) -> String {
    let style: Terminal.Style =
      switch state {
      case .foreground: .green
      case .background: .cyan
      case .suspended: .yellow
      case .notRunning, .inactive: .plain
      }
    return terminal.styled(state.rawValue, style)
  }

  private func facts(_ app: PhoneStatus.App) -> String {
    var facts: [String] = []
    if let seconds = app.secondsLeft { facts.append("\(seconds) s left") }
    if let seconds = app.throttledSeconds { facts.append("throttled for \(seconds) s") }
    if app.queuedEvents > 0 { facts.append("\(app.queuedEvents) queued") }
    if app.droppedEvents > 0 { facts.append("\(app.droppedEvents) dropped") }
    if app.pendingRequests > 0 { facts.append("\(app.pendingRequests) pending") }
    if app.overruns > 0 { facts.append("\(app.overruns) \(app.overruns == 1 ? "overrun" : "overruns")") }
    if !app.backgroundMode, app.central?.backgroundMode != true { facts.append("foreground only") }
    if let failed = app.failedRelaunches, failed > 0 {
      facts.append("\(failed) failed \(failed == 1 ? "relaunch" : "relaunches")")
    }
    return facts.isEmpty ? "" : "  (\(facts.joined(separator: ", ")))"
  }

  private func preserved(_ app: PhoneStatus.App) -> String? {
    guard let identifier = app.restoreIdentifier, let since = app.preservedSince else { return nil }
    let preserved = "preserved as \(Quote.line(identifier)) since \(since)"
    guard let cause = app.terminationCause, let time = app.terminatedAt else { return preserved }
    return "\(preserved), terminated at \(time) by \(cause.text)\(relaunch(app).map { "; \($0)" } ?? "")"
  }

  private func relaunch(_ app: PhoneStatus.App) -> String? {
    switch app.relaunch {
    case .nextEvent: "relaunched for the next event"
    case .inProgress: "being relaunched"
    case .backingOff: "relaunched for an event in \(app.relaunchSeconds ?? 0) s at the earliest"
    case .afterUnlock: "relaunched for an event after 'blepera unlock'"
    case .byUser: "not relaunched, since the app has no background mode"
    case .manual: "launched by the user only"
    case .givenUp: "no longer relaunched; start the app yourself"
    case nil: nil
    }
  }

  private func awaited(_ subscriber: PhoneStatus.Subscriber) -> String {
    guard subscriber.isAwaited else { return "" }
    let count = subscriber.retainedValues
    let kept = count == 0 ? "" : ", \(count) \(count == 1 ? "value" : "values") retained"
    let dropped = subscriber.droppedValues == 0 ? "" : ", \(subscriber.droppedValues) older values dropped"
    return "  " + terminal.styled("awaiting\(kept)\(dropped)", .yellow)
  }

  private func advertised(_ app: PhoneStatus.App) -> String? {
    guard let uuids = app.serviceUUIDs else { return nil }
    let name = app.localName.map { [Quote.text($0)] } ?? []
    let requested = "advertises " + (name + uuids).joined(separator: " ")
    return app.advertisingWithheldBy.map { "\(requested): withheld until the next foreground (\($0))" } ?? requested
  }

  private func central(_ central: PhoneStatus.App.Central?) -> [String] {
    guard let central else { return [] }
    let scan = central.scannedServices.map { services in
      "scans for \(services.isEmpty ? "all" : services.joined(separator: " "))"
    }
    let peripherals = central.peripherals.map { peripheral in
      let name = peripheral.name.map { "  \(Quote.text($0))" } ?? ""
      let count = peripheral.subscriptions
      let subscriptions = count > 0 ? "  \(Quote.counted(count, "subscription"))" : ""
      return "\(peripheral.isConnected ? "connected to" : "waits for") \(peripheral.address)\(name)\(subscriptions)"
    }
    return [scan].compactMap(\.self) + peripherals
      + (central.alerts ?? []).map { terminal.styled("alert", .yellow) + ": \(Quote.line($0))" }
  }

  private func air(_ air: PhoneStatus.Air) -> [String] {
    guard !air.advertisements.isEmpty else { return ["\(heading("air")) nothing advertised"] + reasons(air) }
    var lines: [String] = []
    for packet in air.advertisements {
      let wait = packet.isRegistered ? "" : " (not registered yet)"
      let title = packet.isOwn == true ? "the phone's own" : "advertisement"
      lines += bytes(packet.advertisingData, "\(title)\(wait)", heading("air"))
      if !packet.scanResponse.isEmpty { lines += bytes(packet.scanResponse, "scan response", heading("")) }
    }
    if let requested = air.requestedInterval {
      let effective = air.effectiveInterval.map { "\(text($0)) ms effective" } ?? "the effective one is unknown"
      let kind = air.intervalKind.map { " (\($0))" } ?? ""
      lines.append("\(heading("interval")) \(text(requested)) ms requested\(kind), \(effective)")
    }
    return lines + reasons(air)
  }

  private func reasons(_ air: PhoneStatus.Air) -> [String] { air.reasons.map { "\(heading("")) \($0)" } }

  private func text(_ interval: PhoneStatus.Air.Interval) -> String {
    let limits = [interval.minimum, interval.maximum].map(Quote.number)
    return limits[0] == limits[1] ? limits[0] : limits.joined(separator: " to ")
  }

  /// Formats a packet, with a line for each AD structure.
  private func bytes(_ hex: String, _ title: String, _ heading: String) -> [String] {
    let bytes = Hex.bytes(hex) ?? []
    let title = terminal.styled("\(title), \(bytes.count) of \(AdvertisingBudget.legacyMaximum) bytes", .cyan)
    let structures = (try? AdvertisingData(decoding: bytes))?.structures.map { ADStructureText(structure: $0) } ?? []
    let lines = structures.map { text in
      let bytes = terminal.styled("\(text.head) \(text.body)", .green)
      return "\(TextLayout.padded("\(self.heading("")) \(bytes)", to: Self.meaning - 2))  \(text.text)"
    }
    return ["\(heading) \(title)"] + lines
  }

  /// The column of the meaning of bytes, unless the bytes are longer.
  private static let meaning = 40
}
