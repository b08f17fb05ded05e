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
  /// The kind of the phones, as `--phone-kind` names it; nil for earlier phones.
  package var phoneKind: String?
  /// What is measured of the phones, as a phone file; nil for the rules of the version.
  package var like: String?
  /// Whether several apps may be in the foreground; nil where they may not.
  package var splitView: Bool?
  /// Whether the phones publish an iPhone's own services; nil where they do not.
  package var phoneServices: Bool?
  /// The phones' radio; nil in a trace of an older blepera, whose phones handled requests as over bluetoothd.
  package var radio: Radio?
  /// bluetoothd's version, such as `5.66`; nil where it is unknown.
  package var bluez: String?
  /// The value of `--pairing`; nil where it is unknown.
  package var pairing: String?
  /// The initial state of the apps: `foreground` or `background`.
  package var launch: String
  /// The seed of the random number generator.
  package var seed: UInt64
  package var phones: [Phone]

  package enum Radio: String, Codable, Sendable {
    case virtual, bluez
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
    time: Timestamp = .now, blepera: String?, command: String, ios: Int, phoneKind: String? = nil,
    like: String? = nil, splitView: Bool = false,
    phoneServices: Bool = false, radio: Radio? = nil, bluez: String? = nil, pairing: String? = nil,
    launch: String, seed: UInt64, phones: [Phone]
  ) {
    self.time = time.date
    self.blepera = blepera
    self.command = command
    self.ios = ios
    self.phoneKind = phoneKind == "earlier" ? nil : phoneKind
    self.like = like
    self.splitView = splitView ? true : nil
    self.phoneServices = phoneServices ? true : nil
    self.radio = radio
    self.bluez = bluez
    self.pairing = pairing
    self.launch = launch
    self.seed = seed
    self.phones = phones
  }

  /// A seed that every JSON parser reads exactly.
  package static var randomSeed: UInt64 { .random(in: 0..<(1 << 53)) }

  /// The seed of one app, so that the random values of two apps differ.
  package static func seed(_ seed: UInt64, phone: Int, app: Int) -> UInt64 {
    seed &+ UInt64(phone) &* 1_000_000_007 &+ UInt64(app) &* 1_000_003
  }

  /// One line, keys in alphabetical order.
  package var json: String { JSONLine.text(self) }
}
