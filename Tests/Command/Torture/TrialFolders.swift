import BleperaEventLoop
import BleperaLoop
import Glibc

/// The folders of all trials: one in memory where possible, which is fast, and one on disk, where a save takes longer.
///
/// A shell removes both folders when this process ends in any way, after it has killed the processes whose
/// XDG_STATE_HOME is in one of them.
final class TrialFolders: Sendable {
  let memory: String
  let disk: String
  private let writer: CInt
  private let shell: ChildProcess

  init() throws {
    memory = try Self.makeFolder(in: ["/dev/shm", "/tmp"])
    disk = try Self.makeFolder(in: ["/var/tmp", "/tmp"])
    guard let pipe = DataPipe() else { throw TrialFailure("no pipe can be opened") }
    shell = try ChildProcess(
      ["sh", "-c", Self.script, memory, disk], streams: .init(input: pipe.reader), inNewSession: true)
    writer = fcntl(pipe.writer, F_DUPFD_CLOEXEC, 0)
  }

  /// Returns when the shell has removed both.
  func close() {
    Glibc.close(writer)
    shell.wait()
  }

  private static func makeFolder(in parents: [String]) throws -> String {
    for parent in parents {
      var template = Array("\(parent)/blepera-torture-XXXXXX".utf8CString)
      guard unsafe mkdtemp(&template) != nil else { continue }
      return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    throw TrialFailure("no folder can be made in \(parents.joined(separator: " or "))")
  }

  private static let script = """
    exec 2>/dev/null
    cat >/dev/null
    while found=$(grep -la -e "XDG_STATE_HOME=$0/" -e "XDG_STATE_HOME=$1/" /proc/[0-9]*/environ) || [ -n "$found" ]; do
      for file in $found; do
        process=${file#/proc/}
        kill -s KILL "${process%/environ}"
      done
    done
    rm -rf "$0" "$1"
    """
}
