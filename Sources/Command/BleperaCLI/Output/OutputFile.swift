package import ArgumentParser
import Glibc

/// A file that a command writes in one step, so that the file is never incomplete.
package struct OutputFile {
  let path: String

  package init(path: String) { self.path = path }

  /// Fails if the file exists, or if its folder cannot be written to. Long commands call this first.
  package func checkIsFree() throws(ExitCode) {
    guard unsafe access(path, F_OK) != 0 else {
      throw CommandFailure.exit("\(path) already exists; choose another file, or remove it")
    }
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    guard unsafe access(folder, W_OK) == 0 else { throw failure }
  }

  /// Creates the file in one step; it must not exist.
  package func create(_ bytes: [UInt8]) throws(ExitCode) {
    let new = "\(path).new-\(getpid())"
    guard let file = unsafe fopen(new, "wx") else { throw failure }
    let count = unsafe fwrite(bytes, 1, bytes.count, file)
    guard unsafe fclose(file) == 0, count == bytes.count, place(new) else {
      let reason = failure
      unsafe unlink(new)
      throw reason
    }
  }

  /// Gives the complete file its name; false on failure.
  private func place(_ new: String) -> Bool {
    if unsafe link(new, path) == 0 { return unsafe unlink(new) == 0 }
    // A file system without hard links needs a rename.
    return unsafe errno == EPERM && access(path, F_OK) != 0 && rename(new, path) == 0
  }

  private var failure: ExitCode {
    CommandFailure.exit("cannot write \(path): \(unsafe String(cString: strerror(errno)))")
  }
}
