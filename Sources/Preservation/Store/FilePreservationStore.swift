/// The state in a file of a folder that only its user can enter: written beside, synced, renamed.
package struct FilePreservationStore: PreservationStore {
  package let folder: StateFolder
  private let disk: any Disk

  package init(folder: StateFolder, disk: any Disk = SystemDisk()) {
    self.folder = folder
    self.disk = disk
  }

  /// What was saved last, with nothing changed on the disk: for whom looks while a system may be running.
  package func read() throws(PreservationFailure) -> PreservedState {
    guard try folder.isPresent(on: disk) else { return PreservedState() }
    let bytes: [UInt8]
    do throws(DiskError) {
      bytes = try disk.read(folder.state)
    } catch {
      if error.isMissing { return PreservedState() }
      throw .cannotRead(folder.state, reason: error.reason)
    }
    do throws(StateDocumentError) {
      return try StateDocument.decode(bytes)
    } catch {
      switch error {
      case .damaged(let damage): throw .damaged(folder.state, damage)
      case .newerVersion(let version): throw .newerVersion(folder.state, version)
      }
    }
  }

  package func load() throws(PreservationFailure) -> LoadedState {
    guard try folder.isPresent(on: disk) else { return LoadedState(state: PreservedState()) }
    try removeUnfinished()
    do throws(PreservationFailure) {
      return LoadedState(state: try read())
    } catch {
      guard case .damaged(_, let damage) = error else { throw error }
      return LoadedState(state: PreservedState(), setAside: try setAside(damage))
    }
  }

  package func save(_ state: PreservedState) throws(PreservationFailure) {
    let bytes: [UInt8]
    do throws(KeyProblem) {
      bytes = try StateDocument.encode(state)
    } catch {
      throw .inconsistent(error)
    }
    try folder.prepare(on: disk)
    try removeUnfinished()
    do throws(DiskError) {
      try write(bytes)
      try disk.rename(folder.unfinished, to: folder.state)
    } catch {
      try? disk.remove(folder.unfinished)
      throw .cannotWrite(folder.state, reason: error.reason)
    }
    try syncFolder()
  }

  private func write(_ bytes: [UInt8]) throws(DiskError) {
    let file = try disk.create(folder.unfinished)
    do throws(DiskError) {
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = try disk.write(rest, to: file)
        guard count > 0 else { throw .noProgress }
        rest = rest.dropFirst(count)
      }
      try disk.sync(file)
    } catch {
      try? disk.close(file)
      throw error
    }
    try disk.close(file)
  }

  /// What a system that was killed left. Looks first: a read-only file system refuses to remove even what is not there.
  private func removeUnfinished() throws(PreservationFailure) {
    do throws(DiskError) {
      _ = try disk.status(of: folder.unfinished)
      try disk.remove(folder.unfinished)
    } catch {
      guard error.isMissing else { throw .cannotWrite(folder.unfinished, reason: error.reason) }
    }
  }

  /// Renames the damaged file to the first name that nothing has.
  private func setAside(_ damage: Damage) throws(PreservationFailure) -> SetAside {
    do throws(DiskError) {
      let kept = try firstFree()
      try disk.rename(folder.state, to: kept)
      try disk.syncFolder(folder.path)
      return SetAside(path: folder.state, kept: kept, damage: damage)
    } catch {
      throw .cannotWrite(folder.state, reason: error.reason)
    }
  }

  private func firstFree() throws(DiskError) -> String {
    var number = 1
    while true {
      let path = "\(folder.state).damaged-\(number)"
      do throws(DiskError) {
        _ = try disk.status(of: path)
        number += 1
      } catch {
        guard error.isMissing else { throw error }
        return path
      }
    }
  }

  private func syncFolder() throws(PreservationFailure) {
    do throws(DiskError) {
      try disk.syncFolder(folder.path)
    } catch {
      throw .cannotSync(folder.state, reason: error.reason)
    }
  }
}
