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

  /// The state that a phone would load now. A damaged file counts as none, since loading quarantines it; any other
  /// failure prevents the phone's start.
  package func usableState() throws(PreservationFailure) -> PreservedState {
    do throws(PreservationFailure) {
      return try read()
    } catch {
      guard case .corrupt = error else { throw error }
      return PreservedState()
    }
  }

  /// Removes the saved state.
  package func clear() throws(PreservationFailure) {
    do throws(DiskError) {
      try disk.remove(folder.state)
    } catch {
      guard error.isMissing else { throw .cannotWrite(folder.state, reason: error.reason) }
    }
  }

  /// Reads the saved state without side effects; safe while a phone is running.
  package func read() throws(PreservationFailure) -> PreservedState {
    guard try folder.isPresent(on: disk), let bytes = try savedFile() else { return PreservedState() }
    do throws(StateFileError) {
      return try StateFile.decode(bytes)
    } catch {
      switch error {
      case .corrupt(let corruption): throw .corrupt(folder.state, corruption)
      case .unknownVersion(let version): throw .unknownVersion(folder.state, version)
      }
    }
  }

  package func load() throws(PreservationFailure) -> LoadedState {
    guard try folder.isPresent(on: disk) else { return LoadedState(state: PreservedState()) }
    try removeUnfinished()
    do throws(PreservationFailure) {
      return LoadedState(state: try read())
    } catch {
      guard case .corrupt(_, let corruption) = error else { throw error }
      return LoadedState(state: PreservedState(), quarantined: try quarantine(corruption))
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
  }

  /// The bytes of the state file; nil where there is none.
  private func savedFile() throws(PreservationFailure) -> [UInt8]? {
    do throws(DiskError) {
      return try disk.read(folder.state)
    } catch {
      if error.isMissing { return nil }
      throw .cannotRead(folder.state, reason: error.reason)
    }
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
  private func quarantine(_ corruption: StateFileCorruption) throws(PreservationFailure) -> QuarantinedFile {
    let path = folder.state
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
