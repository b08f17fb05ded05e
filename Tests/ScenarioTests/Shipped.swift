import Glibc

/// Files of the project.
enum Shipped {
  private struct Unreadable: Error {
    let path: String
  }

  /// By its path from the project's root.
  static func text(_ path: String) throws -> String {
    let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
    guard let file = unsafe fopen("\(root)/\(path)", "r") else { throw Unreadable(path: path) }
    defer { unsafe fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = unsafe fread(&buffer, 1, buffer.count, file)
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += buffer[..<count]
    }
  }
}
