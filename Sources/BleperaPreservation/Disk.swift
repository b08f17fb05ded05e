import Glibc

/// The file system calls of a store, one method each, so that a test can record each and make it fail.
package protocol Disk: Sendable {
  /// The effective user.
  var user: UInt32 { get }
  /// Does not follow a symbolic link.
  func status(of path: String) throws(DiskError) -> FileStatus
  /// Creates a folder with mode 0700.
  func makeFolder(_ path: String) throws(DiskError)
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

/// What `lstat` returns for a file.
package struct FileStatus: Hashable, Sendable {
  package let isFolder: Bool
  package let owner: UInt32
  /// The lower nine bits of the mode.
  package let permissions: UInt32

  package init(isFolder: Bool, owner: UInt32, permissions: UInt32) {
    self.isFolder = isFolder
    self.owner = owner
    self.permissions = permissions
  }
}

/// The `errno` of a file system call that failed.
package struct DiskError: Error, Hashable, Sendable {
  package let code: CInt

  package init(code: CInt) { self.code = code }

  /// For a call that wrote nothing and did not fail.
  static let noProgress = Self(code: EIO)

  package var isMissing: Bool { code == ENOENT }
  package var reason: String { unsafe String(cString: strerror(code)) }
}

/// The file system of this machine.
///
/// It calls libc because swift-system has none of lstat, mkdir, rename, unlink and fsync.
package struct SystemDisk: Disk {
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
    // Does not block on a named pipe.
    let file = try open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    defer { _ = Glibc.close(file) }
    var info = stat()
    try check(unsafe fstat(file, &info))
    guard info.st_mode & S_IFMT == S_IFREG else {
      throw DiskError(code: info.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL)
    }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe Glibc.read(file, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      try check(CInt(clamping: count))
      if count == 0 { return bytes }
      bytes += chunk[..<count]
    }
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
