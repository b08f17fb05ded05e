import BleperaBluetooth

/// An event as people read it, in parts: their columns and colors, and the local time, are up to who prints them.
///
/// The phone writes it: where `serve` wrote it from a record, the 99th percentile of a dynamic read was 406
/// microseconds, not 292.
package struct EventText: Hashable, JSONObject {
  package let details: String
  /// The kind of the event.
  package let event: String
  /// The label where it is not the name of the kind.
  private let otherLabel: String?
  package let time: Timestamp

  /// The event in a word or two.
  package var label: String { otherLabel ?? event }

  package init(_ record: EventRecord, at time: Timestamp) {
    details = Self.details(record)
    event = record.event.rawValue
    let label =
      switch record.event {
      case .commandReceived: record.text(.command) ?? record.event.format.label
      case .state: record.text(.state) ?? record.event.format.label
      default: record.event.format.label
      }
    otherLabel = label == event ? nil : label
    self.time = time
  }

  private init(details: String, event: String, label: String?, milliseconds: Int) {
    (self.details, self.event, otherLabel) = (details, event, label)
    time = Timestamp(milliseconds: milliseconds)
  }

  /// The time is in milliseconds since 1970, which is read and written faster than a date.
  package static func fields<V: JSONVisitor>(_ visitor: inout V, _ value: Self?) throws(V.Failure) -> Self {
    Self(
      details: try visitor.field("details", value?.details), event: try visitor.field("event", value?.event),
      label: try visitor.optional("label", value?.otherLabel),
      milliseconds: try visitor.field("time", value?.time.inMilliseconds))
  }

  /// The keys that are shown, in the order of the details.
  private static let shown: [EventKey] = [
    .adapter, .host, .capture, .pendingEvent, .central, .centrals, .peripheral, .characteristic, .descriptor, .service,
    .handles, .localName,
    .serviceUUIDs, .overflowServiceUUIDs, .interval, .reasons, .value, .limit, .offset, .piece, .cached, .acknowledged,
    .error,
    .rule, .method, .defect, .on, .passkey, .psm, .encrypted, .received, .count, .reason,
  ]

  private static func details(_ record: EventRecord) -> String {
    var details = EventDetails()
    // The attribute identifies the app that owns it.
    if let app = record.app, record[.service] == nil { details.append(Quote.line(app)) }
    if record.event == .restored {
      details.append(restored(record))
      return details.text
    }
    // Most keys are absent.
    var places = InlineArray<64, Int>(repeating: -1)
    for index in record.fields.indices { places[Int(record.fields[index].key.rawValue)] = index }
    for key in shown {
      let place = places[Int(key.rawValue)]
      if place >= 0 { details.append(key, record.fields[place].value, of: record) }
    }
    return details.text
  }

  /// The state that a phone has kept: `1 service, 1 subscriber, suspended, since ...`, and a central's peripherals.
  private static func restored(_ record: EventRecord) -> String {
    func counted(_ key: EventKey, _ noun: String) -> String? {
      record.number(key).flatMap { $0 > 0 ? Quote.counted($0, noun) : nil }
    }
    let peripherals = record.texts(.peripherals) ?? []
    let services = record.texts(.serviceUUIDs).flatMap { $0.isEmpty && !peripherals.isEmpty ? nil : $0.count }
    let parts = [
      services.map { Quote.counted($0, "service") }, counted(.awaitedSubscriptions, "subscriber"),
      peripherals.isEmpty
        ? nil : "\(Quote.counted(peripherals.count, "peripheral")) (\(peripherals.joined(separator: " ")))",
      counted(.subscriptions, "subscription"),
      record.text(.state),
      record.flag(.screenLocked) == true ? "the screen is off, as before; 'blepera unlock' switches it on" : nil,
      record.text(.preservedSince).map { "since \($0)" },
    ]
    return parts.compactMap { $0 }.joined(separator: ", ")
  }
}

/// The details of an event, two spaces between them.
private struct EventDetails {
  private var bytes: [UInt8] = []

  init() { bytes.reserveCapacity(128) }

