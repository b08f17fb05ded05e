import FoundationEssentials

/// A file of the project, for tests of what the repository holds.
package enum ProjectFile {
  /// The folder of `Package.swift`.
  package static let root =
    #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")

  /// Reads a file by its path from the root.
  package static func bytes(_ path: String) throws -> [UInt8] {
    try bytes(at: "\(root)/\(path)")
  }

  /// Reads a file by its absolute path.
  package static func bytes(at path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path))) }

  package static func text(_ path: String) throws -> String { String(decoding: try bytes(path), as: UTF8.self) }

  /// The visible files of a folder, sorted, by their names.
  package static func names(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "\(root)/\(folder)").filter { !$0.hasPrefix(".") }.sorted()
  }
}
