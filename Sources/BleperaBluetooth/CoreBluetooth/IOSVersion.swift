/// A release of iOS from 10 on; the raw value is its major number. A release without published captures has the values
/// of the previous release.
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
