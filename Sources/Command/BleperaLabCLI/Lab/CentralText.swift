import BleperaAppLink
import BleperaBluetooth
import BleperaCLI
import BleperaPropertyLists
import BleperaSessions

extension EventPrinter {
  func print(_ event: DemoCentralEvent) {
    let now = Timestamp.now
    var event = event
    event.time = now.date
    print(json: event.json, from: .central) { CentralText(terminal: $0).line(event, at: now) }
  }
}

/// Formats an event of the simulated central: time, label, and details.
struct CentralText {
  let terminal: Terminal

  func line(_ record: DemoCentralEvent, at time: Timestamp) -> String {
    EventPrinter.line(
      at: time, Self.word(record.event), Self.style(record.event), terminal.drawn(Self.details(record)), on: terminal)
  }

  private static func word(_ event: DemoCentralEvent.Kind) -> String {
    switch event {
    case .scanning: "scanning"
    case .discovered: "discovered"
    case .intervalMeasured: "interval"
    case .lost: "lost"
    case .waiting: "waiting"
    case .connecting: "connecting"
    case .found: "found"
    case .read: "read"
    case .subscribing: "subscribing"
    case .received: "received"
    case .written: "written"
    case .unsubscribing: "unsubscribing"
    case .disconnecting: "disconnecting"
    case .failed: "failed"
    }
  }

  private static func style(_ event: DemoCentralEvent.Kind) -> Terminal.Style {
    switch event {
    case .discovered, .intervalMeasured: .green
    case .lost, .failed: .red
    case .connecting, .disconnecting: .cyan
    case .subscribing, .unsubscribing: .blue
    case .read, .written: .yellow
    case .received: .magenta
    case .scanning, .waiting, .found: .plain
    }
  }

  static func details(_ record: DemoCentralEvent) -> String {
    var parts: [String] = []
    if let peripheral = record.peripheral { parts.append(peripheral) }
    if record.event == .discovered { parts += advertised(record) }
    if let interval = record.interval { parts.append("every \(Int(interval.rounded())) ms") }
    if let attribute = attribute(record) { parts.append(attribute) }
    if let properties = record.properties { parts.append(properties.joined(separator: ", ")) }
    if let value = record.value.flatMap({ Hex.bytes($0) }) {
      parts.append(ValueText.text(value, of: record.characteristic.flatMap { BluetoothUUID($0) }))
    }
    if let reason = record.reason { parts.append(reason) }
    if record.event == .discovered, let seconds = record.seconds {
      parts.append("\(decimal(seconds)) s after the start")
    } else if let seconds = record.seconds {
      parts.append("\(decimal(seconds)) s until the next connection")
    }
    return parts.joined(separator: "  ")
  }

  private static func advertised(_ record: DemoCentralEvent) -> [String] {
    var parts = [record.localName.map { Quote.text($0) } ?? "no name"]
    let uuids = record.serviceUUIDs ?? []
    parts.append(uuids.isEmpty ? "no services" : uuids.map(title).joined(separator: ", "))
    for data in record.manufacturerData ?? [] {
      parts.append("manufacturer data \(data.company) \(data.data)")
    }
    if let bits = record.overflowBits {
      let list = bits.map { "\($0)" }.joined(separator: ", ")
      let known = record.overflowServiceUUIDs.map { ", matching \($0.joined(separator: ", "))" } ?? ""
      parts.append("overflow area: \(bits.count == 1 ? "bit" : "bits") \(list)\(known)")
    }
    if let rssi = record.rssi { parts.append("\(rssi) dBm") }
    return parts
  }

  /// The title of the service or the characteristic; a found characteristic is indented below its service.
  private static func attribute(_ record: DemoCentralEvent) -> String? {
    guard let characteristic = record.characteristic else { return record.service.map(title) }
    return (record.event == .found ? "  " : "") + title(characteristic)
  }

  private static func title(_ uuid: String) -> String {
    BluetoothUUID(uuid)?.assignedName.map { "\(uuid) \($0)" } ?? uuid
  }

  /// Formats a number with two decimals, or without if it is whole.
  private static func decimal(_ value: Double) -> String {
    let hundredths = Int((value * 100).rounded())
    return hundredths % 100 == 0
      ? "\(hundredths / 100)" : "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
  }
}
