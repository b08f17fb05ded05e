import TestSupport

/// The profiles of the folder `profiles`.
enum ShippedProfiles {
  static let names = [
    "heart-rate", "smart-lock", "say-something", "nordic-uart", "foreground-only", "five-services", "slow-lock",
    "glucose-meter", "challenge-lock", "lock-remote",
  ]

  /// Profiles in XML, for the tests on bluetoothd.
  static let xmlNames = ["every-kind", "l2cap-echo", "own-rules", "two-includes"]

  static func xml(_ name: String) throws -> [UInt8] { try ProjectFile.bytes("Tests/RealLane/profiles/\(name).plist") }

  static func bytes(_ name: String) throws -> [UInt8] { try ProjectFile.bytes("profiles/\(name).plist") }
}
