import Glibc

/// The file system calls of a store, one method each, so that a test can record each and make it fail.
package protocol Disk: Sendable {
  /// The effective user.
  var user: UInt32 { get }
  /// Does not follow a symbolic link.
  func status(of path: String) throws(DiskError) -> FileStatus
  /// Creates a folder with mode 0700.
  func makeFolder(_ path: String) throws(DiskError)
  /// Reads a file of at most `longestFile` bytes; does not follow a symbolic link.
  func read(_ path: String) throws(DiskError) -> [UInt8]
  /// Creates a file with mode 0600 and opens it for writing; fails where the path exists.
  func create(_ path: String) throws(DiskError) -> CInt
  /// Returns the number of bytes written.
  func write(_ bytes: ArraySlice<UInt8>, to file: CInt) throws(DiskError) -> Int
  func sync(_ file: CInt) throws(DiskError)
  func close(_ file: CInt) throws(DiskError)
  func rename(_ path: String, to new: String) throws(DiskError)
  func remove(_ path: String) throws(DiskError)
  func syncFolder(_ path: String) throws(DiskError)
}

extension Disk {
  /// Replaces a file in one step: whoever opens it has the former bytes or all of the new ones, also where the disk is
  /// full. Only its user can read it.
  ///
  /// - Parameter unfinished: a path in the same folder, which must not exist, and does not afterwards.
  package func replace(
    _ path: String, with bytes: [UInt8], through unfinished: String
  ) throws(DiskError) {
    let file = try create(unfinished)
    do throws(DiskError) {
      try write(bytes, toNew: file)
      try rename(unfinished, to: path)
    } catch {
      try? remove(unfinished)
      throw error
    }
  }

  private func write(_ bytes: [UInt8], toNew file: CInt) throws(DiskError) {
    do throws(DiskError) {
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = try write(rest, to: file)
        guard count > 0 else { throw .noProgress }
        rest = rest.dropFirst(count)
      }
      try sync(file)
    } catch {
      try? close(file)
      throw error
    }
    try close(file)
  }
}

/// The attributes of a file, from `lstat`.
package struct FileStatus: Hashable, Sendable {
  package let isFolder: Bool
  package let owner: UInt32
  /// The lower nine bits of the mode.
  package let permissions: UInt32
}

/// The `errno` of a file system call that failed.
package struct DiskError: Error, Hashable, Sendable {
  package let code: CInt

  package init(code: CInt) { self.code = code }

  /// The path is neither a file nor a folder, but such as a named pipe, whose end may never come.
  package static let special = Self(code: ENOTSUP)
  /// The call wrote nothing and did not fail.
  static let noProgress = Self(code: EIO)

  package var isMissing: Bool { code == ENOENT }
  package var reason: String { self == .special ? "not a file" : unsafe String(cString: strerror(code)) }
}

/// The file system of this machine.
///
/// `SystemDisk` calls libc because swift-system has none of lstat, mkdir, rename, unlink and fsync.
package struct SystemDisk: Disk {
  /// The maximum length of a state file, in bytes; a longer file is neither read nor written.
  package static let longestFile = 64 << 20

  private let syncs: Bool

  /// - Parameter syncs: whether what was written has to survive a loss of power.
  package init(syncs: Bool = true) { self.syncs = syncs }

  package var user: UInt32 { geteuid() }

  package func status(of path: String) throws(DiskError) -> FileStatus {
    var info = stat()
    try check(unsafe lstat(path, &info))
    return FileStatus(
      isFolder: info.st_mode & S_IFMT == S_IFDIR, owner: info.st_uid, permissions: info.st_mode & 0o777)
  }

  package func makeFolder(_ path: String) throws(DiskError) {
    try check(unsafe mkdir(path, 0o700))
  }

  package func read(_ path: String) throws(DiskError) -> [UInt8] {
    try read(path, atMost: Self.longestFile, O_NOFOLLOW)
  }

  /// Reads a file that a user has named, also through a symbolic link or from a pipe without a name, such as a shell's.
  ///
  /// - Parameter limit: in bytes; EFBIG for more.
  package func read(_ path: String, atMost limit: Int) throws(DiskError) -> [UInt8] {
    try read(path, atMost: limit, 0)
  }

  private func read(_ path: String, atMost limit: Int, _ flags: CInt) throws(DiskError) -> [UInt8] {
    // Opening does not block on a named pipe.
    let file = try open(path, O_RDONLY | O_NONBLOCK | flags)
    defer { _ = Glibc.close(file) }
    var info = stat()
    try check(unsafe fstat(file, &info))
    switch info.st_mode & S_IFMT {
    case S_IFREG: guard info.st_size <= limit else { throw DiskError(code: EFBIG) }
    case S_IFIFO where flags & O_NOFOLLOW == 0 && Self.isNameless(file): _ = fcntl(file, F_SETFL, 0)
    case S_IFDIR: throw DiskError(code: EISDIR)
    default: throw .special
    }
    return try read(file, atMost: limit)
  }

  /// Reads standard input, whatever it is, to its end.
  ///
  /// - Parameter limit: in bytes; EFBIG for more.
  package func readInput(atMost limit: Int) throws(DiskError) -> [UInt8] {
    try read(STDIN_FILENO, atMost: limit)
  }

  private func read(_ file: CInt, atMost limit: Int) throws(DiskError) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe Glibc.read(file, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      try check(CInt(clamping: count))
      if count == 0 { return bytes }
      bytes += chunk[..<count]
      // The file may grow, and some files of the kernel have no size.
      if bytes.count > limit { throw DiskError(code: EFBIG) }
    }
  }

  /// Whether a pipe is in no folder; the kernel calls it `pipe:[NUMBER]`.
  private static func isNameless(_ pipe: CInt) -> Bool {
    var target = [CChar](repeating: 0, count: 6)
    return unsafe readlink("/proc/self/fd/\(pipe)", &target, target.count) == 6
      && target.elementsEqual("pipe:[".utf8.map { CChar($0) })
  }

  package func create(_ path: String) throws(DiskError) -> CInt {
    try open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
  }

  package func write(_ bytes: ArraySlice<UInt8>, to file: CInt) throws(DiskError) -> Int {
    while true {
      let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      try check(CInt(clamping: count))
      return count
    }
  }

  package func sync(_ file: CInt) throws(DiskError) {
    if syncs { try check(fsync(file)) }
  }

  package func close(_ file: CInt) throws(DiskError) {
    try check(Glibc.close(file))
  }

  package func rename(_ path: String, to new: String) throws(DiskError) {
    try check(unsafe Glibc.rename(path, new))
  }

  package func remove(_ path: String) throws(DiskError) {
    try check(unsafe unlink(path))
  }

  package func syncFolder(_ path: String) throws(DiskError) {
    guard syncs else { return }
    let folder = try open(path, O_RDONLY | O_DIRECTORY)
    defer { _ = Glibc.close(folder) }
    // Some file systems cannot sync folders and return EINVAL.
    if fsync(folder) != 0, errno != EINVAL { throw DiskError(code: errno) }
  }

  private func open(_ path: String, _ flags: CInt) throws(DiskError) -> CInt {
    let file = unsafe Glibc.open(path, flags | O_CLOEXEC, 0o600)
    try check(file)
    return file
  }

  private func check(_ result: CInt) throws(DiskError) {
    guard result >= 0 else { throw DiskError(code: errno) }
  }
}
