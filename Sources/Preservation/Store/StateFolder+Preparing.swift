extension StateFolder {
  /// Makes the folder and that of the apps' logs where they are missing, and checks that they are ours alone.
  package func prepare() throws(PreservationFailure) { try prepare(on: SystemDisk()) }

  func prepare(on disk: some Disk) throws(PreservationFailure) {
    try Self.makePath(home, on: disk)
    for folder in own + [apps] {
      try Self.make(folder, on: disk)
      try Self.check(folder, on: disk)
    }
  }

  /// Whether the folder is there; what is there must be ours alone.
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

  /// A folder and those around it; what is there already may be anybody's.
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
    guard status.permissions & 0o077 == 0 else { throw .unsafeFolder(folder, reason: "may be entered by others") }
  }
}
