import Glibc
import Synchronization

/// Writes a trace to a file. Each line is written at once, so that the trace is complete however the process ends.
package final class TraceWriter: Sendable {
  package struct Failure: Error, Hashable, CustomStringConvertible {
    package let path: String
    package let reason: String

    package var description: String { "\(path): \(reason)" }
  }

  private let path: String
  private let fail: @Sendable (Failure) -> Void
  /// Nil once writing has failed.
  private let descriptor: Mutex<CInt?>

  /// Opens the file, which may be a trace that is overwritten; any other file is refused.
  ///
  /// - Parameter fail: called once, for the first line that cannot be written; later lines are discarded.
  package init(_ path: String, fail: @escaping @Sendable (Failure) -> Void) throws(Failure) {
    self.path = path
    self.fail = fail
    let opened = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0o644)
    // A pipe or a terminal may be write-only.
    let file = opened < 0 && errno == EACCES ? unsafe open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY) : opened
    guard file >= 0 else { throw Failure(path: path, reason: Self.text(errno)) }
    descriptor = Mutex(file)
    guard Self.isOurs(file) else {
      close(file)
      descriptor.withLock { $0 = nil }
      throw Failure(path: path, reason: "the file exists and is not a trace; choose another name")
    }
    var status = stat()
    if unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, ftruncate(file, 0) != 0 {
      let reason = Self.text(errno)
      close(file)
      descriptor.withLock { $0 = nil }
      throw Failure(path: path, reason: reason)
    }
  }

  deinit { if let file = descriptor.withLock({ $0 }) { close(file) } }

  package func begin(_ header: TraceHeader) { write(header.json) }

  /// - Parameter line: a JSON object.
  package func write(_ line: String) {
    let failure = descriptor.withLock { descriptor -> Failure? in
      guard let file = descriptor else { return nil }
      var rest = Array((line + "\n").utf8)[...]
      while !rest.isEmpty {
        let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else {
          let reason = Self.text(errno)
          close(file)
          descriptor = nil
          return Failure(path: path, reason: "the trace is incomplete: \(reason)")
        }
        rest = rest.dropFirst(count)
      }
      return nil
    }
    if let failure { fail(failure) }
  }

  /// Whether the file may be overwritten: an empty file, a trace, or a special file such as a pipe.
  private static func isOurs(_ file: CInt) -> Bool {
    var status = stat()
    guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else { return true }
    var start = [UInt8](repeating: 0, count: 1 << 16)
    let count = unsafe pread(file, &start, start.count, 0)
    guard count > 0 else { return false }
    return TraceFile.isHeader(start[..<count].prefix { $0 != UInt8(ascii: "\n") })
  }

  private static func text(_ code: CInt) -> String { unsafe String(cString: strerror(code)) }
}
