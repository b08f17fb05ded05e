package import ArgumentParser
import BleperaPreservation
import Glibc

/// A file that a command writes at its end, such as a report, for its user alone. An older file is replaced in one
/// step, and stays if the disk is full. Special files, such as pipes, are written directly.
package struct ReplacedFile {
  /// The path as the user has given it.
  private let name: String
  /// The path without symbolic links.
  private let path: String
  /// The descriptor of a special file; nil for a regular file.
  private let special: CInt?

  /// Fails if the file could not be written. Long commands call this first.
  ///
  /// - Parameter isOurs: whether a file that begins with these bytes, at most 4096, may be replaced.
  package init(_ name: String, isOurs: ([UInt8]) -> Bool = { _ in true }) throws(ExitCode) {
    self.name = name
    var status = stat()
    let exists = unsafe stat(name, &status) == 0
    path = exists ? Self.resolved(name) : name
    guard !exists || status.st_mode & S_IFMT == S_IFREG else {
      // A pipe or a terminal may be write-only.
      let opened = unsafe open(name, O_RDWR | O_CLOEXEC | O_NOCTTY)
      let file = opened < 0 && errno == EACCES ? unsafe open(name, O_WRONLY | O_CLOEXEC | O_NOCTTY) : opened
      guard file >= 0 else { throw Self.failure(name, DiskError(code: errno)) }
      special = file
      return
    }
    special = nil
    do throws(DiskError) {
      guard unsafe !exists || access(path, W_OK) == 0 else { throw DiskError(code: errno) }
      let unfinished = Self.unfinished(path)
      try disk.close(try disk.create(unfinished))
      try disk.remove(unfinished)
    } catch {
      throw Self.failure(name, error)
    }
    guard exists, !isOurs(Self.start(of: path)) else { return }
    throw CommandFailure.exit("\(name) exists and is not a report; choose another name")
  }

  package func write(_ bytes: [UInt8]) throws(ExitCode) {
    do throws(DiskError) {
      guard let special else { return try disk.replace(path, with: bytes, through: Self.unfinished(path)) }
      var rest = bytes[...]
      while !rest.isEmpty { rest = rest.dropFirst(try disk.write(rest, to: special)) }
      try disk.close(special)
    } catch {
      throw Self.failure(name, error)
    }
  }

  /// The path of the unfinished file, in the same folder, with a name that is never too long.
  private static func unfinished(_ path: String) -> String {
    "\(path.lastIndex(of: "/").map { path[...$0] } ?? "").blepera-\(getpid()).new"
  }

  private static func resolved(_ path: String) -> String {
    guard let resolved = unsafe realpath(path, nil) else { return path }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }

  private static func start(of path: String) -> [UInt8] {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return [] }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe read(file, &bytes, bytes.count)
    return Array(bytes.prefix(max(0, count)))
  }

  private static func failure(_ name: String, _ error: DiskError) -> ExitCode {
    CommandFailure.exit("cannot write \(name): \(error.reason)")
  }
}

private let disk = SystemDisk()
