import GATT
import Profile

/// An event as a line for a person: time, what, who, and the rest.
package enum EventLine {
  /// What may be painted.
  package enum Part: Sendable {
    case time
    case word
  }

  /// What is said in place of an event's name.
  private static let words: [String: String] = [
    "publishingFailed": "not published", "advertisingFailed": "not advertised", "advertisingLost": "off the air",
    "advertisingStopped": "off the air", "noDaemon": "no bluetoothd", "noAdapter": "no adapter",
    "poweredOn": "powered on", "poweredOff": "powered off", "poweringFailed": "not powered",
    "pairingRefused": "not paired", "agentFailed": "no pairing", "busLost": "no bus",
    "advertisingWithheld": "not yet", "intervalsIgnored": "intervals",
    "relaunchFailed": "not relaunched", "relaunchGivenUp": "given up", "stateDamaged": "damaged",
    "notSaved": "not saved",
  ]

  /// Of the longest word, `not advertised`.
  private static let wordWidth = 14

  /// - Parameter paint: gives parts of the line a colour; the text must stay as it is.
  package static func text(
    _ record: EventRecord, at time: String, paint: (Part, String) -> String = { $1 }
  ) -> String {
    let word = word(record)
    let padding = String(repeating: " ", count: max(0, wordWidth - word.count))
    let parts = [paint(.time, time), paint(.word, word) + padding, rest(record)]
    return parts.joined(separator: "  ").trimmingTrailingSpaces
  }

  private static func word(_ record: EventRecord) -> String {
    if record.event == "asked", let command = record.what { return command }
    return record.state ?? words[record.event] ?? record.event
  }

  package static func rest(_ record: EventRecord) -> String {
    var parts: [String] = []
    if let adapter = record.adapter { parts.append(adapter) }
    // Of what is in an app's services the attribute says enough.
    if record.service == nil, let app = record.app { parts.append(app) }
    if record.event != "asked", let what = record.what { parts.append(what) }
    if let central = record.central { parts.append(central) }
    if let centrals = record.centrals { parts.append(centrals.joined(separator: " ")) }
    if let attribute = attribute(record) { parts.append(attribute) }
    if let handles = record.handles {
      let numbers = handles.map { "\(AttributeHandle(rawValue: UInt16(clamping: $0)))" }
      parts.append("handles " + numbers.joined(separator: " to "))
    }
    if let name = record.localName { parts.append(Quote.text(name)) }
    if let uuids = record.serviceUUIDs, !uuids.isEmpty { parts.append(uuids.joined(separator: " ")) }
    if let overflow = record.overflow { parts.append("overflow area: \(overflow.joined(separator: " "))") }
    if let subscribers = record.subscribers, subscribers > 0 {
      parts.append("awaits \(subscribers) \(subscribers == 1 ? "subscription" : "subscriptions")")
    }
    if let interval = record.interval {
      parts.append("every \(text(interval)) ms\(record.heeded == true ? "" : " asked for")")
    }
    if let reasons = record.reasons { parts.append(reasons.joined(separator: "; ")) }
    if let value = record.value { parts.append(value.isEmpty ? "(empty)" : spaced(value)) }
    if let offset = record.offset, offset > 0 { parts.append("from byte \(offset)") }
    if record.cached == true { parts.append("(cached)") }
    if record.acknowledged == false { parts.append("(no response)") }
    if let error = record.error {
      parts.append("refused: \(ATTError(rawValue: UInt8(clamping: error.code)))")
    }
    if let rule = record.rule { parts.append("(\(rule))") }
    if let by = record.by { parts.append("by \(by)") }
    if let passkey = record.passkey { parts.append(passkey) }
    if let reason = record.reason { parts.append(reason) }
    return parts.joined(separator: "  ")
  }

  private static func text(_ interval: EventRecord.Interval) -> String {
    func text(_ value: Double) -> String { Int(exactly: value).map { "\($0)" } ?? "\(value)" }
    return interval.minimum == interval.maximum
      ? text(interval.minimum) : "\(text(interval.minimum)) to \(text(interval.maximum))"
  }

  /// The innermost UUID, behind the one it belongs to: `2A37`, `2A37/2901`; a service's own alone.
  private static func attribute(_ record: EventRecord) -> String? {
    guard let characteristic = record.characteristic else { return record.service }
    return record.descriptor.map { "\(characteristic)/\($0)" } ?? characteristic
  }

  /// At most 20 bytes, two digits each.
  private static func spaced(_ hex: String) -> String {
    let bytes = Hex.bytes(hex) ?? []
    let shown = Hex.string(bytes.prefix(20), separator: " ")
    return bytes.count > 20 ? "\(shown) … (\(bytes.count) bytes)" : shown
  }
}

extension String {
  fileprivate var trimmingTrailingSpaces: String {
    String(self[..<(lastIndex { $0 != " " }.map { index(after: $0) } ?? startIndex)])
  }
}
