import EventLoop
import Glibc

/// A folder for all that trials make, in memory where there is such a place.
///
/// A shell holds it: when this process ends, in whatever way, it kills what was started with a folder in there as its
/// state's home, and removes the folder.
final class Leash: Sendable {
  let folder: String
  private let writer: CInt
  private let shell: ChildProcess

  init() throws {
    folder = try Self.makeFolder()
    guard let pipe = DataPipe() else { throw TrialFailure("no pipe can be opened") }
    shell = try ChildProcess(["sh", "-c", Self.script, folder], streams: .init(input: pipe.reader), isApart: true)
    writer = fcntl(pipe.writer, F_DUPFD_CLOEXEC, 0)
  }

  /// Both are done when this returns.
  func close() {
    Glibc.close(writer)
    shell.wait()
  }

  private static func makeFolder() throws -> String {
    for parent in ["/dev/shm", "/tmp"] {
      var template = Array("\(parent)/blepera-torture-XXXXXX".utf8CString)
      guard unsafe mkdtemp(&template) != nil else { continue }
      return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    throw TrialFailure("no folder can be made in /tmp")
  }

  private static let script = """
    exec 2>/dev/null
    cat >/dev/null
    while found=$(grep -la "XDG_STATE_HOME=$0/" /proc/[0-9]*/environ) || [ -n "$found" ]; do
      for file in $found; do
        process=${file#/proc/}
        kill -s KILL "${process%/environ}"
      done
    done
    rm -rf "$0"
    """
}
