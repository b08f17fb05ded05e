import ArgumentParser
import Glibc

/// `--report` of commands that run phones.
struct ReportOptions: ParsableArguments {
  @Option(
    name: .customLong("report"),
    help: ArgumentHelp("Write an HTML page that shows what happened; see 'blepera help report'.", valueName: "file"),
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

/// The file of a page, opened before anything runs, so that one that cannot be written fails at once.
///
/// An older report is overwritten, and no other file.
struct ReportOutput {
  private let path: String
  private let descriptor: CInt

  /// - Parameter path: `-` for standard output, which must not be a terminal.
  init(path: String) throws {
    self.path = path
    if path == "-" {
      descriptor = STDOUT_FILENO
      guard isatty(descriptor) == 0 else {
        throw CommandFailure.exit("a page is not for a terminal; give a file with -o, or redirect the output")
      }
      return
    }
    // A pipe or a terminal may be write-only.
    let opened = unsafe Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0o666)
    descriptor =
      opened < 0 && errno == EACCES ? unsafe Glibc.open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY) : opened
    guard descriptor >= 0 else { throw failure }
    guard isOurs else {
      close(descriptor)
      throw CommandFailure.exit("\(path) exists and is not a report; choose another name")
    }
  }

  func write(_ page: ReportPage) throws {
    if isFile, ftruncate(descriptor, 0) != 0 { throw failure }
    var rest = Array(page.html.utf8)[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw failure }
      rest = rest.dropFirst(count)
    }
    guard path == "-" || close(descriptor) == 0 else { throw failure }
  }

  private var isFile: Bool {
    var status = stat()
    return unsafe path != "-" && fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Whether the file may be overwritten: an empty file, a report, or a special file such as a pipe.
  private var isOurs: Bool {
    guard isFile else { return true }
    var start = [UInt8](repeating: 0, count: ReportPage.beginning.utf8.count)
    let count = unsafe pread(descriptor, &start, start.count, 0)
    return count == 0 || count > 0 && start[..<count].elementsEqual(ReportPage.beginning.utf8)
  }

  private var failure: ExitCode {
    CommandFailure.exit("cannot write '\(path)': \(unsafe String(cString: strerror(errno)))")
  }
}
