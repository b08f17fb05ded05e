import Glibc

/// The chances that a bit of the overflow area, which has 128, does not mean what its reader takes it for.
package enum OverflowChance {
  private static let bits = 128.0

  /// The probability that a bit is set by at least one of so many UUIDs of other apps.
  package static func isSet(byOthers count: Int) -> Double { 1 - pow((bits - 1) / bits, Double(count)) }

  /// The probability that at least two of so many UUIDs have the same bit.
  package static func isShared(among count: Int) -> Double {
    1 - (0..<max(count, 0)).reduce(1.0) { $0 * max(0, 1 - Double($1) / bits) }
  }
}
