import BleperaBluetooth
import BleperaPropertyLists

/// An event as a line of text: time, label, and details.
package enum EventLine {
  /// The width of the longest label, `not advertised`.
  private static let labelWidth = 14

  /// - Parameter isColored: whether time and label have colors, by escape sequences (ECMA-48).
  package static func text(_ record: EventRecord, at time: String, isColored: Bool = false) -> String {
    let label = label(record)
    let details = details(record)
    var line = ""
    line.reserveCapacity(128)
    append(time, isColored ? dim : "", to: &line)
    line += "  "
    append(label, isColored ? record.event.format.style.color : "", to: &line)
    guard !details.isEmpty else { return line }
    // Labels are of ASCII.
    for _ in label.utf8.count..<max(label.utf8.count, labelWidth) { line += " " }
    line += "  "
    line += details
    return line
  }

  /// The parameter of the escape sequence for a text in the background.
  private static let dim = "2"

  /// - Parameter style: the parameter of an escape sequence; empty for none.
  private static func append(_ text: String, _ style: String, to line: inout String) {
    guard !style.isEmpty else { return line += text }
    line += "\u{1B}["
    line += style
    line += "m"
    line += text
    line += "\u{1B}[0m"
  }

  /// What happened, in a word or two.
  package static func label(_ record: EventRecord) -> String {
    switch record.event {
    case .commandReceived: record.command ?? record.event.format.label
    case .state: record.state ?? record.event.format.label
    default: record.event.format.label
    }
  }

  package static func details(_ record: EventRecord) -> String {
    var parts = Parts()
    parts.text.reserveCapacity(96)
    if let adapter = record.adapter { parts.append(adapter) }
    // The attribute identifies the app that owns it.
    if record.service == nil, let app = record.app { parts.append(Quote.line(app)) }
    if let event = record.pendingEvent { parts.append(event) }
    if let central = record.central { parts.append(central) }
    if let centrals = record.centrals { parts.append(centrals.joined(separator: " ")) }
    if let attribute = attribute(record) { parts.append(attribute) }
    if let handles = record.handles {
      let numbers = handles.map { "\(AttributeHandle(rawValue: UInt16(clamping: $0)))" }
      parts.append("handles " + numbers.joined(separator: " to "))
    }
    if let name = record.localName { parts.append(Quote.text(name)) }
    if let uuids = record.serviceUUIDs, !uuids.isEmpty { parts.append(uuids.joined(separator: " ")) }
    if let uuids = record.overflowServiceUUIDs { parts.append("overflow area: \(uuids.joined(separator: " "))") }
    if let count = record.awaitedSubscriptions, count > 0 {
      parts.append("awaiting \(count) \(count == 1 ? "subscription" : "subscriptions")")
    }
    if let interval = record.interval {
      parts.append("every \(text(interval)) ms\(record.intervalHonored == true ? "" : " requested")")
    }
    // Of an advertisement the line shows what they came to.
    if let reasons = record.reasons, record.event != .advertising { parts.append(reasons.joined(separator: "; ")) }
    if let value = record.value { parts.append(value.isEmpty ? "(empty)" : spaced(value)) }
    if let offset = record.offset, offset > 0 { parts.append("from byte \(offset)") }
    if let piece = record.piece, let pieces = record.pieces { parts.append("(piece \(piece) of \(pieces))") }
    if record.cached == true { parts.append("(cached)") }
    if record.acknowledged == false { parts.append("(no response)") }
    if let error = record.error {
      parts.append("refused: \(ATTError(rawValue: UInt8(clamping: error.code)))")
    }
    if record.event == .advertisingWithheld { parts.append(withheld(by: record.rule)) }
    if let rule = record.rule { parts.append("(\(rule))") }
    if let method = record.method { parts.append("by \(method)") }
    if let passkey = record.passkey { parts.append(passkey) }
    if let psm = record.psm { parts.append("PSM \(psm)") }
    if record.encrypted == true { parts.append("encrypted") }
    if let received = record.received, let sent = record.sent {
      parts.append("received \(received) bytes, sent \(sent)")
    }
    if let count = record.count { parts.append("\(count) \(count == 1 ? "event" : "events"): nobody read the output") }
    if let reason = record.reason { parts.append(Quote.line(reason)) }
    return parts.text
  }

  /// Why an advertisement is not on the air.
  private static func withheld(by rule: String?) -> String {
    let reason = rule == "R4" ? "in the background without bluetooth-peripheral" : "requested in the background"
    return "not on the air until the foreground: \(reason)"
  }

  private struct Parts {
    var text = ""

    mutating func append(_ part: String) {
      if !text.isEmpty { text += "  " }
      text += part
    }
  }

  private static func text(_ interval: EventRecord.Interval) -> String {
    func text(_ value: Double) -> String { Int(exactly: value).map { "\($0)" } ?? "\(value)" }
    return interval.minimum == interval.maximum
      ? text(interval.minimum) : "\(text(interval.minimum)) to \(text(interval.maximum))"
  }

  /// The innermost UUID after its parent's: `2A37`, `2A37/2901`; the service's only where there is no characteristic.
  private static func attribute(_ record: EventRecord) -> String? {
    guard let characteristic = record.characteristic else { return record.service }
    return record.descriptor.map { "\(characteristic)/\($0)" } ?? characteristic
  }

  /// At most 20 bytes, two digits each.
  private static func spaced(_ hex: String) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(60)
    for (index, digit) in hex.utf8.prefix(40).enumerated() {
      if index > 0, index % 2 == 0 { text.append(UInt8(ascii: " ")) }
      text.append(digit)
    }
    let shown = String(decoding: text, as: UTF8.self)
    let count = hex.utf8.count / 2
    return count > 20 ? "\(shown) … (\(count) bytes)" : shown
  }
}

extension TerminationCause {
  /// A noun phrase.
  package var text: String {
    switch self {
    case .memoryPressure: "memory pressure"
    case .crash: "a crash or a kill"
    case .forceQuit: "the user's force quit"
    case .exceededLimits: "exceeding its limits"
    case .reboot: "a reboot"
    case .shutDown: "a shutdown"
    }
  }
}

extension EventRecord.Kind.Style {
  /// The parameter of the escape sequence; empty for none.
  fileprivate var color: String {
    switch self {
    case .plain: ""
    case .success: "32"
    case .warning, .request: "33"
    case .failure: "31"
    case .connection: "36"
    case .subscription: "34"
    case .value: "35"
    case .emphasis: "1"
    }
  }
}
