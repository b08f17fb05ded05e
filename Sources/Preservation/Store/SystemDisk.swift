import Glibc

/// The file system of this machine.
package struct SystemDisk: Disk {
  package init() {}

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
    // What is no file must not make us wait, as a named pipe would.
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
    try check(fsync(file))
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
    let folder = try open(path, O_RDONLY | O_DIRECTORY)
    defer { _ = Glibc.close(folder) }
    // Some file systems have no such call for folders and say EINVAL.
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
