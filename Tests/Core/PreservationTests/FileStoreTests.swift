import Glibc
import Testing

@testable import BleperaPreservation

@Suite("The preserved state on disk")
struct FileStoreTests {
  private static let saving = ["create state.json.new", "write", "sync", "close"]
  private static let placing = ["rename state.json", "syncFolder default"]

  private func status(_ path: String) throws -> FileStatus { try SystemDisk().status(of: path) }

  @Test("Only its user can enter the folders and read the file")
  func modes() throws {
    let home = try StateHome()
    try FilePreservationStore(folder: home.folder).save(Samples.full)
    for folder in ["\(home.path)/blepera", home.folder.path, home.folder.apps] {
      #expect(try status(folder) == FileStatus(isFolder: true, owner: geteuid(), permissions: 0o700))
    }
    #expect(try status(home.folder.state) == FileStatus(isFolder: false, owner: geteuid(), permissions: 0o600))
    #expect(home.names() == ["apps", "state.json"])
  }

  @Test("A file is written beside, synced, renamed, and its folder synced; new folders are synced where they stand")
  func calls() throws {
    let home = try StateHome()
    let first = WatchedDisk()
    try FilePreservationStore(folder: home.folder, disk: first).save(Samples.full)
    let folders = [
      "makeFolder blepera", "syncFolder \(home.path.split(separator: "/").last ?? "")", "makeFolder default",
      "syncFolder blepera", "makeFolder apps", "syncFolder default",
    ]
    #expect(first.calls == folders + Self.saving + Self.placing)
    let second = WatchedDisk()
    try FilePreservationStore(folder: home.folder, disk: second).save(Samples.full)
    #expect(second.calls == Self.saving + Self.placing)
  }

  @Test("What is written piece by piece is written whole")
  func pieces() throws {
    let home = try StateHome()
    try FilePreservationStore(folder: home.folder, disk: WatchedDisk(writeLimit: 100)).save(Samples.full)
    #expect(try FilePreservationStore(folder: home.folder).load() == LoadedState(state: Samples.full))
  }

