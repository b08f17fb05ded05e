import BleperaBluetooth
import BleperaCLI
import BleperaDiscovery

/// The result of `blepera predict`.
struct PredictionReport: CommandReport {
  let predictions: [Prediction]
  let seed: UInt64
  /// Whether the settings are the columns of the table.
  var isCompared = false

  static let percents = [50, 85, 95, 99]

  private enum Key: String, CodingKey {
    case seed, predictions
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(seed, forKey: .seed)
    try container.encode(predictions.map(Entry.init), forKey: .predictions)
  }

  func lines(for terminal: Terminal) -> [String] {
    PredictionText(terminal: terminal).lines(self)
  }
}

/// An object of `predictions`: times in seconds, packets and intervals in the units of the command's options.
private struct Entry: Encodable {
  let prediction: Prediction

  private enum Key: String, CodingKey {
    case name, profiles, state, ios, interval, intervalStanding, intervalSource, delay, data, response, spacing
    case preset, scannerStanding, scannerSource, scanInterval, window, scanTime, scanPause, active, backoff
    case match, packet, from, phones, engine, loss, lossWithCollisions, within, trials
    case mean, p50, p85, p95, p99, notFound
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    let (subject, setting, counts) = (prediction.subject, prediction.setting, prediction.counts)
    func milliseconds(_ time: Int, _ key: Key) throws { try container.encode(Double(time) / 1000, forKey: key) }
    try container.encode(subject.name, forKey: .name)
    try container.encodeIfPresent(subject.app?.profiles, forKey: .profiles)
    try container.encodeIfPresent(subject.app?.state, forKey: .state)
    try container.encodeIfPresent(subject.app?.ios, forKey: .ios)
    try milliseconds(setting.interval, .interval)
    try container.encodeIfPresent(subject.interval?.standing, forKey: .intervalStanding)
    try container.encodeIfPresent(subject.interval?.source, forKey: .intervalSource)
    try milliseconds(setting.delay, .delay)
    try container.encode(setting.data, forKey: .data)
    try container.encode(setting.response, forKey: .response)
    try milliseconds(setting.spacing, .spacing)
    try container.encodeIfPresent(subject.preset, forKey: .preset)
    try container.encodeIfPresent(subject.scanner?.standing, forKey: .scannerStanding)
    try container.encodeIfPresent(subject.scanner?.source, forKey: .scannerSource)
    try milliseconds(setting.scanInterval, .scanInterval)
    try milliseconds(setting.window, .window)
    try container.encodeIfPresent(setting.pauses.map { Double($0.scan) / 1_000_000 }, forKey: .scanTime)
    try container.encodeIfPresent(setting.pauses.map { Double($0.pause) / 1_000_000 }, forKey: .scanPause)
    try container.encode(setting.isActive, forKey: .active)
    try container.encode(setting.hasBackoff, forKey: .backoff)
    try container.encode(subject.match, forKey: .match)
    try container.encode(setting.match, forKey: .packet)
    try container.encode(setting.start.word, forKey: .from)
    try container.encode(subject.phones, forKey: .phones)
    try container.encode(subject.isOnAir ? "air" : "model", forKey: .engine)
    try container.encode(Double(subject.loss) / 10_000, forKey: .loss)
    try container.encode(Double(setting.loss) / 10_000, forKey: .lossWithCollisions)
    try container.encode(Double(setting.within) / 1_000_000, forKey: .within)
    try container.encode(counts.trials, forKey: .trials)
    try container.encode(counts.mean, forKey: .mean)
    for (key, time) in zip([Key.p50, .p85, .p95, .p99], counts.percentiles(PredictionReport.percents)) {
      try container.encode(time, forKey: key)
    }
    try container.encode(counts.shareNotFound, forKey: .notFound)
  }
}

extension DiscoverySetting.Start {
  /// The word of `--from`.
  var word: String { self == .arrival ? "arrival" : "scan-start" }
}
