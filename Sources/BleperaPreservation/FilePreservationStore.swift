import Glibc

/// The state in a file of a folder that only its user can enter. A new state is written to a second file, synced and
/// renamed.
package struct FilePreservationStore: PreservationStore {
  package let folder: StateFolder
  private let disk: any Disk

  package var path: String? { folder.path }

  package init(folder: StateFolder, disk: any Disk = SystemDisk()) {
    self.folder = folder
    self.disk = disk
  }

  /// Reads the saved state without side effects; safe while a phone is running.
  package func read() throws(PreservationFailure) -> PreservedState {
    guard try folder.isPresent(on: disk), let (path, bytes) = try savedFile() else { return PreservedState() }
    do throws(StateFileError) {
      return try StateFile.decode(bytes)
    } catch {
      switch error {
      case .corrupt(let corruption): throw .corrupt(path, corruption)
      case .newerVersion(let version): throw .newerVersion(path, version)
      }
    }
  }

  package func load() throws(PreservationFailure) -> LoadedState {
    guard try folder.isPresent(on: disk) else { return LoadedState(state: PreservedState()) }
    try removeUnfinished()
    do throws(PreservationFailure) {
      return LoadedState(state: try read())
    } catch {
      guard case .corrupt(let path, let corruption) = error else { throw error }
      return LoadedState(state: PreservedState(), quarantined: try quarantine(path, corruption))
    }
  }

  package func save(_ state: PreservedState) throws(PreservationFailure) {
    let bytes = try Self.encode(state)
    try folder.prepare(on: disk)
    try removeUnfinished()
    do throws(DiskError) {
      guard bytes.count <= SystemDisk.longestFile else { throw DiskError(code: EFBIG) }
      try disk.replace(folder.state, with: bytes, through: folder.unfinished)
    } catch {
      throw .cannotWrite(folder.state, reason: error.reason)
    }
    do throws(DiskError) {
      try disk.syncFolder(folder.path)
    } catch {
      throw .cannotSync(folder.state, reason: error.reason)
    }
    removePropertyList()
  }

  /// The state file and its bytes, or those of an older release; nil where there is neither.
  private func savedFile() throws(PreservationFailure) -> (path: String, bytes: [UInt8])? {
    for path in [folder.state, folder.propertyListState] {
      do throws(DiskError) {
        return (path, try disk.read(path))
      } catch {
        guard error.isMissing else { throw .cannotRead(path, reason: error.reason) }
      }
    }
    return nil
  }

  /// Removes the file of an older release, whose state is now saved in the new format. A file that cannot be removed is
  /// harmless, because it is read only where there is no new one.
  private func removePropertyList() {
    guard (try? disk.status(of: folder.propertyListState)) != nil else { return }
    try? disk.remove(folder.propertyListState)
  }

  /// Removes the unfinished file of a phone that was killed. Checks first, because a read-only file system refuses to
  /// remove even a missing file.
  private func removeUnfinished() throws(PreservationFailure) {
    do throws(DiskError) {
      _ = try disk.status(of: folder.unfinished)
      try disk.remove(folder.unfinished)
    } catch {
      guard error.isMissing else { throw .cannotWrite(folder.unfinished, reason: error.reason) }
    }
  }

  /// Renames a corrupt file to the first name that is free.
  private func quarantine(
    _ path: String, _ corruption: StateFileCorruption
  ) throws(PreservationFailure) -> QuarantinedFile {
    do throws(DiskError) {
      let kept = try firstFree(path)
      try disk.rename(path, to: kept)
      try disk.syncFolder(folder.path)
      return QuarantinedFile(path: path, kept: kept, corruption: corruption)
    } catch {
      throw .cannotWrite(path, reason: error.reason)
    }
  }

  private func firstFree(_ original: String) throws(DiskError) -> String {
    var number = 1
    while true {
      let path = "\(original).damaged-\(number)"
      do throws(DiskError) {
        _ = try disk.status(of: path)
        number += 1
      } catch {
        guard error.isMissing else { throw error }
        return path
      }
    }
  }
}
