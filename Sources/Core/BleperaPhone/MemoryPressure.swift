import BleperaBluetooth
import BleperaLoop
import Glibc

/// Terminations of suspended apps by chance, as iOS terminates them when it needs memory. How often an iPhone does so
/// is not known: the rate is the user's.
package struct MemoryPressure: Sendable {
  /// Terminations an hour, on average; above 0.
  private let rate: Double
  private var random: SplitMix64
  /// Ends at the next termination.
  var timer: (any LoopTimer)?

  /// - Parameters:
  ///   - rate: terminations an hour, on average.
  ///   - seed: equal seeds give equal times and apps.
  package init?(rate: Double, seed: UInt64) {
    guard rate > 0, rate.isFinite else { return nil }
    self.rate = rate
    random = SplitMix64(seed: seed)
  }

  /// The highest rate: one termination a second.
  package static let maximumRate = 3600.0

  /// The time until the next termination, which does not depend on the times before.
  mutating func next() -> Duration {
    let chance = Double.random(in: Double.leastNonzeroMagnitude...1, using: &random)
    return .seconds(-log(chance) * 3600 / rate)
  }

  /// Chooses the app that is terminated; nil where none is suspended.
  mutating func choose<App>(among suspended: [App]) -> App? { suspended.randomElement(using: &random) }
}
