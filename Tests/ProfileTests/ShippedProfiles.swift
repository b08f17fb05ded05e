import TestSupport

/// The profiles of the folder `profiles`.
enum ShippedProfiles {
  static let names = [
    "heart-rate", "smart-lock", "say-something", "nordic-uart", "foreground-only", "five-services", "slow-lock",
    "glucose-meter", "challenge-lock",
  ]

  static func bytes(_ name: String) throws -> [UInt8] { try ProjectFile.bytes("profiles/\(name).plist") }
}
