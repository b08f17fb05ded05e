import BleperaDiscovery

/// One setting of a run, and the times of its trials.
struct Prediction: Hashable, Sendable {
  let subject: PredictionSubject
  var counts = DiscoveryCounts()

  /// The title of the row or of the curve, which depends on the other settings of the result.
  var name = ""
  var setting: DiscoverySetting { subject.setting }
}

/// Everything but the counts that the text, the JSON and the curves of a prediction need.
struct PredictionSubject: Codable, Hashable, Sendable {
  /// A value of an iPhone or of a scanner, with its standing and source.
  struct Basis: Codable, Hashable, Sendable {
    let standing: String
    let source: String
  }

  /// The words of `--match`.
  enum Match: String, Codable, CaseIterable, Sendable {
    case advertisement, response, name, presence
  }

  /// The app that advertises.
  struct App: Codable, Hashable, Sendable {
    /// The bundle identifiers, or names, of the profiles of one phone.
    let profiles: [String]
    let state: String
    let ios: Int
    /// The UUIDs that have bits in the overflow area.
    let overflowUUIDs: [String]
  }

  let setting: DiscoverySetting
  let match: Match
  /// Nil for an interval of `--interval` alone.
  var app: App?
  /// Nil for an interval of `--interval`.
  var interval: Basis?
  /// The name of the preset; nil for `--window` and `--scan-interval`.
  var preset: String?
  var scanner: Basis?
  /// How many phones share the air; the loss by collisions is in the setting's `loss` unless the air computes the trials.
  var phones = 1
  /// Whether the trials are phones on the virtual air, and not trials of the model.
  var isOnAir = false
  /// The loss of `--loss` alone, in millionths.
  var loss = 0
}