  @Test("A disk that writes nothing is an error, not a wait")
  func nothingWritten() throws {
    let home = try StateHome()
    let store = FilePreservationStore(folder: home.folder, disk: WatchedDisk(writeLimit: 0))
    #expect(throws: PreservationFailure.cannotWrite(home.folder.state, reason: "Input/output error")) {
      try store.save(Samples.full)
    }
  }

  @Test(
    "Whatever call fails, the error says so, the state before stays, and nothing is left over",
    arguments: 0...4, [ENOSPC, EROFS, EACCES])
  func failure(call: Int, code: CInt) throws {
    let home = try StateHome()
    try FilePreservationStore(folder: home.folder).save(VersionSix.state)
    let disk = WatchedDisk(failing: .once(at: call, code: code))
    let store = FilePreservationStore(folder: home.folder, disk: disk)
    let path = home.folder.state
    let failure = PreservationFailure.cannotWrite(path, reason: DiskError(code: code).reason)
    #expect(throws: failure) { try store.save(Samples.full) }
    #expect(
      failure.description.hasPrefix(
        "\(path) cannot be written: \(DiskError(code: code).reason); the state saved before"))
    #expect(home.names() == ["apps", "state.json"])
    #expect(try store.load() == LoadedState(state: VersionSix.state))
    try store.save(Samples.full)
    #expect(try store.load() == LoadedState(state: Samples.full))
  }

  @Test("A folder that cannot be synced is said, and the new state is there")
  func notSynced() throws {
    let home = try StateHome()
    try FilePreservationStore(folder: home.folder).save(VersionSix.state)
    let disk = WatchedDisk(failing: .once(at: 5, code: EIO))
    #expect(throws: PreservationFailure.cannotSync(home.folder.state, reason: "Input/output error")) {
      try FilePreservationStore(folder: home.folder, disk: disk).save(Samples.full)
    }
    #expect(try FilePreservationStore(folder: home.folder).load() == LoadedState(state: Samples.full))
  }

  @Test("Ended anywhere within a save, it leaves the state before or the new one, whole", arguments: 0...7)
  func ended(call: Int) throws {
    let home = try StateHome()
    try FilePreservationStore(folder: home.folder).save(VersionSix.state)
    let disk = WatchedDisk(failing: .from(call), writeLimit: 1_000)
    try? FilePreservationStore(folder: home.folder, disk: disk).save(Samples.full)
    let isNew = disk.calls.firstIndex(of: "rename state.json").map { $0 < call } ?? false
    let state = isNew ? Samples.full : VersionSix.state
    #expect(try FilePreservationStore(folder: home.folder).load() == LoadedState(state: state))
    #expect(home.names() == ["apps", "state.json"])
  }

  @Test("An unfinished file of a killed system is removed by whoever loads, and not by whoever only looks")
  func unfinished() throws {
    let home = try StateHome()
    let store = FilePreservationStore(folder: home.folder)
    try store.save(Samples.full)
    try home.write([1, 2, 3], to: "\(home.folder.state).new")
    #expect(try store.read() == Samples.full)
    #expect(home.names() == ["apps", "state.json", "state.json.new"])
    #expect(try store.load() == LoadedState(state: Samples.full))
    #expect(home.names() == ["apps", "state.json"])
  }

  @Test("An unfinished file that cannot be removed is an error with its path")
  func notRemoved() throws {
    let home = try StateHome()
    try home.folder.prepare()
    try home.write([1], to: "\(home.folder.state).new")
    let failure = PreservationFailure.cannotWrite("\(home.folder.state).new", reason: "Read-only file system")
    let store = { FilePreservationStore(folder: home.folder, disk: WatchedDisk(failing: .once(at: 0, code: EROFS))) }
    #expect(throws: failure) { try store().load() }
    #expect(throws: failure) { try store().save(Samples.full) }
  }

  @Test("Loading a whole state changes nothing")
  func unchanged() throws {
    let home = try StateHome()
    try FilePreservationStore(folder: home.folder).save(Samples.full)
    let disk = WatchedDisk()
    #expect(try FilePreservationStore(folder: home.folder, disk: disk).load() == LoadedState(state: Samples.full))
    #expect(disk.calls == [])
  }

  @Test("Whoever only looks gets the damage as an error, and changes nothing")
  func looking() throws {
    let home = try StateHome()
    let store = FilePreservationStore(folder: home.folder)
    #expect(try store.read() == PreservedState())
    try home.folder.prepare()
    try home.write([1], to: home.folder.state)
    let failure = PreservationFailure.corrupt(home.folder.state, .truncated(length: 1))
    #expect(throws: failure) { try store.read() }
    #expect(home.names() == ["apps", "state.json"])
  }

  @Test("Looking for a state makes no folder")
  func nothingMade() throws {
    let home = try StateHome()
    #expect(try FilePreservationStore(folder: home.folder).load().state == PreservedState())
    #expect(throws: DiskError(code: ENOENT)) { try status("\(home.path)/blepera") }
  }

  @Test("A damaged file takes the first name that nothing has")
  func firstFree() throws {
    let home = try StateHome()
    try home.folder.prepare()
    for name in ["state.json.damaged-1", "state.json.damaged-3", "state.json"] {
      try home.write(Array(name.utf8), to: "\(home.folder.path)/\(name)")
    }
    let loaded = try FilePreservationStore(folder: home.folder).load()
    #expect(loaded.quarantined?.kept == "\(home.folder.state).damaged-2")
    #expect(try SystemDisk().read("\(home.folder.state).damaged-2") == Array("state.json".utf8))
    #expect(try SystemDisk().read("\(home.folder.state).damaged-1") == Array("state.json.damaged-1".utf8))
  }

  @Test("A damaged file that cannot be set aside is an error, and stays")
  func notSetAside() throws {
    let home = try StateHome()
    try home.folder.prepare()
    try home.write([1], to: home.folder.state)
    let disk = WatchedDisk(failing: .once(at: 0, code: EROFS))
    #expect(throws: PreservationFailure.cannotWrite(home.folder.state, reason: "Read-only file system")) {
      try FilePreservationStore(folder: home.folder, disk: disk).load()
    }
    #expect(try SystemDisk().read(home.folder.state) == [1])
  }

  @Test("What is no file is not read: a link, a folder, a named pipe", arguments: ["link", "folder", "pipe"])
  func noFile(kind: String) throws {
    let home = try StateHome()
    try home.folder.prepare()
    let made =
      switch kind {
      case "link": unsafe symlink("/dev/null", home.folder.state)
      case "folder": unsafe mkdir(home.folder.state, 0o700)
      default: unsafe mkfifo(home.folder.state, 0o600)
      }
    try #require(made == 0)
    let error = try #require(throws: PreservationFailure.self) {
      try FilePreservationStore(folder: home.folder).load()
    }
    guard case .cannotRead(home.folder.state, _) = error else { throw error }
  }
}
