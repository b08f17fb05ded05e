import Control
import EventTrace
import FoundationEssentials
import GATT
import Policy
import Profile

/// The state of a running system for a person.
struct StatusText {
  let terminal: Terminal

  static func json(_ status: SystemStatus) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(status) else { return "{}" }
    return String(decoding: data, as: UTF8.self)
  }

  func lines(_ status: SystemStatus) -> [String] {
    var lines = [
      "\(heading("phone")) iOS \(status.ios), \(radio(status)), screen \(status.screenLocked ? "off" : "on")"
    ]
    for app in status.apps {
      lines.append("\(heading("app")) \(app.identifier)  \(state(app.state))\(facts(app))")
      if let preserved = preserved(app) { lines.append("\(heading("")) \(preserved)") }
      if let advertised = advertised(app) { lines.append("\(heading("")) \(advertised)") }
    }
    lines += air(status.air)
    for subscriber in status.subscribers {
      lines.append(
        "\(heading("subscriber")) \(subscriber.central)  \(subscriber.app)  \(subscriber.service)/"
          + subscriber.characteristic + awaited(subscriber))
    }
    lines += status.warnings.map { "\(heading("warning", .yellow)) \($0)" }
    return lines
  }

  /// Of the longest, `subscriber`.
  private func heading(_ text: String, _ style: Terminal.Style = .dim) -> String {
    terminal.styled(text, style) + String(repeating: " ", count: max(0, 11 - text.count))
  }

  private func radio(_ status: SystemStatus) -> String {
    let words = [
      "unknown": "radio not known yet", "noDaemon": "no bluetoothd", "noAdapter": "no adapter",
      "poweredOff": "powered off", "poweredOn": "powered on",
    ]
    return [status.adapter, words[status.radio] ?? status.radio].compactMap(\.self).joined(separator: " ")
  }

  private func state(_ state: String) -> String {
    let styles: [String: Terminal.Style] = ["foreground": .green, "background": .cyan, "suspended": .yellow]
    return terminal.styled(state, styles[state] ?? .plain)
  }

  private func facts(_ app: SystemStatus.App) -> String {
    var facts: [String] = []
    if let left = app.budgetLeft { facts.append("\(left) s left") }
    if let time = app.throttledFor { facts.append("throttled for \(time) s") }
    if app.queued > 0 { facts.append("\(app.queued) queued") }
    if app.dropped > 0 { facts.append("\(app.dropped) dropped") }
    if app.unanswered > 0 { facts.append("\(app.unanswered) unanswered") }
    if app.overstays > 0 { facts.append("cut off \(app.overstays) \(app.overstays == 1 ? "time" : "times")") }
    if !app.backgroundMode { facts.append("foreground only") }
    if let failed = app.failedRelaunches, failed > 0 {
      facts.append("\(failed) failed \(failed == 1 ? "relaunch" : "relaunches")")
    }
    return facts.isEmpty ? "" : "  (\(facts.joined(separator: ", ")))"
  }

  private func preserved(_ app: SystemStatus.App) -> String? {
    guard let identifier = app.restoreIdentifier, let since = app.preservedSince else { return nil }
    let kept = "preserved as \(identifier) since \(since)"
    guard let ended = app.ended, let at = app.endedAt else { return kept }
    let cause = TerminationCause(rawValue: ended)?.text ?? ended
    return "\(kept), ended at \(at) by \(cause); \(relaunch(app))"
  }

  private func relaunch(_ app: SystemStatus.App) -> String {
    switch app.relaunch {
    case "nextEvent": "its next event relaunches it"
    case "underWay": "being relaunched"
    case "backingOff": "relaunched for an event in \(app.relaunchIn ?? 0) s at the earliest"
    case "afterUnlock": "relaunched for an event after 'blepera unlock'"
    case "byUser": "not relaunched, as it has no background mode"
    case "givenUp": "not relaunched any more: start it by hand"
    default: ""
    }
  }

  private func awaited(_ subscriber: SystemStatus.Subscriber) -> String {
    guard subscriber.isAwaited else { return "" }
    let kept = subscriber.kept == 0 ? "" : ", \(subscriber.kept) \(subscriber.kept == 1 ? "value" : "values") kept"
    let dropped = subscriber.dropped == 0 ? "" : ", \(subscriber.dropped) older ones dropped"
    return "  " + terminal.styled("awaiting\(kept)\(dropped)", .yellow)
  }

  private func advertised(_ app: SystemStatus.App) -> String? {
    guard let uuids = app.serviceUUIDs else { return nil }
    let name = app.localName.map { [Quote.text($0)] } ?? []
    let asked = "advertises " + (name + uuids).joined(separator: " ")
    return app.advertisingWithheldBy.map { "\(asked): not before its next foreground (\($0))" } ?? asked
  }

  private func air(_ air: SystemStatus.Air) -> [String] {
    guard !air.advertisements.isEmpty else { return ["\(heading("air")) silent"] + reasons(air) }
    var lines: [String] = []
    for packet in air.advertisements {
      let wait = packet.isRegistered ? "" : " (not yet taken by bluetoothd)"
      lines += bytes(packet.advertisingData, "advertisement\(wait)", heading("air"))
      if !packet.scanResponse.isEmpty { lines += bytes(packet.scanResponse, "scan response", heading("")) }
    }
    if let asked = air.intervalAskedFor {
      let force = air.intervalInForce.map { "\(text($0)) ms in force" } ?? "what is in force is bluetoothd's"
      lines.append("\(heading("interval")) \(text(asked)) ms asked for (\(air.pace ?? "")), \(force)")
    }
    return lines + reasons(air)
  }

  private func reasons(_ air: SystemStatus.Air) -> [String] { air.reasons.map { "\(heading("")) \($0)" } }

  private func text(_ interval: SystemStatus.Air.Interval) -> String {
    interval.minimum == interval.maximum ? "\(interval.minimum)" : "\(interval.minimum) to \(interval.maximum)"
  }

  /// A packet, a line for each AD structure.
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

  /// The column of what bytes mean, where they are not longer.
  private static let meaning = 40
}
