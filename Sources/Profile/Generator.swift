/// A value that changes by itself, as a pure function of how often it has changed.
public struct Generator: Hashable, Sendable {
  /// The seconds that a profile may have between two values.
  public static let intervals: ClosedRange<Double> = 0.02...86_400

  public var format: ValueFormat
  public var shape: Shape
  /// From one value to the next.
  public var interval: Duration
  /// Stands before each value, such as the flags of a heart rate measurement.
  public var prefix: [UInt8]

  public init(format: ValueFormat, shape: Shape, interval: Duration = .seconds(1), prefix: [UInt8] = []) {
    self.format = format
    self.shape = shape
    self.interval = interval
    self.prefix = prefix
  }

  /// The value after `step` intervals; step 0 is what is read at the start. `seed` is for `random` that has none.
  public func value(step: UInt64, seed: UInt64) -> [UInt8] {
    switch shape {
    case .counter(let start, let increment):
      return prefix + counter(start: start, increment: increment, step: step)
    case .ramp(let minimum, let maximum, let increment):
      return prefix + ramp(minimum: minimum, maximum: maximum, increment: increment, step: step)
    case .sine(let minimum, let maximum, let period):
      return prefix + sine(minimum: minimum, maximum: maximum, period: period, step: step)
    case .sequence(let values):
      guard !values.isEmpty else { return prefix }
      return prefix + values[Int(step % UInt64(values.count))]
    case .random(let minimum, let maximum, let own):
      return prefix + random(minimum: minimum, maximum: maximum, bits: SplitMix64.value(at: step, seed: own ?? seed))
    }
  }
}
