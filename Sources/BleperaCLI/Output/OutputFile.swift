import ArgumentParser
import Glibc

/// A file that a command writes as a whole, so that an existing one is never half overwritten.
struct OutputFile {
  let path: String

  /// Fails if the file exists, or if its folder cannot be written to; for before a long command.
  func checkIsFree() throws(ExitCode) {
    guard unsafe access(path, F_OK) != 0 else {
      throw CommandFailure.exit("\(path) already exists; choose another file, or remove it")
    }
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    guard unsafe access(folder, W_OK) == 0 else { throw failure }
  }

  /// Creates the file, which must not exist.
  func create(_ bytes: [UInt8]) throws(ExitCode) {
    guard let file = unsafe fopen(path, "wx") else { throw failure }
    let count = unsafe fwrite(bytes, 1, bytes.count, file)
    guard unsafe fclose(file) == 0, count == bytes.count else {
      let reason = failure
      unsafe unlink(path)
      throw reason
    }
  }

  /// Writes the file anew in one step.
  func replace(_ bytes: [UInt8]) throws(ExitCode) {
    let new = OutputFile(path: "\(path).new-\(getpid())")
    try new.create(bytes)
    guard unsafe rename(new.path, path) == 0 else {
      let reason = failure
      unsafe unlink(new.path)
      throw reason
    }
  }

  private var failure: ExitCode {
    CommandFailure.exit("cannot write \(path): \(unsafe String(cString: strerror(errno)))")
  }
}
