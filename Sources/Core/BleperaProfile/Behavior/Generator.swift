import BleperaBluetooth
package import BleperaPropertyLists
import Glibc

/// A value that changes at an interval, as a pure function of the number of changes.
///
/// An app notifies the values one after another and leaves none out, as with a timer on iOS: a late notification delays
/// those after it. Only a `sine` is sampled at the time of the notification.
package struct Generator: Hashable, Sendable {
  /// The allowed seconds between two values.
  package static let intervals: ClosedRange<Double> = 0.02...86_400

  /// The encoding of the values.
  package var format: ValueFormat
  /// How the value changes.
  package var shape: Shape
  /// The time between two values.
  package var interval: Duration = .seconds(1)
  /// When the first value is due.
  package var start: Start = .launch
  /// The bytes before each value, such as the flags of a heart rate measurement.
  package var prefix: [UInt8] = []
  /// The digits after the point in a medical float; nil for as many as the number has.
  package var decimals: Int?

  /// The allowed numbers of `decimals`.
  package static let decimalDigits = 0...7

  /// The value after `step` changes; step 0 is the first value. `seed` is for a `random` without a seed of its own.
  package func value(step: UInt64, seed: UInt64) -> [UInt8] {
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
      return prefix + random(minimum: minimum, maximum: maximum, bits: SplitMix64.number(at: step, seed: own ?? seed))
    }
  }
}

extension Generator {
  /// The values of a profile's key `StartsAt`.
  package enum Start: String, CaseIterable, Sendable {
    /// The values go on from the launch of the app, with and without a subscriber.
    case launch
    /// The first value is due an interval after somebody subscribes, again after everybody has left.
    case subscription
  }
}

extension Generator {
  /// How the values follow each other.
  package enum Shape: Hashable, Sendable {
    /// `start`, then `step` more each time. Integers wrap within their format, reals restart at its limit.
    case counter(start: Number, step: Number)
    /// From `minimum` in steps up to `maximum`, then `minimum` again.
    case ramp(minimum: Number, maximum: Number, step: Number)
    /// Starts in the middle, rising; `period` in seconds.
    case sine(minimum: Number, maximum: Number, period: Double)
    /// The values one after the other, repeated.
    case sequence([[UInt8]])
    /// Uniformly distributed in the range; without a seed the caller's is used.
    case random(minimum: Number, maximum: Number, seed: UInt64?)

    /// Whether a notification has the value of its time rather than the next value.
    package var isSampled: Bool {
      if case .sine = self { true } else { false }
    }
  }
}

/// The arithmetic of the shapes, which traps for no step and for no number.
extension Generator {
  /// Whether the arithmetic is exact.
  private func isExact(_ numbers: Number...) -> Bool {
    switch format {
    case .unsigned, .signed: true
    case .utf8: numbers.allSatisfy(\.isInteger)
    case .float32, .float64, .medfloat16, .medfloat32, .hex: false
    }
  }

  private func clamped(_ number: Number) -> Int128 {
    guard let range = format.integerRange else { return 0 }
    return min(max(number.integer, range.lowerBound), range.upperBound)
  }

  private func encode(_ value: Double) -> [UInt8] { format.encode(.real(value), decimals: decimals) }

  private var limit: Double { format.realLimit ?? 0 }

  /// A finite number that the format can hold.
  private func clamped(real number: Number) -> Double {
    let value = number.double
    return value.isNaN ? 0 : min(max(value, -limit), limit)
  }

  func counter(start: Number, increment: Number, step: UInt64) -> [UInt8] {
    guard isExact(start, increment) else {
      let end = increment.double < 0 ? -limit : limit
      return encode(position(from: clamped(real: start), to: end, by: increment.double, step: step))
    }
    // A format's range is a power of two, so that arithmetic modulo 2^64 wraps as the format does.
    let pattern =
      UInt64(truncatingIfNeeded: clamped(start)) &+ UInt64(truncatingIfNeeded: increment.integer) &* step
    return format.encode(pattern: pattern)
  }

  func ramp(minimum: Number, maximum: Number, increment: Number, step: UInt64) -> [UInt8] {
    guard isExact(minimum, maximum, increment) else {
      let low = clamped(real: minimum)
      return encode(position(from: low, to: clamped(real: maximum), by: increment.double, step: step))
    }
    let (low, high, increment) = (clamped(minimum), clamped(maximum), increment.integer)
    guard increment > 0, high > low else { return format.encode(.integer(low)) }
    let count = (high - low) / increment + 1
    return format.encode(.integer(low + Int128(step) % count * increment))
  }

  /// The position of a walk in steps of `increment` that restarts where it would leave the range.
  private func position(from start: Double, to end: Double, by increment: Double, step: UInt64) -> Double {
    guard increment.isFinite, increment != 0 else { return start }
    // Halves, because the difference of two doubles may overflow. The tolerance is for the rounding of the last step.
    let steps = 2 * ((end / 2 - start / 2) / increment) * (1 + 1e-12)
    guard steps >= 0 else { return start }
    let count = steps.rounded(.down) + 1
    let index = count.isFinite ? Double(step).truncatingRemainder(dividingBy: count) : Double(step)
    let value = start + increment * index
    return increment > 0 ? min(value, end) : max(value, end)
  }

  func sine(minimum: Number, maximum: Number, period: Double, step: UInt64) -> [UInt8] {
    let parts = interval.components
    let seconds = Double(parts.seconds) + Double(parts.attoseconds) * 1e-18
    let turns = period > 0 ? (Double(step) * seconds / period).truncatingRemainder(dividingBy: 1) : 0
    let height = turns.isFinite ? sin(2 * Double.pi * turns) : 0
    if isExact(minimum, maximum) {
      let (low, high) = (clamped(minimum), clamped(maximum))
      let value = Double(low) / 2 + Double(high) / 2 + (Double(high) / 2 - Double(low) / 2) * height
      return format.encode(.integer(min(max(Int128(value.rounded()), low), max(low, high))))
    }
    let (low, high) = (clamped(real: minimum), clamped(real: maximum))
    return encode(min(max(low / 2 + high / 2 + (high / 2 - low / 2) * height, low), max(low, high)))
  }

  func random(minimum: Number, maximum: Number, bits: UInt64) -> [UInt8] {
    if isExact(minimum, maximum) {
      let (low, high) = (clamped(minimum), clamped(maximum))
      guard high > low else { return format.encode(.integer(low)) }
      let product = UInt128(bits) * UInt128(high - low + 1)
      return format.encode(.integer(low + Int128(product >> 64)))
    }
    let (low, high) = (clamped(real: minimum), clamped(real: maximum))
    let part = Double(bits >> 11) * 0x1p-53
    return encode(low * (1 - part) + high * part)
  }
}
