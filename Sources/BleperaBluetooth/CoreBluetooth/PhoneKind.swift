/// The radio of a phone, which decides where the TX power level is in its packets.
public enum PhoneKind: String, Hashable, CaseIterable, Sendable {
  /// With the TX power level behind the flags, as on iPhones up to the 16.
  case earlier
  /// With Apple's N1, as in an iPhone 17: the TX power level comes last and is 0 dBm.
  case n1

  /// Whether phones of this kind run a version of iOS: the first with N1 came with iOS 26.
  package func runs(_ version: IOSVersion) -> Bool { self == .earlier || version >= .ios26 }
}
