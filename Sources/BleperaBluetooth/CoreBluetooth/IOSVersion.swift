/// A release of iOS that has a rule set; the raw value is its major number.
package enum IOSVersion: Int, Hashable, Codable, CaseIterable, Comparable, Sendable, CustomStringConvertible {
  case ios11 = 11
  case ios13 = 13
  case ios14 = 14
  case ios18 = 18
  case ios26 = 26

  package static let newest = IOSVersion.ios26

  package static func < (left: IOSVersion, right: IOSVersion) -> Bool { left.rawValue < right.rawValue }

  package var description: String { "iOS \(rawValue)" }
}
