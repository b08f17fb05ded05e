import BleperaBluetooth
import Glibc

/// The folder of a phone's state file and logs, which only its user can enter.
package struct StateFolder: Hashable, Sendable {
  package let name: String
  /// Whether the phone is on a virtual air: it has nothing in common with the phone of the same name on BlueZ.
  package let isVirtual: Bool
  /// `$BLEPERA_STATE_DIR`, `$XDG_STATE_HOME`, or `~/.local/state` where there is neither (XDG Base Directory
  /// Specification 0.8).
  package let home: String

  /// Set by a lab, so that its phones preserve their state in the lab's own folder.
  package static let homeVariable = "BLEPERA_STATE_DIR"

  package var path: String { "\(parent)/\(name)" }
  package var state: String { "\(path)/state.json" }
  package var systemLog: String { "\(path)/system.log" }
  /// The processes of suspended apps that the phone has stopped: each line has a number and the start of the process.
  package var stoppedProcesses: String { "\(path)/stopped" }
  /// The phone's changes in the kernel for an adapter, which outlive the phone's process.
  package func kernelChanges(of adapter: String) -> String { "\(path)/kernel-\(adapter)" }
  package var apps: String { "\(path)/apps" }
  /// The new state file while it is written.
  var unfinished: String { "\(state).new" }
  private static let virtual = "virtual"
  private var root: String { "\(home)/blepera" }
  private var parent: String { isVirtual ? "\(root)/\(Self.virtual)" : root }
  /// The folders that only the user may enter, the outermost first.
  var own: [String] { (isVirtual ? [root] : []) + [parent, path] }

  package init(
    name: String, isVirtual: Bool = false, environment: (String) -> String?
  ) throws(PreservationFailure) {
    let isGood = name.utf8.allSatisfy { Self.isWord($0) }
    guard isGood, (1...32).contains(name.utf8.count) else { throw .badName(name) }
    self.name = name
    self.isVirtual = isVirtual
    func folder(_ variable: String) -> String? { environment(variable).flatMap { $0.hasPrefix("/") ? $0 : nil } }
    guard
      let home = folder(Self.homeVariable) ?? folder("XDG_STATE_HOME") ?? folder("HOME").map({ "\($0)/.local/state" })
    else { throw .noHome }
    self.home = home
  }

  /// The folder with this path, which a running phone has named.
  package init?(path: String) {
    var parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count > 3, let name = parts.popLast() else { return nil }
    isVirtual = parts.suffix(2) == ["blepera", Self.virtual]
    if isVirtual { parts.removeLast() }
    guard parts.popLast() == "blepera" else { return nil }
    self.name = name
    home = parts.joined(separator: "/")
  }

  /// Reads the environment of this process.
  package init(name: String, isVirtual: Bool = false) throws(PreservationFailure) {
    try self.init(
      name: name, isVirtual: isVirtual, environment: { name in unsafe getenv(name).map { unsafe String(cString: $0) } })
  }

  /// The file of an app's output. Bytes that a file name cannot have are percent-encoded; a name that would be too long
  /// is cut and ends in a checksum.
  package func appLog(_ identifier: String) -> String {
    var name = ""
    for (index, byte) in identifier.utf8.enumerated() {
      let isKept = Self.isWord(byte) || (byte == UInt8(ascii: ".") && index > 0)
      name += isKept ? String(UnicodeScalar(byte)) : "%" + Hex.string([byte])
    }
    let longest = 200
    if name.utf8.count > longest {
      let checksum = CRC32.checksum(of: Array(identifier.utf8)[...])
      name = "\(name.prefix(longest))~\(String(checksum, radix: 16))"
    }
    return "\(apps)/\(name).log"
  }

  /// In bytes: a log that is longer becomes `NAME.log.1` when it is opened, in place of the one before.
  package static let longestLog = 1 << 20

  /// Whether a log that is open has become too long.
  package static func isTooLong(_ log: CInt) -> Bool {
    var status = stat()
    return unsafe fstat(log, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_size > longestLog
  }

  /// Opens a log to append to it; a descriptor, or -1 with `errno`: ENOTSUP or ENXIO for what is no file.
  package static func openLog(_ path: String) -> CInt {
    var status = stat()
    if unsafe stat(path, &status) == 0, status.st_size > longestLog { unsafe rename(path, path + ".1") }
    // Does not block on a named pipe.
    let log = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0o600)
    guard log >= 0 else { return log }
    guard unsafe fstat(log, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(log)
      errno = ENOTSUP
      return -1
    }
    return log
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}

extension StateFolder {
  /// Creates the folder and the folder of the apps' logs where they are missing, and checks that only their user may
  /// enter them.
  package func prepare() throws(PreservationFailure) { try prepare(on: SystemDisk()) }

  func prepare(on disk: some Disk) throws(PreservationFailure) {
    try Self.makePath(home, on: disk)
    for folder in own + [apps] {
      try Self.make(folder, on: disk)
      try Self.check(folder, on: disk)
    }
  }

  /// Keeps the folder, which must exist, for this process until its end; false where another process has it.
  package func claim() -> Bool {
    let folder = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    return flock(folder, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
  }

  /// Whether the folder exists; throws where another user may enter it.
  func isPresent(on disk: some Disk) throws(PreservationFailure) -> Bool {
    for folder in own {
      do throws(DiskError) {
        _ = try disk.status(of: folder)
      } catch {
        if error.isMissing { return false }
        throw .cannotRead(folder, reason: error.reason)
      }
      try Self.check(folder, on: disk)
    }
    return true
  }

  /// Creates a folder and its parents; those that exist may belong to any user.
  private static func makePath(_ path: String, on disk: some Disk) throws(PreservationFailure) {
    var folder = ""
    for part in path.split(separator: "/") {
      folder += "/\(part)"
      try make(folder, on: disk)
    }
  }

  private static func make(_ folder: String, on disk: some Disk) throws(PreservationFailure) {
    do throws(DiskError) {
      _ = try disk.status(of: folder)
      return
    } catch {
      guard error.isMissing else { throw .cannotWrite(folder, reason: error.reason) }
    }
    do throws(DiskError) {
      try disk.makeFolder(folder)
      try disk.syncFolder(parent(of: folder))
    } catch {
      throw .cannotWrite(folder, reason: error.reason)
    }
  }

  private static func parent(of path: String) -> String {
    let parent = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
    return parent.isEmpty ? "/" : String(parent)
  }

  private static func check(_ folder: String, on disk: some Disk) throws(PreservationFailure) {
    let status: FileStatus
    do throws(DiskError) {
      status = try disk.status(of: folder)
    } catch {
      throw .cannotRead(folder, reason: error.reason)
    }
    guard status.isFolder else { throw .unsafeFolder(folder, reason: "is not a folder") }
    guard status.owner == disk.user else { throw .unsafeFolder(folder, reason: "belongs to another user") }
    guard status.permissions & 0o077 == 0 else { throw .unsafeFolder(folder, reason: "is open to other users") }
  }
}
