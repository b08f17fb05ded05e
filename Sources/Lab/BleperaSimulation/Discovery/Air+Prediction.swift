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
  ///   - scanner: A preset such as `esphome`, or a scan window and a scan interval in milliseconds, such as `30/320`.
  ///   - needsResponse: Whether what the scanner looks for is in the scan response, as the overflow area of a newer iPhone.
  ///   - loss: The probability, 0 to 1, that a packet is lost.
  ///   - limit: A phone that is not found by then is not found.
  public func predict(
    interval: Duration, scanner: String, needsResponse: Bool = false, loss: Double = 0,
    within limit: Duration = .seconds(600)
  ) throws(StoryFailure) -> DiscoveryPrediction {
    guard (0...1).contains(loss) else { throw .central("a loss of \(loss) is not a probability, 0 to 1") }
    func microseconds(_ time: Duration) -> Int { Int(min(max(time, .zero), .seconds(1_000_000)) / .microseconds(1)) }
    let preset: ScannerPreset
    do throws(ScannerPreset.Unusable) {
      let timing = ScannerPreset(timing: scanner)
      preset = if let timing { timing } else { try .find(scanner, rules: .newest) }
    } catch { throw .central(error.description) }
    var setting = DiscoverySetting(interval: microseconds(interval), scanner: preset)
    setting.match = needsResponse ? .response : .advertisement
    (setting.loss, setting.within) = (Int((loss * 1_000_000).rounded()), microseconds(limit))
    if let fault = setting.fault { throw .central(fault) }
    return DiscoveryPrediction(DiscoveryModel(setting, seed: seed).counts(of: 0..<20_000))
  }
}
