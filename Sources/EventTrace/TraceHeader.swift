import FoundationEssentials

/// The first line of a trace: what it is, and what is needed to play it again.
package struct TraceHeader: Codable, Hashable, Sendable {
  /// The version of the format that this blepera writes and reads.
  package static let currentVersion = 1

  /// The version of the format.
  package var trace = currentVersion
  /// When it was begun, as of events.
  package var time: String
  /// blepera's version; nil where something else has written it.
  package var blepera: String?
  /// The command that has written it, such as `serve`.
  package var command: String
  /// The major number of the iOS whose rules hold.
  package var ios: Int
  /// bluetoothd's version, such as `5.66`; nil where it is not known.
  package var bluez: String?
  /// As of `--pairing`; nil where it is not known.
  package var pairing: String?
  /// How the apps start: `foreground` or `background`.
  package var launch: String
  /// What chance is drawn from.
  package var seed: UInt64
  package var phones: [Phone]

  package struct Phone: Codable, Hashable, Sendable {
    /// The `phone` of its events; nil where it is the only one.
    package var name: String?
    /// The bundle identifiers of its apps, in the order in which they are launched.
    package var apps: [String]

    package init(name: String? = nil, apps: [String]) {
      self.name = name
      self.apps = apps
    }
  }

  package init(
    time: Timestamp = .now, blepera: String?, command: String, ios: Int, bluez: String? = nil, pairing: String? = nil,
    launch: String, seed: UInt64, phones: [Phone]
  ) {
    self.time = time.date
    self.blepera = blepera
    self.command = command
    self.ios = ios
    self.bluez = bluez
    self.pairing = pairing
    self.launch = launch
    self.seed = seed
    self.phones = phones
  }

  /// One that every reader of JSON reads exactly.
  package static var randomSeed: UInt64 { .random(in: 0..<(1 << 53)) }

  /// Of one app, by its place: the random values of two do not go in step.
  package static func seed(_ seed: UInt64, phone: Int, app: Int) -> UInt64 {
    seed &+ UInt64(phone) &* 1_000_000_007 &+ UInt64(app) &* 1_000_003
  }

  /// One line, keys in alphabetical order.
  package var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(self) else { return "{\"trace\":\(trace)}" }
    return String(decoding: data, as: UTF8.self)
  }
}
