import BleperaLoop
import Glibc

/// A new empty folder, removed with all in it when the last reference goes.
package final class TemporaryFolder: Sendable {
  package struct Failure: Error {
    package let code: CInt

    package init(code: CInt) { self.code = code }
  }

  package let path: String

  package init() throws {
    var template = Array("/tmp/blepera-test-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw Failure(code: errno) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { Self.remove(path) }

  package func write(_ text: String, to name: String) throws -> String {
    let file = "\(path)/\(name)"
    guard let stream = unsafe fopen(file, "w") else { throw Failure(code: errno) }
    unsafe fputs(text, stream)
    unsafe fclose(stream)
    return file
  }

  /// The names in any folder, in no order; none where it cannot be opened.
  package static func names(in folder: String) -> [String] { FolderNames.list(folder) }

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
