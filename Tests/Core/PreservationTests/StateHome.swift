import BleperaPreservation
import BusTesting

/// A new empty folder for XDG_STATE_HOME, removed with all in it when the last reference goes.
final class StateHome: Sendable {
  private let temporary: TemporaryFolder
  let folder: StateFolder

  var path: String { temporary.path }

  init() throws {
    temporary = try TemporaryFolder()
    let path = temporary.path
    folder = try StateFolder(name: "default", environment: { ["XDG_STATE_HOME": path][$0] })
  }

  func write(_ bytes: [UInt8], to file: String) throws {
    let disk = SystemDisk()
    let opened = try disk.create(file)
    _ = try disk.write(bytes[...], to: opened)
    try disk.close(opened)
  }

  /// The names in the system's folder, sorted.
  func names() -> [String] { TemporaryFolder.names(in: folder.path).sorted() }
}
