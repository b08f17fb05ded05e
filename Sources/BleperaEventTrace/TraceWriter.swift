import BleperaAppLink
import Glibc

/// Writes a trace to a file. Each line is written at once, so that the trace is complete however the process ends; of a
/// pipe that nobody reads, lines are omitted instead (`LineOutput`).
package final class TraceWriter: Sendable {
  package struct Failure: Error, Hashable, CustomStringConvertible {
    package let path: String
    package let reason: String

    package var description: String { "\(path): \(reason)" }
  }

  private let path: String
  private let descriptor: CInt
  private let output: LineOutput
  private let fail: @Sendable (Failure) -> Void

  /// Opens the file, which may be a trace that is overwritten; any other file is refused. A new one is for its user
  /// alone: a trace has every value, and passkeys.
  ///
  /// - Parameter fail: called once, for the first line that cannot be written; later lines are discarded.
  package init(_ path: String, fail: @escaping @Sendable (Failure) -> Void) throws(Failure) {
    let opened = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0o600)
    // A pipe or a terminal may be write-only.
    let file = opened < 0 && errno == EACCES ? unsafe open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY) : opened
    guard file >= 0 else { throw Failure(path: path, reason: Self.text(errno)) }
    guard Self.isOurs(file) else {
      close(file)
      throw Failure(path: path, reason: "the file exists and is not a trace; choose another name")
    }
    var status = stat()
    if unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, ftruncate(file, 0) != 0 {
      let reason = Self.text(errno)
      close(file)
      throw Failure(path: path, reason: reason)
    }
    self.path = path
    self.fail = fail
    descriptor = file
    output = LineOutput(file) { count in
      var record = EventRecord(.eventsOmitted)
      record.time = Timestamp.now.date
      record.count = count
      return record.json
    } failed: { code in
      fail(Failure(path: path, reason: "the trace is incomplete: \(Self.text(code))"))
    }
  }

  deinit { close(descriptor) }

  package func begin(_ header: TraceHeader) { write(header.json) }

  /// - Parameter line: a JSON object.
  package func write(_ line: String) { output.print(line) }

  /// Waits until the last line is written, for two seconds at most.
  package func flush() {
    let count = output.flush()
    if count > 0 { fail(Failure(path: path, reason: "the trace is incomplete: nobody reads it")) }
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
