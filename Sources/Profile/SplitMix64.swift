/// The generator of Steele, Lea and Flood (2014), whose n-th number can be had without those before it.
enum SplitMix64 {
  static func value(at step: UInt64, seed: UInt64) -> UInt64 {
    var bits = seed &+ (step &+ 1) &* 0x9E37_79B9_7F4A_7C15
    bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
    return bits ^ bits >> 31
  }
}
