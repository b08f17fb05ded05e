import BleperaPreservation
import BusTesting
import Glibc
import Testing

@Suite("The folder of the preserved state")
struct StateFolderTests {
  @Test("A log that is too long is set aside when it is opened, one at a time")
  func logs() throws {
    let home = try TemporaryFolder()
    let path = "\(home.path)/system.log"
    func open(_ text: String) throws {
      let file = StateFolder.openLog(path)
      try #require(file >= 0)
      defer { close(file) }
      #expect(unsafe write(file, text, text.utf8.count) == text.utf8.count)
    }
    func size(_ path: String) -> Int {
      var status = stat()
      return unsafe stat(path, &status) == 0 ? Int(status.st_size) : -1
    }
    try open("a")
    try open(String(repeating: "b", count: StateFolder.longestLog))
    #expect(size(path) == StateFolder.longestLog + 1 && size(path + ".1") == -1)
    try open("c")
    #expect(size(path) == 1 && size(path + ".1") == StateFolder.longestLog + 1)
  }

  private func folder(_ environment: [String: String], _ name: String = "default") throws -> StateFolder {
    try StateFolder(name: name, environment: { environment[$0] })
  }

  @Test(
    "It is where the environment says, by the XDG specification",
    arguments: [
      (["XDG_STATE_HOME": "/s", "HOME": "/h"], "/s/blepera/default"),
      (["BLEPERA_STATE_DIR": "/lab", "XDG_STATE_HOME": "/s", "HOME": "/h"], "/lab/blepera/default"),
      (["HOME": "/h"], "/h/.local/state/blepera/default"),
      (["XDG_STATE_HOME": "", "HOME": "/h"], "/h/.local/state/blepera/default"),
      (["XDG_STATE_HOME": "s", "HOME": "/h"], "/h/.local/state/blepera/default"),
    ])
  func place(environment: [String: String], path: String) throws {
    let folder = try folder(environment)
    #expect(folder.path == path)
    #expect(folder.state == "\(path)/state.json")
    #expect(folder.systemLog == "\(path)/system.log")
  }

  @Test("A phone on a virtual radio has a folder that one on BlueZ never reads, and its path names it")
  func virtual() throws {
    let folder = try StateFolder(name: "default", isVirtual: true) { ["HOME": "/h"][$0] }
    #expect(folder.path == "/h/.local/state/blepera/virtual/default")
    #expect(StateFolder(path: folder.path) == folder)
    #expect(StateFolder(path: "/h/blepera/virtual")?.path == "/h/blepera/virtual")
  }

  @Test("A folder that a process has is kept from others until that process ends")
  func claim() throws {
    let home = try StateHome()
    try home.folder.prepare()
    #expect(home.folder.claim())
    #expect(!home.folder.claim())
  }

  @Test("Without a home the error says what to set", arguments: [[:], ["HOME": ""], ["HOME": "h"]])
  func noHome(environment: [String: String]) throws {
    #expect(throws: PreservationFailure.noHome) { try folder(environment) }
    #expect(
      "\(PreservationFailure.noHome)"
        == "no folder for the preserved state: set HOME or XDG_STATE_HOME to an absolute path.")
  }

  @Test(
    "A name that could leave the folder is refused",
    arguments: ["", "..", "a/b", "a b", String(repeating: "a", count: 33)])
  func badName(name: String) {
    #expect(throws: PreservationFailure.badName(name)) { try folder(["HOME": "/h"], name) }
  }

  @Test(
    "An app's log is within the folder, whatever the app is called",
    arguments: [
      ("org.example.heart-rate", "org.example.heart-rate"), ("a_B9", "a_B9"), ("", ""), ("..", "%2E."), (".a", "%2Ea"),
      ("../a/b", "%2E.%2Fa%2Fb"), ("é\n\0%", "%C3%A9%0A%00%25"),
    ])
  func log(identifier: String, name: String) throws {
    #expect(try folder(["HOME": "/h"]).appLog(identifier) == "/h/.local/state/blepera/default/apps/\(name).log")
  }

  @Test("Long identifiers have names that a file can have, each another")
  func longNames() throws {
    let identifiers = (0..<10).map { String(repeating: "é", count: 1_000) + "\($0)" }
    let names = Set(try identifiers.map { try folder(["HOME": "/h"]).appLog($0) })
    #expect(names.count == 10)
    #expect(names.allSatisfy { ($0.split(separator: "/").last ?? "").utf8.count <= 255 })
  }

  @Test("Missing folders are made, those around it too")
  func prepare() throws {
    let home = try StateHome()
    let folder = try folder(["HOME": "\(home.path)/a"])
    try folder.prepare()
    try folder.prepare()
    for path in ["a", "a/.local", "a/.local/state", "a/.local/state/blepera", "a/.local/state/blepera/default/apps"] {
      #expect(try SystemDisk().status(of: "\(home.path)/\(path)").permissions == 0o700)
    }
  }

  @Test("A folder that others can enter is refused", arguments: ["blepera", "blepera/default"], [0o701, 0o750, 0o720])
  func open(name: String, mode: UInt32) throws {
    let home = try StateHome()
    let store = FilePreservationStore(folder: home.folder)
    try store.save(Samples.full)
    let path = "\(home.path)/\(name)"
    try #require(unsafe chmod(path, mode) == 0)
    let failure = PreservationFailure.unsafeFolder(path, reason: "is open to other users")
    #expect(throws: failure) { try home.folder.prepare() }
    #expect(throws: failure) { try store.save(Samples.full) }
    #expect(throws: failure) { try store.load() }
    #expect(throws: failure) { try store.read() }
  }

  @Test("A folder of another user is refused")
  func foreign() throws {
    let home = try StateHome()
    try home.folder.prepare()
    let store = FilePreservationStore(folder: home.folder, disk: WatchedDisk(user: geteuid() + 1))
    let failure = PreservationFailure.unsafeFolder("\(home.path)/blepera", reason: "belongs to another user")
    #expect(throws: failure) { try store.save(Samples.full) }
    #expect(throws: failure) { try store.load() }
  }

  @Test("A link in the folder's place is refused")
  func link() throws {
    let home = try StateHome()
    try #require(unsafe symlink("/tmp", "\(home.path)/blepera") == 0)
    #expect(throws: PreservationFailure.unsafeFolder("\(home.path)/blepera", reason: "is not a folder")) {
      try FilePreservationStore(folder: home.folder).save(Samples.full)
    }
  }

  @Test("A folder that cannot be made is an error with its path")
  func notMade() throws {
    let home = try StateHome()
    let store = FilePreservationStore(folder: home.folder, disk: WatchedDisk(failing: .once(at: 0, code: EROFS)))
    #expect(throws: PreservationFailure.cannotWrite("\(home.path)/blepera", reason: "Read-only file system")) {
      try store.save(Samples.full)
    }
  }
}
