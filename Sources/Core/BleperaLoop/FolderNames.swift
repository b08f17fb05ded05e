import Glibc

/// Lists the entries of a folder.
package enum FolderNames {
  /// The names in no particular order, without `.` and `..`; empty if the folder cannot be read.
  package static func list(_ folder: String) -> [String] { read(folder) ?? [] }

  /// The names; nil if the folder cannot be read.
  package static func read(_ folder: String) -> [String]? {
    guard let directory = unsafe opendir(folder) else { return nil }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) {
        unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}
