import FoundationEssentials

/// An event as a JSON object: what `--json` prints, a line each. The keys are part of the interface; README lists them.
package struct EventRecord: Codable, Hashable, Sendable {
  package var time = ""
  /// `phone` where a central speaks too.
  package var side: String?
  /// The name of the phone, in a lab.
  package var phone: String?
  package var event: String
  package var adapter: String?
  package var service: String?
  package var characteristic: String?
  package var descriptor: String?
  /// The first and last handle of a service.
  package var handles: [Int]?
  package var localName: String?
  package var serviceUUIDs: [String]?
  /// Service UUIDs in the overflow area.
  package var overflow: [String]?
  /// `foreground` or `background`.
  package var pace: String?
  /// In milliseconds.
  package var interval: Interval?
  /// Whether bluetoothd heeds it; nil where it cannot be told.
  package var heeded: Bool?
  /// What was moved, shortened, dropped or withheld, each with its rule.
  package var reasons: [String]?
  /// A bundle identifier; also whose characteristic it is.
  package var app: String?
  /// How many subscriptions are awaited.
  package var subscribers: Int?
  /// An app's execution state.
  package var state: String?
  /// What waits for an app or has been dropped: an event's name. Of `asked` the command.
  package var what: String?
  package var central: String?
  package var centrals: [String]?
  package var offset: Int?
  /// Hexadecimal digits.
  package var value: String?
  package var cached: Bool?
  /// False for a write that no answer of ours goes out for.
  package var acknowledged: Bool?
  package var error: Failure?
  /// From the request to the answer, in milliseconds; nil where the system has answered at once.
  package var took: Int?
  /// How Bluetooth is switched off.
  package var by: String?
  /// The rule by which it is so, such as `R4`.
  package var rule: String?
  package var passkey: String?
  package var reason: String?

  package struct Interval: Codable, Hashable, Sendable {
    package var minimum: Double
    package var maximum: Double
  }

  /// What a central was refused with.
  package struct Failure: Codable, Hashable, Sendable {
    package var code: Int
    package var name: String?
  }

  package init(_ event: String) { self.event = event }

  /// Nil where the line is no event.
  package init?(json line: [UInt8]) {
    guard let record = try? JSONDecoder().decode(EventRecord.self, from: Data(line)) else { return nil }
    self = record
  }

  /// One line, keys in alphabetical order.
  package var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(self) else { return "{\"event\":\"\(event)\"}" }
    return String(decoding: data, as: UTF8.self)
  }
}
