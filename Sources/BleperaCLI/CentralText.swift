import EventTrace
import GATT
import Profile

/// What the central sees as a line for a person: time, what, and the rest.
struct CentralText {
  let terminal: Terminal

  /// As wide as the words of the phone's events, so that both are in columns.
  private static let wordWidth = 14

  func line(_ record: CentralRecord, at time: Timestamp) -> String {
    let word = terminal.styled(Self.word(record.event), Self.style(record.event))
    let rest = Self.rest(record)
    let end = rest.isEmpty ? word : "\(TextLayout.padded(word, to: Self.wordWidth))  \(rest)"
    return "\(terminal.styled(time.clock, .dim))  \(end)"
  }

  private static func word(_ event: CentralRecord.Event) -> String {
    switch event {
    case .scanning: "scans"
    case .scanningFailed: "cannot scan"
    case .heard, .paced: "hears"
    case .silent: "hears nothing"
    case .waiting: "waits"
    case .connecting: "connects"
    case .found: "finds"
    case .read: "reads"
    case .subscribing: "subscribes"
    case .received: "receives"
    case .unsubscribing: "unsubscribes"
    case .disconnecting: "disconnects"
    case .failed: "fails"
    }
  }

  private static func style(_ event: CentralRecord.Event) -> Terminal.Style {
    switch event {
    case .heard, .paced: .green
    case .silent, .scanningFailed, .failed: .red
    case .connecting, .disconnecting: .cyan
    case .subscribing, .unsubscribing: .blue
    case .read: .yellow
    case .received: .magenta
    case .scanning, .waiting, .found: .plain
    }
  }

  static func rest(_ record: CentralRecord) -> String {
    var parts: [String] = []
    if let peripheral = record.peripheral { parts.append(peripheral) }
    if record.event == .heard { parts += advertised(record) }
    if let interval = record.interval { parts.append("every \(Int(interval.rounded())) ms") }
    if let attribute = attribute(record) { parts.append(attribute) }
    if let properties = record.properties { parts.append(properties.joined(separator: ", ")) }
    if let value = record.value.flatMap({ Hex.bytes($0) }) {
      parts.append(ValueText.text(value, of: record.characteristic.flatMap { BluetoothUUID($0) }))
    }
    if let reason = record.reason { parts.append(reason) }
    if record.event == .heard, let seconds = record.seconds {
      parts.append("\(decimal(seconds)) s after the start")
    } else if let seconds = record.seconds {
      parts.append("\(decimal(seconds)) s, then connects again")
    }
    return parts.joined(separator: "  ")
  }

  private static func advertised(_ record: CentralRecord) -> [String] {
    var parts = [record.localName.map { Quote.text($0) } ?? "no name"]
    let uuids = record.serviceUUIDs ?? []
    parts.append(uuids.isEmpty ? "no services" : uuids.map(title).joined(separator: ", "))
    for data in record.manufacturerData ?? [] {
      parts.append("manufacturer data \(data.company) \(data.data)")
    }
    if let bits = record.overflowBits {
      let list = bits.map { "\($0)" }.joined(separator: ", ")
      let known = record.overflow.map { ", as of \($0.joined(separator: ", "))" } ?? ""
      parts.append("overflow area: \(bits.count == 1 ? "bit" : "bits") \(list)\(known)")
    }
    if let rssi = record.rssi { parts.append("\(rssi) dBm") }
    return parts
  }

  /// A characteristic stands below its service.
  private static func attribute(_ record: CentralRecord) -> String? {
    guard let characteristic = record.characteristic else { return record.service.map(title) }
    return (record.event == .found ? "  " : "") + title(characteristic)
  }

  private static func title(_ uuid: String) -> String {
    BluetoothUUID(uuid)?.assignedName.map { "\(uuid) \($0)" } ?? uuid
  }

  /// With two digits behind the point where it is no whole number.
  private static func decimal(_ value: Double) -> String {
    let hundredths = Int((value * 100).rounded())
    return hundredths % 100 == 0
      ? "\(hundredths / 100)" : "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
  }
}
