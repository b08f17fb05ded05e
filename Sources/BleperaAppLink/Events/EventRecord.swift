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
    record.acknowledged = try visitor.optional("acknowledged", value?.acknowledged)
    record.adapter = try visitor.optional("adapter", value?.adapter)
    record.advertisingData = try visitor.optional("advertisingData", value?.advertisingData)
    record.app = try visitor.optional("app", value?.app)
    record.awaitedSubscriptions = try visitor.optional("awaitedSubscriptions", value?.awaitedSubscriptions)
    record.blepera = try visitor.optional("blepera", value?.blepera)
    record.cached = try visitor.optional("cached", value?.cached)
    record.central = try visitor.optional("central", value?.central)
    record.centrals = try visitor.optional("centrals", value?.centrals)
    record.characteristic = try visitor.optional("characteristic", value?.characteristic)
    record.command = try visitor.optional("command", value?.command)
    record.count = try visitor.optional("count", value?.count)
    record.descriptor = try visitor.optional("descriptor", value?.descriptor)
    record.encrypted = try visitor.optional("encrypted", value?.encrypted)
    record.error = try visitor.optional("error", value?.error)
    record.event = try visitor.field("event", value?.event)
    record.handles = try visitor.optional("handles", value?.handles)
    record.interval = try visitor.optional("interval", value?.interval)
    record.intervalHonored = try visitor.optional("intervalHonored", value?.intervalHonored)
    record.intervalKind = try visitor.optional("intervalKind", value?.intervalKind)
    record.localName = try visitor.optional("localName", value?.localName)
    record.method = try visitor.optional("method", value?.method)
    record.offset = try visitor.optional("offset", value?.offset)
    record.overflowServiceUUIDs = try visitor.optional("overflowServiceUUIDs", value?.overflowServiceUUIDs)
    record.passkey = try visitor.optional("passkey", value?.passkey)
    record.pendingEvent = try visitor.optional("pendingEvent", value?.pendingEvent)
    record.phone = try visitor.optional("phone", value?.phone)
    record.piece = try visitor.optional("piece", value?.piece)
    record.pieces = try visitor.optional("pieces", value?.pieces)
    record.preservedSince = try visitor.optional("preservedSince", value?.preservedSince)
    record.psm = try visitor.optional("psm", value?.psm)
    record.reason = try visitor.optional("reason", value?.reason)
    record.reasons = try visitor.optional("reasons", value?.reasons)
    record.received = try visitor.optional("received", value?.received)
    record.responseMilliseconds = try visitor.optional("responseMilliseconds", value?.responseMilliseconds)
    record.rule = try visitor.optional("rule", value?.rule)
    record.scanResponse = try visitor.optional("scanResponse", value?.scanResponse)
    record.screenLocked = try visitor.optional("screenLocked", value?.screenLocked)
    record.sent = try visitor.optional("sent", value?.sent)
    record.service = try visitor.optional("service", value?.service)
    record.serviceUUIDs = try visitor.optional("serviceUUIDs", value?.serviceUUIDs)
    record.side = try visitor.optional("side", value?.side)
    record.state = try visitor.optional("state", value?.state)
    record.time = try visitor.field("time", value?.time)
    record.value = try visitor.optional("value", value?.value)
    record.version = try visitor.optional("version", value?.version)
    return record
  }
}

extension EventRecord.Failure: JSONObject {
  package static func fields<V: JSONVisitor>(_ visitor: inout V, _ value: Self?) throws(V.Failure) -> Self {
    Self(code: try visitor.field("code", value?.code), name: try visitor.optional("name", value?.name))
  }
}
