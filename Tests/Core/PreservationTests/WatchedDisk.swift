import BleperaPreservation
import Glibc
import Synchronization

/// The machine's file system, with each call noted; from one of the changing calls on all may fail, as when power goes.
final class WatchedDisk: Disk {
  enum Failing: Sendable {
    case never
    /// One call fails, by its number from 0.
    case once(at: Int, code: CInt)
    /// The call with that number and all later calls fail.
    case from(Int)
  }

  let user: UInt32
  private let failing: Failing
  /// The most bytes that one call writes.
  private let writeLimit: Int
  private let noted = Mutex<[String]>([])
  private let disk = SystemDisk()

  /// The calls that change something, without their folder.
  var calls: [String] { noted.withLock { $0 } }

  init(user: UInt32 = geteuid(), failing: Failing = .never, writeLimit: Int = .max) {
    self.user = user
    self.failing = failing
    self.writeLimit = writeLimit
  }

  private func note(_ call: String, _ path: String? = nil) throws(DiskError) {
    let name = path.map { " \($0.split(separator: "/").last ?? "/")" } ?? ""
    let number = noted.withLock { noted in
      noted.append(call + name)
      return noted.count - 1
    }
    switch failing {
    case .once(number, let code): throw DiskError(code: code)
    case .from(let first) where number >= first: throw DiskError(code: EIO)
    case .never, .once, .from: break
    }
  }

  func status(of path: String) throws(DiskError) -> FileStatus { try disk.status(of: path) }
  func read(_ path: String) throws(DiskError) -> [UInt8] { try disk.read(path) }

  func makeFolder(_ path: String) throws(DiskError) {
    try note("makeFolder", path)
    try disk.makeFolder(path)
  }

  func create(_ path: String) throws(DiskError) -> CInt {
    try note("create", path)
    return try disk.create(path)
  }

  func write(_ bytes: ArraySlice<UInt8>, to file: CInt) throws(DiskError) -> Int {
    try note("write")
    return try disk.write(bytes.prefix(writeLimit), to: file)
  }

  func sync(_ file: CInt) throws(DiskError) {
    try note("sync")
    try disk.sync(file)
  }

  /// Closes in any case, as `close` does.
  func close(_ file: CInt) throws(DiskError) {
    try disk.close(file)
    try note("close")
  }

  func rename(_ path: String, to new: String) throws(DiskError) {
    try note("rename", new)
    try disk.rename(path, to: new)
  }

  func remove(_ path: String) throws(DiskError) {
    try note("remove", path)
    try disk.remove(path)
  }

  func syncFolder(_ path: String) throws(DiskError) {
    try note("syncFolder", path)
    try disk.syncFolder(path)
  }
}
