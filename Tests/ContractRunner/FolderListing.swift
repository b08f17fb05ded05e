import BlueZContract
import Glibc

/// The names in a folder, without the two dots.
struct FolderListing {
  let names: [String]

  init(_ path: String) throws {
    guard let folder = unsafe opendir(path) else { throw ContractFailure("\(path) cannot be read") }
    defer { unsafe closedir(folder) }
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) {
        unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    self.names = names
  }
}
