import Glibc

/// The names of what a folder contains.
package enum FolderNames {
  /// In no order, without `.` and `..`; none if the folder cannot be read.
  package static func list(_ folder: String) -> [String] { read(folder) ?? [] }

  /// Nil if the folder cannot be read.
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
