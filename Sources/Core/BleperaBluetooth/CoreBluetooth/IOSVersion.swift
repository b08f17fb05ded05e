/// A release of iOS from 10 on; the raw value is its major number, and 16 stands for 16.7. A release without published
/// captures has the values of the previous release.
package enum IOSVersion: Int, Hashable, Codable, CaseIterable, Comparable, Sendable, CustomStringConvertible {
  case ios10 = 10
  case ios11 = 11
  case ios12 = 12
  case ios13 = 13
  case ios14 = 14
  case ios15 = 15
  case ios16 = 16
  case ios17 = 17
  case ios18 = 18
  case ios26 = 26
  case ios27 = 27

  /// The newest release with published captures, and the default.
  package static let newest = IOSVersion.ios26

  package static func < (left: IOSVersion, right: IOSVersion) -> Bool { left.rawValue < right.rawValue }

  /// All versions, for a reader.
  package static let list = "10 to 18, 26 or 27"

  package var description: String { "iOS \(rawValue)" }
}

/// The radio of a phone, which decides where the TX power level is in its packets and how long its data PDUs are.
public enum PhoneKind: String, Hashable, CaseIterable, Sendable {
  /// The phone has no data length, as an iPhone 6s: the ATT_MTU is 185 bytes at most.
  case upTo6s = "6s"
  /// The TX power level follows the flags, as on iPhones from the 7 to the 16.
  case earlier
  /// The phone has Apple's N1, as an iPhone 17: the TX power level comes last and is 0 dBm.
  case n1

  /// The kind of a model, such as `iPhone18,2` for an iPhone 17 Pro Max; nil for a model that is no iPhone.
  package init?(product: String) {
    guard product.hasPrefix("iPhone"), let family = Int(product.dropFirst(6).prefix { $0 != "," }) else { return nil }
    self = family < 9 ? .upTo6s : family < 18 ? .earlier : .n1
  }

  /// The versions of iOS that phones of this kind run: iOS 15 is the last of the iPhone 6s, iOS 26 the first with N1.
  private var range: ClosedRange<IOSVersion> {
    self == .upTo6s ? .ios10 ... .ios15 : self == .n1 ? .ios26 ... .ios27 : .ios10 ... .ios27
  }

  package var versions: String { "\(range.lowerBound) to \(range.upperBound.rawValue)" }

  package func runs(_ version: IOSVersion) -> Bool { range.contains(version) }

  /// The text after the version of a phone of this kind.
  package var suffix: String {
    self == .upTo6s ? ", without data length" : self == .n1 ? ", with Apple's N1" : ""
  }
}
