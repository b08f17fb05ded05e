import Glibc
import Testing

/// The profiles of the folder `profiles`.
enum Shipped {
  static let names = [
    "heart-rate", "smart-lock", "say-something", "nordic-uart", "foreground-only", "five-services", "slow-lock",
  ]

  static func bytes(_ name: String) throws -> [UInt8] { try file("profiles/\(name).plist") }

  /// A file of the project, by its path from the project's root.
  static func file(_ name: String) throws -> [UInt8] {
    let here = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
    let path = "\(here)/\(name)"
    guard let file = unsafe fopen(path, "r") else {
      Issue.record("cannot open \(path)")
      return []
    }
    defer { unsafe fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = unsafe fread(&buffer, 1, buffer.count, file)
      guard count > 0 else { return bytes }
      bytes += buffer[..<count]
    }
  }
}
