import BleperaAppLink
import BleperaBluetooth
import BleperaPreservation
import BleperaRules
import FoundationEssentials

/// The preserved state of apps. docs/schema/preserved.json describes the keys.
struct PreservedReport: CommandReport {
  /// Whether text shows all details.
  let isWhole: Bool
  let apps: [App]

  struct App: Encodable {
    var identifier: String
    var name: String
    var restoreIdentifier: String?
    /// The time in the format of RFC 3339.
    var preservedSince: String
    /// The cause of the app's termination; nil while the app runs.
    var terminationCause: TerminationCause?
    var terminatedAt: String?
    /// The command that relaunches the app; nil if it cannot be relaunched.
    var command: [String]?
    var folder: String?
    var services: [Service]
    /// The requested advertisement; nil if the app does not advertise.
    var localName: String?
    var serviceUUIDs: [String]?
    var subscribers: [Subscriber]
  }

  struct Service: Encodable {
    var uuid: String
    /// The first and last handle.
    var handles: [Int]
    var characteristics: [String]
  }

  struct Subscriber: Encodable {
    var central: String
    var bonded: Bool
    var service: String
    var characteristic: String
    /// The values retained for the central, as hexadecimal digits.
    var retainedValues: [String]
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
      let head = "\(terminal.styled(Quote.line(app.identifier), .bold))  \(state(app, terminal))"
      return isWhole ? [head] + whole(app, terminal) : ["\(head)  \(counts(app))"]
    }
  }

  private func state(_ app: App, _ terminal: Terminal) -> String {
    guard let cause = app.terminationCause, let time = app.terminatedAt else {
      return terminal.styled("running", .green)
    }
    return terminal.styled("\(cause.rawValue) at \(time)", .yellow)
  }

  private func counts(_ app: App) -> String {
    let advertises = app.serviceUUIDs == nil ? "not advertised" : "advertised"
    return
      "\(Quote.counted(app.services.count, "service")), \(advertises), "
      + Quote.counted(app.subscribers.count, "subscription")
  }

  private func whole(_ app: App, _ terminal: Terminal) -> [String] {
    func line(_ word: String, _ text: String) -> String {
      "  \(TextLayout.padded(terminal.styled(word, .dim), to: 12)) \(Quote.line(text))"
    }
    var lines = [line("name", app.name)]
    if let identifier = app.restoreIdentifier { lines.append(line("restores as", identifier)) }
    lines.append(line("since", app.preservedSince))
    lines.append(line("started by", app.command.map { $0.joined(separator: " ") } ?? "the user only"))
    if let folder = app.folder { lines.append(line("folder", folder)) }
    for service in app.services {
      let handles = service.handles.map { "\(AttributeHandle(rawValue: UInt16(clamping: $0)))" }
      let characteristics = service.characteristics.joined(separator: " ")
      lines.append(line("service", "\(service.uuid)  handles \(handles.joined(separator: " to "))  \(characteristics)"))
    }
    if let uuids = app.serviceUUIDs {
      lines.append(line("advertises", ((app.localName.map { [Quote.text($0)] } ?? []) + uuids).joined(separator: " ")))
    }
    for subscriber in app.subscribers {
      let count = subscriber.retainedValues.count
      let retained = count == 0 ? "" : "  \(count) retained"
      let bond = subscriber.bonded ? "  bonded" : ""
      lines.append(
        line(
          "subscriber", "\(subscriber.central)  \(subscriber.service)/\(subscriber.characteristic)\(bond)\(retained)"))
    }
    return lines
  }
}

extension PreservedReport.App {
  init(_ app: PreservedApp) {
    identifier = app.identity.bundleIdentifier
    name = app.identity.name
    restoreIdentifier = app.managers.first?.id.restoreIdentifier
    preservedSince = app.since.formatted(.iso8601)
    terminationCause = app.termination?.cause
    terminatedAt = app.termination?.at.formatted(.iso8601)
    command = app.launch?.arguments
    folder = app.launch?.folder
    services = app.services.map { service in
      PreservedReport.Service(
        uuid: "\(service.definition.uuid)",
        handles: [Int(service.handles.start.rawValue), Int(service.handles.end.rawValue)],
        characteristics: service.definition.characteristics.map { "\($0.uuid)" })
    }
    let requested = AdvertisementData.joined(app.managers.compactMap { $0.advertisement?.requested })
    localName = requested?.localName
    serviceUUIDs = requested?.serviceUUIDs.map { "\($0)" }
    subscribers = app.subscribers.map { subscriber in
      let service = app.services.first { $0.id == subscriber.characteristic.service }?.definition
      let characteristic = service?.characteristics[subscriber.characteristic.index]
      return PreservedReport.Subscriber(
        central: subscriber.central.rawValue, bonded: subscriber.isBonded, service: "\(service?.uuid, default: "")",
        characteristic: "\(characteristic?.uuid, default: "")",
        retainedValues: subscriber.updates.map { Hex.string($0) })
    }
  }
}
