import ArgumentParser
import BleperaReport
import Glibc

/// `--report` of commands that run phones.
struct ReportOptions: ParsableArguments {
  @Option(
    name: .customLong("report"),
    help: ArgumentHelp("Write an HTML page; see 'blepera help report'.", valueName: "file"),
    completion: .page)
  var path: String?

  func validate() throws {
    if path == "-" { throw ValidationError("'--report' writes a file; standard output has the command's own.") }
  }

  /// Returns nil if no report is written.
  func open() throws -> ReportOutput? {
    try path.map { try ReportOutput(path: $0) }
  }
}

/// The file of a page. An older report is replaced, and no other file.
struct ReportOutput {
  /// Nil for standard output.
  private let file: ReplacedFile?

  /// - Parameter path: `-` for standard output, which must not be a terminal.
  init(path: String) throws {
    guard path == "-" else {
      file = try ReplacedFile(path) { start in
        start.starts(with: ReportPage.beginning.utf8) || start.isEmpty
      }
      return
    }
    guard isatty(STDOUT_FILENO) == 0 else {
      throw CommandFailure.exit("a page is not for a terminal; give a file with -o, or redirect the output")
    }
    file = nil
  }

  func write(_ page: ReportPage) throws { try write(html: page.html) }

  func write(html: String) throws {
    let bytes = Array(html.utf8)
    guard let file else { return try Self.write(bytes) }
    try file.write(bytes)
  }

  private static func write(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        throw CommandFailure.exit("cannot write to standard output: \(unsafe String(cString: strerror(errno)))")
      }
      rest = rest.dropFirst(count)
    }
  }
}
