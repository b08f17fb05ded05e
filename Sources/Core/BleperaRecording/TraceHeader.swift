package import BleperaAppLink

/// The first line of a trace: its format, and the settings of the run.
/// docs/schema/trace-header.json describes it.
package struct TraceHeader: Codable, Hashable, Sendable {
  /// The version of the format that this blepera writes and reads.
  package static let currentVersion = EventRecord.currentVersion

  /// The version of the format.
  package var trace = currentVersion
  /// When recording began, as in events.
  package var time: String
  /// blepera's version; nil in a trace of another program.
  package var blepera: String?
  /// The command that wrote the trace, such as `serve`.
  package var command: String
  /// The major number of the emulated iOS.
  package var ios: Int
  /// Nil in a trace of another program.
  package var radio: Radio?
  /// The options of the phones, defaults included: `--ios 26`, `--exact`.
  package var settings: [String]
  package var phones: [Phone]

  package enum Radio: String, Codable, Sendable {
    case virtual, bluez, controller
  }

  package struct Phone: Codable, Hashable, Sendable {
    /// The `phone` of its events; nil where the trace has one phone.
    package var name: String?
    /// The bundle identifiers of the apps, in launch order.
    package var apps: [String]

    package init(name: String? = nil, apps: [String]) {
      self.name = name
      self.apps = apps
    }
  }

  package init(
    time: Timestamp = .now, blepera: String? = nil, command: String, ios: Int, radio: Radio? = nil,
    settings: [String] = [], phones: [Phone]
  ) {
    self.time = time.date
    self.blepera = blepera
    self.command = command
    self.ios = ios
    self.radio = radio
    self.settings = settings
    self.phones = phones
  }

  /// A seed that every JSON parser reads exactly.
  package static var randomSeed: UInt64 { .random(in: 0..<(1 << 53)) }

  /// The seed of one app, so that the random values of two apps differ.
  package static func seed(_ seed: UInt64, phone: Int, app: Int) -> UInt64 {
    seed &+ UInt64(phone) &* 1_000_000_007 &+ UInt64(app) &* 1_000_003
  }

  /// The header as one line of JSON, keys in alphabetical order.
  package var json: String { JSONLine.text(self) }
}
