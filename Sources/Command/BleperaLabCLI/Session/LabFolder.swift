import BleperaAppLink
import BleperaLoop
import BleperaPreservation
import Glibc

/// The folder of a lab, which only its user can enter: the message bus, and the sockets and state of the phones.
///
/// The lab and its supervisor each hold a shared lock on the folder, which the kernel releases when the process ends.
/// If nobody holds a folder, its lab and its supervisor were both killed, and the next lab removes the folder.
final class LabFolder {
  /// The variable with the folder in the environment of apps, by which the apps are found and killed at the end.
  static let appVariable = "BLEPERA_LAB_APP"
  private static let prefix = "blepera-lab-"
  private static let suffix = "XXXXXX"

  let path: String
  private let lock: CInt

  /// Removes the labs' folders that nobody holds, then creates a folder and holds it; nil with `errno` if no folder can
  /// be created.
  static func make() -> LabFolder? {
    for parent in parents {
      for name in FolderNames.list(parent) { LabFolder("\(parent)/\(name)", exclusively: true)?.remove() }
    }
    for parent in parents {
      // Another lab may remove the new folder before it is held.
      for _ in 0..<3 {
        var template = Array("\(parent)/\(prefix)\(suffix)".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { break }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        if let folder = LabFolder(path) { return folder }
      }
    }
    return nil
  }

  /// Holds a folder; nil if it does not exist, is not a lab's, belongs to another user, or is held with another lock.
  init?(_ path: String, exclusively isExclusive: Bool = false) {
    self.path = path
    lock = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    var status = stat()
    guard path.split(separator: "/").last?.hasPrefix(Self.prefix) == true, unsafe fstat(lock, &status) == 0,
      status.st_uid == geteuid()
    else { return nil }
    let isLocked = flock(lock, (isExclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0
    // On a file system without locks each folder counts as held.
    guard isLocked || !isExclusive && errno != EWOULDBLOCK else { return nil }
    guard unsafe access(path, F_OK) == 0 else { return nil }
  }

  deinit { if lock >= 0 { close(lock) } }

  /// Kills the apps, and removes the folder with its contents.
  func remove() {
    // An app may be starting another one, and the kernel takes a moment to end it: a second in all.
    for _ in 0..<100 {
      let apps = Self.processes(with: "\(Self.appVariable)=\(path)")
      if apps.isEmpty { break }
      for app in apps { kill(app, SIGKILL) }
      usleep(10_000)
    }
    Self.remove(path)
  }

  private static func remove(_ path: String) {
    // Only a folder that is not empty stays; a symbolic link is not followed.
    guard unsafe Glibc.remove(path) != 0, errno == ENOTEMPTY || errno == EEXIST else { return }
    for name in FolderNames.list(path) { remove("\(path)/\(name)") }
    unsafe rmdir(path)
  }

  /// The processes whose environment has a variable with this beginning.
  static func processes(with setting: String) -> [pid_t] {
    let disk = SystemDisk(syncs: false)
    return FolderNames.list("/proc").compactMap { pid_t($0) }.filter { process in
      let variables = (try? disk.read("/proc/\(process)/environ"))?.split(separator: 0)
      return variables?.contains { $0.starts(with: setting.utf8) } ?? false
    }
  }

  /// The folders in which a lab's folder may be created; the first that works is used.
  private static var parents: [String] {
    let runtime = unsafe getenv("XDG_RUNTIME_DIR").map { unsafe String(cString: $0) } ?? ""
    // Other characters have a special meaning in an address or in the configuration.
    let isPlain = runtime.utf8.allSatisfy { ControlAddress.isAllowed($0) || "/.".utf8.contains($0) }
    let isShort = runtime.utf8.count + "/\(prefix)\(suffix)".utf8.count <= ControlAddress.longestFolder
    return isPlain && isShort && runtime.hasPrefix("/") ? [runtime, "/tmp"] : ["/tmp"]
  }
}
