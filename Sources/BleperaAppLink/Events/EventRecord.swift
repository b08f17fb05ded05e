/// An event of a phone as a JSON object: a line of `--json`, of a trace and of the control socket's `events`.
///
/// Keys that do not apply are absent. docs/schema/event.json describes them.
package struct EventRecord: Codable, Hashable, Sendable {
  /// RFC 3339, UTC.
  package var time = ""
  /// `phone` where a simulated central reports events too.
  package var side: String?
  /// The name of the phone, in a lab.
  package var phone: String?
  package var event: Kind
  /// The version of the format; only of `started`.
  package var version: Int?
  /// The version of blepera; only of `started`.
  package var blepera: String?
  package var adapter: String?
  package var service: String?
  package var characteristic: String?
  package var descriptor: String?
  /// The first and last handle of a service.
  package var handles: [Int]?
  package var localName: String?
  package var serviceUUIDs: [String]?
  /// Service UUIDs in the overflow area.
  package var overflowServiceUUIDs: [String]?
  /// `foreground` or `background`.
  package var intervalKind: String?
  /// In milliseconds.
  package var interval: Interval?
  /// Whether the radio applies the interval; nil where it does not report that.
  package var intervalHonored: Bool?
  /// The packets of an iPhone as hexadecimal digits, 31 bytes each at most.
  package var advertisingData: String?
  package var scanResponse: String?
  /// What was moved, shortened, dropped or withheld, each with its rule.
  package var reasons: [String]?
  /// A bundle identifier; also of the app that owns the characteristic.
  package var app: String?
  /// How many restored subscriptions are awaited.
  package var awaitedSubscriptions: Int?
  /// Since when the phone has kept an app's state: RFC 3339, UTC, in whole seconds.
  package var preservedSince: String?
  /// Whether the screen was off when the phone's process was replaced.
  package var screenLocked: Bool?
  /// An app's execution state.
  package var state: String?
  /// The callback that is queued for an app, or was dropped.
  package var pendingEvent: String?
  /// What the user requested.
  package var command: String?
  package var central: String?
  package var centrals: [String]?
  package var offset: Int?
  /// Hexadecimal digits.
  package var value: String?
  package var cached: Bool?
  /// False for a write that the phone sends no response to.
  package var acknowledged: Bool?
  package var error: Failure?
  /// The place of a write, from 1, among the `pieces` that succeed or fail together; nil for any other write.
  package var piece: Int?
  package var pieces: Int?
  /// From the request to the response; nil where the phone responds at once.
  private var responseMilliseconds: Int?
  /// How Bluetooth was switched off.
  package var method: String?
  /// The rule that caused the event, such as `R4`.
  package var rule: String?
  package var passkey: String?
  /// The number of an L2CAP channel.
  package var psm: Int?
  /// Whether the channel requires that the central is paired.
  package var encrypted: Bool?
  /// The bytes that the app has received over a channel, and those that it has sent.
  package var received: Int?
  package var sent: Int?
  /// How many events were not written, because nobody read the output, or the disk was full.
  package var count: Int?
  package var reason: String?

  /// The version of the format of events.
  package static let currentVersion = 2

  package struct Interval: Codable, Hashable, Sendable {
    package var minimum: Double
    package var maximum: Double

    package init(minimum: Double, maximum: Double) {
      self.minimum = minimum
      self.maximum = maximum
    }
  }

  /// The ATT error that a central received.
  package struct Failure: Codable, Hashable, Sendable {
    package var code: Int
    package var name: String?

    package init(code: Int, name: String?) {
      self.code = code
      self.name = name
    }
  }

  package init(_ event: Kind) { self.event = event }

  /// The first record of a stream of events.
  package static func started(blepera: String) -> EventRecord {
    var record = EventRecord(.started)
    record.version = currentVersion
    record.blepera = blepera
    return record
  }

  /// The time of `responseMilliseconds`.
  package var responseTime: Duration? {
    get { responseMilliseconds.map { .milliseconds($0) } }
    set { responseMilliseconds = newValue.map { Int($0 / .milliseconds(1)) } }
  }

  package init?(json: [UInt8]) {
    guard let record = try? JSONLine.decode(EventRecord.self, json) else { return nil }
    self = record
  }

  /// One line, keys in alphabetical order.
  package var json: String { JSONLine.text(self) }

  /// A passkey as both devices show it: six digits.
  package static func digits(_ passkey: UInt32) -> String { String("00000\(passkey)".suffix(6)) }
}

