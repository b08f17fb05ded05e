import Glibc
import Preservation

/// A new empty folder for XDG_STATE_HOME, removed with all in it when the last reference goes.
final class StateHome: Sendable {
  let path: String
  let folder: StateFolder

  init() throws {
    var template = Array("/tmp/blepera-test-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw DiskError(code: errno) }
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    self.path = path
    folder = try StateFolder(name: "default", environment: { ["XDG_STATE_HOME": path][$0] })
  }

  deinit { Self.remove(path) }

  func write(_ bytes: [UInt8], to file: String) throws {
    let disk = SystemDisk()
    let opened = try disk.create(file)
    _ = try disk.write(bytes[...], to: opened)
    try disk.close(opened)
  }

  /// The names in the system's folder, sorted.
  func names() -> [String] { Self.names(in: folder.path).sorted() }

  private static func names(in folder: String) -> [String] {
    guard let stream = unsafe opendir(folder) else { return [] }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) {
        unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  private static func remove(_ path: String) {
    var info = stat()
    guard unsafe lstat(path, &info) == 0 else { return }
    guard info.st_mode & S_IFMT == S_IFDIR else {
      unsafe unlink(path)
      return
    }
    for name in names(in: path) { remove("\(path)/\(name)") }
    unsafe rmdir(path)
  }
}
