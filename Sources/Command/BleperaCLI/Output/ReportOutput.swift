import ArgumentParser
import Glibc

/// The file of a page, which may replace an older report but no other file.
package struct ReportOutput {
  /// The file; nil for standard output.
  private let file: ReplacedFile?

  /// - Parameters:
  ///   - path: `-` for standard output, which must not be a terminal.
  ///   - beginning: the bytes by which a file is recognized as a report.
  package init(path: String, replacing beginning: String) throws {
    guard path == "-" else {
      file = try ReplacedFile(path) { start in start.starts(with: beginning.utf8) || start.isEmpty }
      return
    }
    guard isatty(STDOUT_FILENO) == 0 else {
      throw CommandFailure.exit("a page is not printed on a terminal; give a file with -o, or redirect the output")
    }
    file = nil
  }

  package func write(html: String) throws {
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
