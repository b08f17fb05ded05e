import Glibc

/// The loss that other phones cause, where nobody requests scan responses.
package enum Collisions {
  /// The probability that a packet of a phone overlaps with a packet of another one: packets begin at random, and the
  /// random delay makes the mean interval longer by its half.
  ///
  /// - Parameters:
  ///   - phones: how many phones there are, each with packets of that length.
  ///   - length: the time of a packet on the air, in microseconds.
  ///   - interval: the advertising interval, in microseconds.
  ///   - delay: the maximum of the random delay, in microseconds.
  package static func loss(phones: Int, length: Int, interval: Int, delay: Int = 10_000) -> Double {
    1 - exp(-2 * Double(max(phones - 1, 0)) * Double(length) / (Double(interval) + Double(delay) / 2))
  }
}
