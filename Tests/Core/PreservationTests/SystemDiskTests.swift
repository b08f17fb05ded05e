import BleperaPreservation
import BusTesting
import Glibc
import Testing

@Suite("Files are read up to a limit, and written in one step", .timeLimit(.minutes(5)))
struct SystemDiskTests {
  private static let disk = SystemDisk()

  @Test("A file that is longer than the limit is not read, whatever it says of its size")
  func limit() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("0123456789", to: "file")
    #expect(try Self.disk.read(path, atMost: 10) == Array("0123456789".utf8))
    #expect(throws: DiskError(code: EFBIG)) { try Self.disk.read(path, atMost: 9) }
    // The kernel says that this file has no bytes.
    #expect(throws: DiskError(code: EFBIG)) { try Self.disk.read("/proc/self/status", atMost: 9) }
    #expect(unsafe truncate(path, 20 << 30) == 0)
    #expect(throws: DiskError(code: EFBIG)) { try Self.disk.read(path) }
  }

  @Test("A named pipe, a device and a folder are errors at once, and a pipe without a name is read")
  func special() throws {
    let folder = try TemporaryFolder()
    let pipe = "\(folder.path)/pipe"
    try #require(unsafe mkfifo(pipe, 0o600) == 0)
    for path in [pipe, "/dev/null"] {
      #expect(throws: DiskError.special) { try Self.disk.read(path) }
      #expect(throws: DiskError.special) { try Self.disk.read(path, atMost: 9) }
    }
    #expect(throws: DiskError(code: EISDIR)) { try Self.disk.read(folder.path, atMost: 9) }
    var ends: [CInt] = [-1, -1]
    try #require(unsafe Glibc.pipe(&ends) == 0)
    try #require(unsafe Glibc.write(ends[1], "abc", 3) == 3)
    close(ends[1])
    defer { close(ends[0]) }
    #expect(try Self.disk.read("/dev/fd/\(ends[0])", atMost: 3) == Array("abc".utf8))
  }

  @Test("A symbolic link is followed where a user has named the file, and not in a folder of state")
  func links() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("a", to: "file")
    try #require(unsafe symlink(path, "\(folder.path)/link") == 0)
    #expect(try Self.disk.read("\(folder.path)/link", atMost: 9) == Array("a".utf8))
    #expect(throws: DiskError(code: ELOOP)) { try Self.disk.read("\(folder.path)/link") }
  }

  @Test("A file is replaced whole, for its user alone, or stays as it is", arguments: [nil, 0, 1, 2, 3, 4])
  func replacing(failing: Int?) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("older", to: "file")
    let disk = WatchedDisk(failing: failing.map { .once(at: $0, code: ENOSPC) } ?? .never)
    let replace = { try disk.replace(path, with: Array("newer".utf8), through: "\(folder.path)/unfinished") }
    if failing == nil { try replace() } else { #expect(throws: DiskError(code: ENOSPC)) { try replace() } }
    #expect(try Self.disk.read(path) == Array((failing == nil ? "newer" : "older").utf8))
    #expect(TemporaryFolder.names(in: folder.path) == ["file"])
    if failing == nil { #expect(try Self.disk.status(of: path).permissions == 0o600) }
  }

  @Test("A state that is too long is an error")
  func longState() throws {
    let home = try StateHome()
    let store = FilePreservationStore(folder: home.folder)
    try store.save(Samples.full)
    #expect(unsafe truncate(home.folder.state, SystemDisk.longestFile + 1) == 0)
    let failure = PreservationFailure.cannotRead(home.folder.state, reason: "File too large")
    #expect(throws: failure) { try store.load() }
  }

  @Test("A log that is a named pipe is an error at once")
  func log() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/system.log"
    try #require(unsafe mkfifo(path, 0o600) == 0)
    #expect(StateFolder.openLog(path) == -1 && errno == ENXIO)
    let reader = unsafe open(path, O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    #expect(StateFolder.openLog(path) == -1 && errno == ENOTSUP)
    unsafe unlink(path)
    let log = StateFolder.openLog(path)
    #expect(log >= 0)
    close(log)
  }
}
