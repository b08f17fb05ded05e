import Glibc

/// A new empty folder, removed with its files when the last reference goes.
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

  deinit {
    if let folder = unsafe opendir(path) {
      while let entry = unsafe readdir(folder) {
        let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) {
          unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        if name != ".", name != ".." { unsafe unlink("\(path)/\(name)") }
      }
      unsafe closedir(folder)
    }
    unsafe rmdir(path)
  }

  package func write(_ text: String, to name: String) throws -> String {
    let file = "\(path)/\(name)"
    guard let stream = unsafe fopen(file, "w") else { throw Failure(code: errno) }
    unsafe fputs(text, stream)
    unsafe fclose(stream)
    return file
  }
}
