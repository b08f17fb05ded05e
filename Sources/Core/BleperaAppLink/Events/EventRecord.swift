package import BleperaBluetooth

/// An event of a phone as a JSON object: a line of `--json`, of a trace and of the control socket's `events`.
package struct EventRecord: Hashable, Sendable {
  /// RFC 3339, UTC.
  package var time = ""
  /// `phone` where a simulated central reports events too.
  package var side: String?
  /// The name of the phone, in a lab.
  package var phone: String?
  /// A bundle identifier; also of the app that owns the characteristic.
  package var app: String?
  package var event: Kind
  /// In the order of their keys.
  package private(set) var fields: [Field] = []

  package struct Field: Hashable, Sendable {
    package let key: EventKey
    package let value: EventValue
  }

  /// The version of the format of events.
  package static let currentVersion = 2

  package init(_ event: Kind, app: String? = nil) {
    self.event = event
    self.app = app
    fields.reserveCapacity(12)
  }

  /// The first record of a stream of events.
  package static func started(blepera: String) -> EventRecord {
    var record = EventRecord(.started)
    record.add(.blepera, .text(blepera))
    record.add(.version, .number(currentVersion))
    return record
  }

  /// The record of events that were left out.
  package static func omitted(_ count: Int) -> EventRecord {
    var record = EventRecord(.eventsOmitted)
    record.time = Timestamp.now.date
    record.add(.count, .number(count))
    return record
  }

  /// The record as one line of JSON, keys in alphabetical order.
  package var json: String { String(decoding: JSONLine.encode(self).dropLast(), as: UTF8.self) }

  /// A passkey as both devices show it: six digits.
  package static func digits(_ passkey: UInt32) -> String { String("00000\(passkey)".suffix(6)) }

  // MARK: Fields

  /// Adds a field, which the record does not have yet, in the place of its key.
  package mutating func add(_ key: EventKey, _ value: EventValue) {
    fields.append(Field(key: key, value: value))
    var place = fields.count - 1
    while place > 0, fields[place - 1].key.rawValue > key.rawValue {
      fields.swapAt(place - 1, place)
      place -= 1
    }
    assert(place == 0 || fields[place - 1].key != key)
  }

  package mutating func add(_ key: EventKey, _ text: String?) { if let text { add(key, .text(text)) } }
  package mutating func add(_ key: EventKey, _ uuid: BluetoothUUID?) { if let uuid { add(key, .uuid(uuid)) } }

  package subscript(key: EventKey) -> EventValue? {
    get {
      for field in fields where field.key == key { return field.value }
      return nil
    }
    set {
      fields.removeAll { $0.key == key }
      if let newValue { add(key, newValue) }
    }
  }

  package func flag(_ key: EventKey) -> Bool? { if case .flag(let flag) = self[key] { flag } else { nil } }
  package func number(_ key: EventKey) -> Int? { if case .number(let number) = self[key] { number } else { nil } }
  package func text(_ key: EventKey) -> String? { if case .text(let text) = self[key] { text } else { nil } }
  package func texts(_ key: EventKey) -> [String]? { if case .texts(let texts) = self[key] { texts } else { nil } }
  package func uuid(_ key: EventKey) -> BluetoothUUID? { if case .uuid(let uuid) = self[key] { uuid } else { nil } }
  package func bytes(_ key: EventKey) -> [UInt8]? { if case .bytes(let bytes) = self[key] { bytes } else { nil } }

  package var error: ATTError? { if case .error(let error) = self[.error] { error } else { nil } }
  package var handles: [Int]? { if case .numbers(let handles) = self[.handles] { handles } else { nil } }
  package var interval: EventValue.Interval? {
    if case .interval(let interval) = self[.interval] { interval } else { nil }
  }
  package var responseTime: Duration? { number(.responseMilliseconds).map { .milliseconds($0) } }
}

extension EventRecord: JSONLineWritable, JSONLineReadable {
  /// All members of the object in the order of their keys.
  private var members: [Field] {
    let others: [(EventKey, String?)] = [
      (.app, app), (.event, event.rawValue), (.phone, phone), (.side, side), (.time, time),
    ]
    return (fields + others.compactMap { key, text in text.map { Field(key: key, value: .text($0)) } })
      .sorted { $0.key.rawValue < $1.key.rawValue }
  }

  package func write(to writer: inout JSONObjectWriter) {
    writer.object { writer in
      for member in members {
        writer.name(member.key.name)
        member.value.write(to: &writer)
      }
    }
  }

  package init(reading reader: inout JSONObjectReader) throws(JSONLine.Fault) {
    var record = EventRecord(.started)
    try reader.members { reader, name throws(JSONLine.Fault) in
      guard let key = EventKey(name), record[key] == nil else { return false }
      record[key] = try EventValue(as: key.form, reading: &reader)
      return true
    }
    func take(_ key: EventKey) -> String? {
      defer { record[key] = nil }
      return record.text(key)
    }
    let (event, time) = (take(.event), take(.time))
    guard let event, let time else { throw JSONLine.Fault("expected 'event' and 'time'") }
    guard let kind = Kind(rawValue: event) else { throw JSONLine.Fault("unknown event '\(event)'") }
    (record.app, record.phone, record.side) = (take(.app), take(.phone), take(.side))
    (record.event, record.time) = (kind, time)
    self = record
  }
}
