import AppLink
import FoundationEssentials
import GATT
import Policy
import Preservation
import Profile

/// What is preserved of apps. The keys are part of the interface; README lists them.
struct PreservedReport: CommandReport {
  /// Whether each app is shown whole.
  let isWhole: Bool
  let apps: [App]

  struct App: Encodable {
    var identifier: String
    var name: String
    var restoreIdentifier: String?
    /// RFC 3339.
    var since: String
    /// `crash`, `memoryPressure` or the like; nil while it runs.
    var ended: String?
    var endedAt: String?
    /// How it is started again; nil where it cannot be.
    var command: [String]?
    var folder: String?
    var services: [Service]
    /// What it asks to have advertised; nil where it does not advertise.
    var localName: String?
    var serviceUUIDs: [String]?
    var subscribers: [Subscriber]
  }

  struct Service: Encodable {
    var uuid: String
    /// The first and last.
    var handles: [Int]
    var characteristics: [String]
  }

  struct Subscriber: Encodable {
    var central: String
    var bonded: Bool
    var service: String
    var characteristic: String
    /// Hexadecimal digits of the values that are kept for it.
    var kept: [String]
  }

  init(_ apps: [PreservedApp], isWhole: Bool) {
    self.isWhole = isWhole
    self.apps = apps.map { App($0) }
  }

  private enum CodingKeys: CodingKey {
    case apps
  }

  func lines(for terminal: Terminal) -> [String] {
    guard !apps.isEmpty else { return ["Nothing is preserved."] }
    return apps.flatMap { app in
      let head = "\(terminal.styled(app.identifier, .bold))  \(state(app, terminal))"
      return isWhole ? [head] + whole(app, terminal) : ["\(head)  \(counts(app))"]
    }
  }

  private func state(_ app: App, _ terminal: Terminal) -> String {
    guard let ended = app.ended, let at = app.endedAt else { return terminal.styled("running", .green) }
    return terminal.styled("\(ended) at \(at)", .yellow)
  }

  private func counts(_ app: App) -> String {
    func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
    let advertises = app.serviceUUIDs == nil ? "not advertised" : "advertised"
    return "\(count(app.services.count, "service")), \(advertises), \(count(app.subscribers.count, "subscription"))"
  }

  private func whole(_ app: App, _ terminal: Terminal) -> [String] {
    func line(_ word: String, _ text: String) -> String {
      "  \(TextLayout.padded(terminal.styled(word, .dim), to: 12)) \(text)"
    }
    var lines = [line("name", app.name)]
    if let identifier = app.restoreIdentifier { lines.append(line("restores", identifier)) }
    lines.append(line("since", app.since))
    lines.append(line("starts with", app.command.map { $0.joined(separator: " ") } ?? "by hand only"))
    if let folder = app.folder { lines.append(line("in", folder)) }
    for service in app.services {
      let handles = service.handles.map { "\(AttributeHandle(rawValue: UInt16(clamping: $0)))" }
      let characteristics = service.characteristics.joined(separator: " ")
      lines.append(line("service", "\(service.uuid)  handles \(handles.joined(separator: " to "))  \(characteristics)"))
    }
    if let uuids = app.serviceUUIDs {
      lines.append(line("advertises", ((app.localName.map { [Quote.text($0)] } ?? []) + uuids).joined(separator: " ")))
    }
    for subscriber in app.subscribers {
      let kept = subscriber.kept.isEmpty ? "" : "  \(subscriber.kept.count) kept"
      let bond = subscriber.bonded ? "  bonded" : ""
      lines.append(
        line(
          "subscriber", "\(subscriber.central)  \(subscriber.service)/\(subscriber.characteristic)\(bond)\(kept)"))
    }
    return lines
  }
}

extension PreservedReport.App {
  init(_ app: PreservedApp) {
    identifier = app.identity.bundleIdentifier
    name = app.identity.name
    restoreIdentifier = app.identity.restoreIdentifier
    since = app.since.formatted(.iso8601)
    ended = app.ended?.cause.rawValue
    endedAt = app.ended?.at.formatted(.iso8601)
    command = app.launch?.arguments
    folder = app.launch?.folder
    services = app.services.map { service in
      PreservedReport.Service(
        uuid: "\(service.definition.uuid)",
        handles: [Int(service.handles.start.rawValue), Int(service.handles.end.rawValue)],
        characteristics: service.definition.characteristics.map { "\($0.uuid)" })
    }
    localName = app.advertisement?.asked?.localName
    serviceUUIDs = app.advertisement?.asked?.serviceUUIDs.map { "\($0)" }
    subscribers = app.subscribers.map { subscriber in
      let service = app.services.first { $0.id == subscriber.characteristic.service }?.definition
      let characteristic = service?.characteristics[subscriber.characteristic.index]
      return PreservedReport.Subscriber(
        central: subscriber.central.rawValue, bonded: subscriber.isBonded, service: "\(service?.uuid, default: "")",
        characteristic: "\(characteristic?.uuid, default: "")", kept: subscriber.updates.map { Hex.string($0) })
    }
  }
}
