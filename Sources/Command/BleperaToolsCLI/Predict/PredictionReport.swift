import BleperaCLI
import BleperaDiscovery

/// The result of `blepera predict`.
struct PredictionReport: CommandReport {
  let predictions: [Prediction]
  let seed: UInt64
  /// Whether the settings are the columns of the table.
  let isCompared: Bool

  static let percents = [50, 85, 95, 99]

  private enum CodingKeys: CodingKey { case seed, predictions }

  init(_ predictions: [Prediction], seed: UInt64, isCompared: Bool = false) {
    let names = PredictionNames.names(of: predictions.map(\.subject))
    self.predictions = zip(predictions, names).map { Prediction(subject: $0.subject, counts: $0.counts, name: $1) }
    (self.seed, self.isCompared) = (seed, isCompared)
  }

  func lines(for terminal: Terminal) -> [String] { PredictionText(terminal: terminal).lines(self) }
}

/// Times of the discovery, of the time limit and of pauses are in seconds, others in milliseconds, losses in percent.
extension Prediction: Encodable {
  private enum Key: CodingKey {
    case name, profiles, state, ios, interval, intervalStanding, intervalSource, delay, data, response, spacing
    case preset, scannerStanding, scannerSource, scanInterval, window, scanTime, scanPause, active, backoff
    case match, packet, from, phones, engine, loss, lossWithCollisions, within, trials
    case mean, p50, p85, p95, p99, notFound
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    let (app, percentiles) = (subject.app, counts.percentiles(PredictionReport.percents))
    let texts: [(Key, String?)] = [
      (.name, name), (.state, app?.state), (.intervalStanding, subject.interval?.standing),
      (.intervalSource, subject.interval?.source), (.preset, subject.preset),
      (.scannerStanding, subject.scanner?.standing), (.scannerSource, subject.scanner?.source),
      (.match, subject.match.rawValue), (.packet, setting.match.rawValue), (.from, setting.start.word),
      (.engine, subject.isOnAir ? "air" : "model"),
    ]
    for (key, text) in texts { try container.encodeIfPresent(text, forKey: key) }
    let times: [(Key, Int?, Double)] = [
      (.interval, setting.interval, 1000), (.delay, setting.delay, 1000), (.spacing, setting.spacing, 1000),
      (.scanInterval, setting.scanInterval, 1000), (.window, setting.window, 1000),
      (.scanTime, setting.pauses?.scan, 1_000_000), (.scanPause, setting.pauses?.pause, 1_000_000),
      (.within, setting.within, 1_000_000), (.loss, subject.loss, 10_000), (.lossWithCollisions, setting.loss, 10_000),
    ]
    for (key, value, unit) in times { try container.encodeIfPresent(value.map { Double($0) / unit }, forKey: key) }
    let numbers: [(Key, Int?)] = [
      (.ios, app?.ios), (.data, setting.data), (.response, setting.response), (.phones, subject.phones),
      (.trials, counts.trials),
    ]
    for (key, number) in numbers { try container.encodeIfPresent(number, forKey: key) }
    try container.encodeIfPresent(app?.profiles, forKey: .profiles)
    try container.encode(setting.isActive, forKey: .active)
    try container.encode(setting.hasBackoff, forKey: .backoff)
    let results = [counts.mean] + percentiles + [counts.shareNotFound]
    for (key, value) in zip([Key.mean, .p50, .p85, .p95, .p99, .notFound], results) {
      try container.encode(value, forKey: key)
    }
  }
}
