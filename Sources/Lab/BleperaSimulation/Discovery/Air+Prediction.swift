import BleperaBluetooth
import BleperaDiscovery
import BleperaRules

/// How long a scanner needs to find a phone: the result of many trials.
public struct DiscoveryPrediction: Sendable {
  private let counts: DiscoveryCounts

  init(_ counts: DiscoveryCounts) { self.counts = counts }

  /// The mean of the phones that are found; nil if none is.
  public var mean: Duration? { counts.mean.map { .seconds($0) } }

  /// The share of phones that are not found in time, 0 to 1.
  public var notFound: Double { counts.shareNotFound ?? 0 }

  /// The time within which so many of 100 phones are found; nil if fewer are found in time.
  ///
  /// - Parameter percent: 1 to 100.
  public func percentile(_ percent: Int) -> Duration? { counts.percentiles([percent])[0].map { .seconds($0) } }
}

extension Air {
  /// Computes how long a scanner needs to find a phone that comes into its range, as `blepera predict` does. No time of
  /// the story passes, and equal seeds of the air give equal results.
  ///
  /// - Parameters:
  ///   - interval: The advertising interval of the phone, 20 ms to 10.24 s.
  ///   - preset: A scanner by its name, such as `esphome`; `blepera predict --help` says where the names are.
  ///   - needsResponse: Whether what the scanner looks for is in the scan response, as the overflow area of a newer iPhone.
  ///   - loss: The probability, 0 to 1, that a packet is lost.
  ///   - limit: A phone that is not found by then is not found.
  public func predict(
    interval: Duration, preset: String, needsResponse: Bool = false, loss: Double = 0,
    within limit: Duration = .seconds(600)
  ) throws(StoryFailure) -> DiscoveryPrediction {
    let scanner: ScannerPreset
    do throws(ScannerPreset.Unusable) {
      scanner = try ScannerPreset.find(preset, rules: .newest)
    } catch { throw .central(error.description) }
    return try prediction(interval, scanner, needsResponse: needsResponse, loss: loss, within: limit)
  }

  /// Computes how long an active scanner needs to find a phone that comes into its range.
  ///
  /// - Parameters:
  ///   - window: The part of each scan interval in which the scanner receives.
  ///   - scanInterval: The time from the start of a window to the start of the next, at most 40.96 s.
  public func predict(
    interval: Duration, window: Duration, scanInterval: Duration, needsResponse: Bool = false, loss: Double = 0,
    within limit: Duration = .seconds(600)
  ) throws(StoryFailure) -> DiscoveryPrediction {
    let scanner = ScannerPreset(
      "the scanner", Self.clamped(window) / .milliseconds(1), of: Self.clamped(scanInterval) / .milliseconds(1),
      "the story", .ours)
    return try prediction(interval, scanner, needsResponse: needsResponse, loss: loss, within: limit)
  }

  private func prediction(
    _ interval: Duration, _ scanner: ScannerPreset, needsResponse: Bool, loss: Double, within limit: Duration
  ) throws(StoryFailure) -> DiscoveryPrediction {
    guard (0...1).contains(loss) else { throw .central("a loss of \(loss) is not a probability, 0 to 1") }
    var setting = DiscoverySetting(interval: Int(Self.clamped(interval) / .microseconds(1)), scanner: scanner)
    setting.match = needsResponse ? .response : .advertisement
    setting.loss = Int((loss * 1_000_000).rounded())
    setting.within = Int(Self.clamped(limit) / .microseconds(1))
    if let fault = setting.fault { throw .central(fault) }
    return DiscoveryPrediction(DiscoveryModel(setting, seed: seed).counts(of: 0..<20_000))
  }

  /// A time beyond all limits of a setting stays beyond them, and fits into microseconds.
  private static func clamped(_ time: Duration) -> Duration { min(max(time, .zero), .seconds(1_000_000)) }
}
