package import BleperaBluetooth

/// An event as a line of text: time, label, and details.
package enum EventLine {
  /// The width of the longest label, `not advertised`.
  private static let labelWidth = 14

  /// - Parameter isColored: whether time and label have colors, by escape sequences (ECMA-48).
  package static func text(_ record: EventRecord, at time: String, isColored: Bool = false) -> String {
    text(record.event, label(record), details(record), at: time, isColored: isColored)
  }

  /// A line whose details are written without a record, for events of which there may be thousands a second.
  package static func text(
    _ event: EventRecord.Kind, at time: String, isColored: Bool, _ write: (inout EventDetails) -> Void
  ) -> String {
    var details = EventDetails()
    write(&details)
    return text(event, event.format.label, details.text, at: time, isColored: isColored)
  }

  private static func text(
    _ event: EventRecord.Kind, _ label: String, _ details: String, at time: String, isColored: Bool
  ) -> String {
    var line = ""
    line.reserveCapacity(128)
    append(time, isColored ? dim : "", to: &line)
    line += "  "
    append(label, isColored ? event.format.style.color : "", to: &line)
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
    var parts = EventDetails()
    if let adapter = record.adapter { parts.append(adapter) }
    // The attribute identifies the app that owns it.
    if record.service == nil, let app = record.app { parts.append(Quote.line(app)) }
    if let event = record.pendingEvent { parts.append(event) }
    if let central = record.central { parts.append(central) }
    for (index, central) in (record.centrals ?? []).enumerated() {
      parts.append(central, after: index > 0 ? " " : "  ")
    }
    if let characteristic = record.characteristic {
      parts.append(characteristic: characteristic, record.descriptor)
    } else if let service = record.service {
      parts.append(service)
    }
    if let handles = record.handles {
      let numbers = handles.map { "\(AttributeHandle(rawValue: UInt16(clamping: $0)))" }
      parts.append("handles " + numbers.joined(separator: " to "))
    }
    if let name = record.localName { parts.append(Quote.text(name)) }
    if record.event == .restored {
      parts.append(restored(record))
    } else if let uuids = record.serviceUUIDs, !uuids.isEmpty {
      parts.append(uuids.joined(separator: " "))
    }
    if let uuids = record.overflowServiceUUIDs { parts.append("overflow area: \(uuids.joined(separator: " "))") }
    if let interval = record.interval {
      parts.append("every \(text(interval)) ms\(record.intervalHonored == true ? "" : " requested")")
    }
    // Of an advertisement the line shows what they came to.
    if let reasons = record.reasons, record.event != .advertising { parts.append(reasons.joined(separator: "; ")) }
    if let value = record.value { parts.append(hex: value) }
    parts.append(
      offset: record.offset, piece: record.piece.flatMap { piece in record.pieces.map { (piece, $0) } },
      isCached: record.cached == true, isAcknowledged: record.acknowledged != false,
      error: record.error.map { ATTError(rawValue: UInt8(clamping: $0.code)) })
    if record.event == .advertisingWithheld { parts.append(withheld(by: record.rule)) }
    if let rule = record.rule { parts.append("(\(rule))") }
    if let method = record.method { parts.append("by \(method)") }
    if let passkey = record.passkey { parts.append(passkey) }
    if let psm = record.psm { parts.append("PSM \(psm)") }
    if record.encrypted == true { parts.append("encrypted") }
    if let received = record.received, let sent = record.sent {
      parts.append("received \(received) bytes, sent \(sent)")
    }
    if let count = record.count { parts.append("\(Quote.counted(count, "event")): the output was full") }
    if let reason = record.reason { parts.append(Quote.line(reason)) }
    return parts.text
  }

  /// What a phone has kept: `1 service, 1 subscriber, suspended, since ...`.
  private static func restored(_ record: EventRecord) -> String {
    let parts = [
      record.serviceUUIDs.map { Quote.counted($0.count, "service") },
      record.awaitedSubscriptions.flatMap { $0 > 0 ? Quote.counted($0, "subscriber") : nil }, record.state,
      record.screenLocked == true ? "the screen is off" : nil, record.preservedSince.map { "since \($0)" },
    ]
    return parts.compactMap { $0 }.joined(separator: ", ")
  }

  /// Why an advertisement is not on the air.
  private static func withheld(by rule: String?) -> String {
    let reason = rule == "R4" ? "in the background without bluetooth-peripheral" : "requested in the background"
    return "not on the air until the foreground: \(reason)"
  }

  private static func text(_ interval: EventRecord.Interval) -> String {
    func text(_ value: Double) -> String { Int(exactly: value).map { "\($0)" } ?? "\(value)" }
    return interval.minimum == interval.maximum
      ? text(interval.minimum) : "\(text(interval.minimum)) to \(text(interval.maximum))"
  }
}

/// The details of an event, two spaces between them.
package struct EventDetails {
  package private(set) var text = ""

  init() { text.reserveCapacity(96) }

  /// - Parameter separator: what is written before it, if it is not the first.
  package mutating func append(_ part: String, after separator: String = "  ") {
    if !text.isEmpty { text += separator }
    text += part
  }

  /// The innermost UUID after its parent's: `2A37`, `2A37/2901`.
  package mutating func append(characteristic: String, _ descriptor: String?) {
    append(characteristic)
    guard let descriptor else { return }
    text += "/"
    text += descriptor
  }

  /// At most 20 bytes, two digits each, of a value.
  ///
  /// - Parameter count: the value's length, where `value` is its beginning only.
  package mutating func append(value: [UInt8], count: Int? = nil) {
    let count = count ?? value.count
    guard count > 0 else { return append("(empty)") }
    append(Hex.string(value.prefix(Self.shownBytes), separator: " "))
    if count > Self.shownBytes { text += " … (\(count) bytes)" }
  }

  /// - Parameter hex: two digits a byte.
  mutating func append(hex: String) {
    let beginning = String(decoding: hex.utf8.prefix(2 * Self.shownBytes), as: UTF8.self)
    guard let bytes = Hex.bytes(beginning) else { return append(hex) }
    append(value: bytes, count: hex.utf8.count / 2)
  }

  private static let shownBytes = 20

  /// The details of a request that follow its value.
  package mutating func append(
    offset: Int?, piece: (number: Int, count: Int)? = nil, isCached: Bool = false, isAcknowledged: Bool = true,
    error: ATTError? = nil
  ) {
    if let offset, offset > 0 { append("from byte \(offset)") }
    if let piece { append("(piece \(piece.number) of \(piece.count))") }
    if isCached { append("(cached)") }
    if !isAcknowledged { append("(no response)") }
    if let error { append("refused: \(error)") }
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
