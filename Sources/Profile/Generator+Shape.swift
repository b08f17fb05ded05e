extension Generator {
  /// The course of the values.
  public enum Shape: Hashable, Sendable {
    /// `start`, then `step` more each time. Integers wrap within their format, reals start again at its end.
    case counter(start: Number, step: Number)
    /// From `minimum` by `step` as far as `maximum`, then `minimum` again.
    case ramp(minimum: Number, maximum: Number, step: Number)
    /// Begins in the middle and rises; `period` in seconds.
    case sine(minimum: Number, maximum: Number, period: Double)
    /// One after the other, then the first again.
    case sequence([[UInt8]])
    /// Each number of the range as likely as any other; without a seed the caller's is used.
    case random(minimum: Number, maximum: Number, seed: UInt64?)
  }
}
