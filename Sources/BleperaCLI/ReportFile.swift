import ArgumentParser
import Glibc

/// A file that a report is to be written to; opened before the report is there, so that nothing is played for nothing.
struct ReportFile {
  private let path: String
  private let descriptor: CInt

  init(path: String) throws {
    descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    self.path = path
    guard descriptor >= 0 else { throw failure }
  }

  func write(_ text: String) throws {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw failure }
      rest = rest.dropFirst(count)
    }
    guard close(descriptor) == 0 else { throw failure }
  }

  private var failure: ExitCode {
    let reason = unsafe String(cString: strerror(errno))
    let errors = Terminal(.error)
    errors.print("\(errors.styled("error:", .red)) '\(path)' cannot be written: \(reason)")
    return ScenarioRunCommand.faultStatus
  }
}
