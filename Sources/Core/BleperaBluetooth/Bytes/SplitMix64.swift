/// A seeded generator (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
package struct SplitMix64: RandomNumberGenerator, Sendable {
  private static let increment: UInt64 = 0x9E37_79B9_7F4A_7C15
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= Self.increment
    return Self.mixed(state)
  }

  /// The number that `next` returns after `index` others, without computing those.
  package static func number(at index: UInt64, seed: UInt64) -> UInt64 {
    mixed(seed &+ (index &+ 1) &* increment)
  }

  /// The output function: a permutation of the 64-bit numbers.
  package static func mixed(_ state: UInt64) -> UInt64 {
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
