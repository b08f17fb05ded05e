/// An event of a phone as a JSON object: a line of `--json`, of a trace and of the control socket's `events`.
///
/// Keys that do not apply are absent. docs/schema/event.json describes them.
package struct EventRecord: Encodable, Hashable, Sendable {
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

  package struct Interval: Hashable, JSONCoded {
    package var minimum: Double
    package var maximum: Double

    package init(minimum: Double, maximum: Double) {
      self.minimum = minimum
      self.maximum = maximum
    }
  }

  /// The ATT error that a central received.
  package struct Failure: Encodable, Hashable, Sendable {
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
  package var json: String { String(decoding: JSONLine.encode(self).dropLast(), as: UTF8.self) }

  /// A passkey as both devices show it: six digits.
  package static func digits(_ passkey: UInt32) -> String { String("00000\(passkey)".suffix(6)) }
}

extension EventRecord: JSONObject {
  package static func fields<V: JSONVisitor>(_ visitor: inout V, _ value: Self?) throws(V.Failure) -> Self {
    var record = value ?? EventRecord(.started)
    try visitor.optional("acknowledged", in: &record.acknowledged)
    try visitor.optional("adapter", in: &record.adapter)
    try visitor.optional("advertisingData", in: &record.advertisingData)
    try visitor.optional("app", in: &record.app)
    try visitor.optional("awaitedSubscriptions", in: &record.awaitedSubscriptions)
    try visitor.optional("blepera", in: &record.blepera)
    try visitor.optional("cached", in: &record.cached)
    try visitor.optional("central", in: &record.central)
    try visitor.optional("centrals", in: &record.centrals)
    try visitor.optional("characteristic", in: &record.characteristic)
    try visitor.optional("command", in: &record.command)
    try visitor.optional("count", in: &record.count)
    try visitor.optional("descriptor", in: &record.descriptor)
    try visitor.optional("encrypted", in: &record.encrypted)
    try visitor.optional("error", in: &record.error)
    try visitor.field("event", in: &record.event)
    try visitor.optional("handles", in: &record.handles)
    try visitor.optional("interval", in: &record.interval)
    try visitor.optional("intervalHonored", in: &record.intervalHonored)
    try visitor.optional("intervalKind", in: &record.intervalKind)
    try visitor.optional("localName", in: &record.localName)
    try visitor.optional("method", in: &record.method)
    try visitor.optional("offset", in: &record.offset)
    try visitor.optional("overflowServiceUUIDs", in: &record.overflowServiceUUIDs)
    try visitor.optional("passkey", in: &record.passkey)
    try visitor.optional("pendingEvent", in: &record.pendingEvent)
    try visitor.optional("phone", in: &record.phone)
    try visitor.optional("piece", in: &record.piece)
    try visitor.optional("pieces", in: &record.pieces)
    try visitor.optional("preservedSince", in: &record.preservedSince)
    try visitor.optional("psm", in: &record.psm)
    try visitor.optional("reason", in: &record.reason)
    try visitor.optional("reasons", in: &record.reasons)
    try visitor.optional("received", in: &record.received)
    try visitor.optional("responseMilliseconds", in: &record.responseMilliseconds)
    try visitor.optional("rule", in: &record.rule)
    try visitor.optional("scanResponse", in: &record.scanResponse)
    try visitor.optional("screenLocked", in: &record.screenLocked)
    try visitor.optional("sent", in: &record.sent)
    try visitor.optional("service", in: &record.service)
    try visitor.optional("serviceUUIDs", in: &record.serviceUUIDs)
    try visitor.optional("side", in: &record.side)
    try visitor.optional("state", in: &record.state)
    try visitor.field("time", in: &record.time)
    try visitor.optional("value", in: &record.value)
    try visitor.optional("version", in: &record.version)
    return record
  }
}

extension EventRecord.Failure: JSONObject {
  package static func fields<V: JSONVisitor>(_ visitor: inout V, _ value: Self?) throws(V.Failure) -> Self {
    Self(code: try visitor.field("code", value?.code), name: try visitor.optional("name", value?.name))
  }
}