/// The keys that events of requests and updates have, without the detour over `Codable`; other events take it.
extension EventRecord: JSONLineValue {
  package func write(to object: inout JSONObjectWriter) -> Bool {
    guard version == nil, handles == nil, interval == nil, count == nil, psm == nil else { return false }
    object.begin()
    object.add("acknowledged", acknowledged)
    object.add("adapter", adapter)
    object.add("advertisingData", advertisingData)
    object.add("app", app)
    object.add("awaitedSubscriptions", awaitedSubscriptions)
    object.add("blepera", blepera)
    object.add("cached", cached)
    object.add("central", central)
    object.add("centrals", centrals)
    object.add("characteristic", characteristic)
    object.add("command", command)
    object.add("descriptor", descriptor)
    if let error {
      object.begin("error")
      object.add("code", error.code)
      object.add("name", error.name)
      object.end()
    }
    object.add("event", event.rawValue)
    object.add("intervalHonored", intervalHonored)
    object.add("intervalKind", intervalKind)
    object.add("localName", localName)
    object.add("method", method)
    object.add("offset", offset)
    object.add("overflowServiceUUIDs", overflowServiceUUIDs)
    object.add("passkey", passkey)
    object.add("pendingEvent", pendingEvent)
    object.add("phone", phone)
    object.add("piece", piece)
    object.add("pieces", pieces)
    object.add("preservedSince", preservedSince)
    object.add("reason", reason)
    object.add("reasons", reasons)
    object.add("responseMilliseconds", responseMilliseconds)
    object.add("rule", rule)
    object.add("scanResponse", scanResponse)
    object.add("screenLocked", screenLocked)
    object.add("service", service)
    object.add("serviceUUIDs", serviceUUIDs)
    object.add("side", side)
    object.add("state", state)
    object.add("time", time)
    object.add("value", value)
    object.end()
    return true
  }

  package init?(reading object: inout JSONObjectReader) {
    var record = EventRecord(.started)
    var hasKind = false
    var hasTime = false
    let isRead = object.object { object, key in
      switch key {
      case "acknowledged": return object.store(object.flag(), in: &record.acknowledged)
      case "app": return object.store(object.text(), in: &record.app)
      case "cached": return object.store(object.flag(), in: &record.cached)
      case "central": return object.store(object.text(), in: &record.central)
      case "centrals": return object.store(object.texts(), in: &record.centrals)
      case "characteristic": return object.store(object.text(), in: &record.characteristic)
      case "descriptor": return object.store(object.text(), in: &record.descriptor)
      case "event":
        guard !hasKind, let kind = object.text().flatMap(Kind.init(rawValue:)) else { return false }
        (record.event, hasKind) = (kind, true)
        return true
      case "offset": return object.store(object.number(), in: &record.offset)
      case "piece": return object.store(object.number(), in: &record.piece)
      case "pieces": return object.store(object.number(), in: &record.pieces)
      case "reason": return object.store(object.text(), in: &record.reason)
      case "responseMilliseconds": return object.store(object.number(), in: &record.responseMilliseconds)
      case "rule": return object.store(object.text(), in: &record.rule)
      case "service": return object.store(object.text(), in: &record.service)
      case "time":
        guard !hasTime, let time = object.text() else { return false }
        (record.time, hasTime) = (time, true)
        return true
      case "value": return object.store(object.text(), in: &record.value)
      default: return false
      }
    }
    guard isRead, hasKind, hasTime else { return nil }
    self = record
  }
}