  var text: String { String(decoding: bytes, as: UTF8.self) }

  mutating func append(_ part: String) {
    if !bytes.isEmpty { write("  ") }
    write(part)
  }

  private mutating func write(_ text: String) { bytes.append(contentsOf: text.utf8) }

  mutating func append(_ key: EventKey, _ value: EventValue, of record: EventRecord) {
    switch value {
    case .text(let text): append(key, text, of: record)
    case .texts(let texts): append(key, texts, of: record)
    // The innermost UUID after its parent's: `2A37`, `2A37/2901`.
    case .uuid(let uuid):
      if key == .descriptor {
        write("/\(uuid)")
      } else if key != .service || record[.characteristic] == nil {
        append("\(uuid)")
      }
    case .numbers(let handles):
      let numbers = handles.map { "\(AttributeHandle(rawValue: UInt16(clamping: $0)))" }
      append("handles " + numbers.joined(separator: " to "))
    case .interval(let interval):
      append("every \(interval) ms\(record.flag(.intervalHonored) == true ? "" : " requested")")
    case .bytes(let bytes): append(value: bytes)
    case .error(let error): append("refused: \(error)")
    case .number(let number): append(key, number, of: record)
    case .flag(let flag):
      switch key {
      case .cached: if flag { append("(cached)") }
      case .acknowledged: if !flag { append("(no response)") }
      case .on: append(flag ? "on" : "off")
      default: if flag { append("encrypted") }
      }
    }
  }

  private mutating func append(_ key: EventKey, _ text: String, of record: EventRecord) {
    switch key {
    case .localName: append(Quote.text(text))
    case .rule:
      if record.event == .advertisingWithheld {
        let reason = text == "R4" ? "in the background without bluetooth-peripheral" : "requested in the background"
        append("not on the air until the foreground: \(reason)")
      }
      append("(\(text))")
    case .method: append("by \(text)")
    case .reason: append(Quote.line(text))
    case .capture: append("packets in \(Quote.line(text))")
    default: append(text)
    }
  }

  private mutating func append(_ key: EventKey, _ texts: [String], of record: EventRecord) {
    switch key {
    // The line of an advertisement has the packets, which follow from the reasons.
    case .reasons: if record.event != .advertising { append(texts.joined(separator: "; ")) }
    case .overflowServiceUUIDs: append("overflow area: \(texts.joined(separator: " "))")
    default: for index in texts.indices { if index == 0 { append(texts[0]) } else { write(" \(texts[index])") } }
    }
  }

  private mutating func append(_ key: EventKey, _ number: Int, of record: EventRecord) {
    switch key {
    case .limit: append("cut after \(number) bytes")
    case .offset: if number > 0 { append("from byte \(number)") }
    case .piece: if let pieces = record.number(.pieces) { append("(piece \(number) of \(pieces))") }
    case .psm: append("PSM \(number)")
    case .received: if let sent = record.number(.sent) { append("received \(number) bytes, sent \(sent)") }
    default: append("\(Quote.counted(number, "event")): the output was full")
    }
  }

  private static let shownBytes = 20
  private static let digits = Array("0123456789ABCDEF".utf8)

  /// At most 20 bytes, two digits each.
  private mutating func append(value: [UInt8]) {
    append(value.isEmpty ? "(empty)" : "")
    for index in 0..<min(value.count, Self.shownBytes) {
      if index > 0 { bytes.append(UInt8(ascii: " ")) }
      bytes.append(Self.digits[Int(value[index] >> 4)])
      bytes.append(Self.digits[Int(value[index] & 15)])
    }
    if value.count > Self.shownBytes { write(" … (\(value.count) bytes)") }
  }
}

extension EventValue.Interval: CustomStringConvertible {
  /// `181.25`, or `20 to 30.5`.
  package var description: String {
    func text(_ value: Double) -> String { Int(exactly: value).map { "\($0)" } ?? "\(value)" }
    return minimum == maximum ? text(minimum) : "\(text(minimum)) to \(text(maximum))"
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
