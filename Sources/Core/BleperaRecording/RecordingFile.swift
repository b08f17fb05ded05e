import Glibc

/// Why a recording cannot be written.
package struct RecordingFailure: Error, Hashable, CustomStringConvertible {
  package let path: String
  package let reason: String

  package var description: String { "\(path): \(reason)" }
}

/// A file that a command writes while it runs.
enum RecordingFile {
  /// Opens an empty file that only its user can read, or overwrites one of the same kind; any other file is refused.
  /// Special files, such as pipes, are opened as they are.
  ///
  /// - Parameters:
  ///   - kind: what the file is, with its article.
  ///   - isOurs: whether a file that starts with these bytes is of that kind.
  static func open(
    _ path: String, kind: String, isOurs: ([UInt8]) -> Bool
  ) throws(RecordingFailure) -> CInt {
    let opened = unsafe Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0o600)
    let code = errno
    // A pipe or a terminal may be write-only.
    let file = opened < 0 && code == EACCES ? unsafe Glibc.open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY) : opened
    guard file >= 0 else { throw RecordingFailure(path: path, reason: text(code)) }
    var status = stat()
    guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return file }
    guard status.st_size == 0 || isOurs(start(of: file)) else {
      close(file)
      throw RecordingFailure(path: path, reason: "the file exists and is not \(kind); choose another name")
    }
    guard ftruncate(file, 0) == 0 else {
      let reason = text(errno)
      close(file)
      throw RecordingFailure(path: path, reason: reason)
    }
    // Where the file is another user's, it stays as it is.
    fchmod(file, 0o600)
    return file
  }

  private static func start(of file: CInt) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = unsafe pread(file, &bytes, bytes.count, 0)
    return Array(bytes.prefix(max(0, count)))
  }

  static func text(_ code: CInt) -> String { unsafe String(cString: strerror(code)) }
}
