import Glibc
import Synchronization

@testable import BleperaPreservation

/// A disk in memory that loses what is not synced when power goes.
///
/// Writes to a file are lost in part until `sync`, and changes of a folder's entries until `syncFolder`, as POSIX
/// allows it: of a file the unsynced end is missing, or is zeros; of a folder's changes any of the later ones are
/// missing. Nothing else of a file system is modelled; a sync is believed.
final class PowerCutDisk: Disk {
  /// The part of unsynced writes and changes of folders that a power cut loses.
  enum Loss: CaseIterable, Sendable {
    case nothing, everything
    /// The first half of each file's unsynced bytes, and of the folder's changes.
    case secondHalf
    /// The names are there, and the unsynced bytes are zeros (delayed allocation).
    case contents
    /// The contents are there, and the last change of a folder is not.
    case lastChange
  }

  private struct File: Sendable {
    var bytes: [UInt8] = []
    /// The number of synced bytes.
    var synced = 0
  }

  private enum Change: Sendable {
    case link(String, Int)
    case move(String, to: String)
    case unlink(String)
    case makeFolder(String)
  }

  private struct State: Sendable {
    var files: [Int: File] = [:]
    var entries: [String: Int] = [:]
    var folders: Set<String> = ["/"]
    /// The entries at the last `syncFolder`.
    var durableEntries: [String: Int] = [:]
    var durableFolders: Set<String> = ["/"]
    var changes: [Change] = []
    var lastFile = 100
    var calls = 0
  }

  let user: UInt32 = 1
  /// The number of the call at which power goes.
  private let cut: Int
  private let state: Mutex<State>

  private init(_ state: State, cut: Int) {
    self.state = Mutex(state)
    self.cut = cut
  }

  convenience init(cut: Int = .max) { self.init(State(), cut: cut) }

  /// The number of calls that have changed something.
  var calls: Int { state.withLock { $0.calls } }

  /// The disk when power is back.
  func rebooted(_ loss: Loss, cut: Int = .max) -> PowerCutDisk {
    state.withLock { old in
      let kept =
        switch loss {
        case .nothing, .contents: old.changes.count
        case .everything: 0
        case .secondHalf: old.changes.count / 2
        case .lastChange: max(0, old.changes.count - 1)
        }
      var new = State()
      new.entries = old.durableEntries
      new.folders = old.durableFolders
      for change in old.changes.prefix(kept) { Self.apply(change, to: &new) }
      for (number, file) in old.files {
        var file = file
        switch loss {
        case .nothing, .lastChange: break
        case .everything: file.bytes.removeLast(file.bytes.count - file.synced)
        case .secondHalf: file.bytes.removeLast((file.bytes.count - file.synced + 1) / 2)
        case .contents: for index in file.synced..<file.bytes.count { file.bytes[index] = 0 }
        }
        file.synced = file.bytes.count
        new.files[number] = file
      }
      (new.durableEntries, new.durableFolders) = (new.entries, new.folders)
      new.lastFile = old.lastFile
      return PowerCutDisk(new, cut: cut)
    }
  }

  private static func apply(_ change: Change, to state: inout State) {
    switch change {
    case .link(let path, let file): state.entries[path] = file
    case .move(let path, let new): state.entries[new] = state.entries.removeValue(forKey: path)
    case .unlink(let path): state.entries[path] = nil
    case .makeFolder(let path): state.folders.insert(path)
    }
  }

  private func perform<Value: Sendable>(
    _ body: (inout State) throws(DiskError) -> Value
  ) throws(DiskError) -> Value {
    let result: Result<Value, DiskError> = state.withLock { state in
      state.calls += 1
      guard state.calls <= cut else { return .failure(DiskError(code: EIO)) }
      do throws(DiskError) { return .success(try body(&state)) } catch { return .failure(error) }
    }
    return try result.get()
  }

  private func change(_ change: Change) throws(DiskError) {
    try perform { state throws(DiskError) in
      state.changes.append(change)
      Self.apply(change, to: &state)
    }
  }

  func status(of path: String) throws(DiskError) -> FileStatus {
    let (isFolder, isFile) = state.withLock { ($0.folders.contains(path), $0.entries[path] != nil) }
    guard isFolder || isFile else { throw DiskError(code: ENOENT) }
    return FileStatus(isFolder: isFolder, owner: user, permissions: isFolder ? 0o700 : 0o600)
  }

  func read(_ path: String) throws(DiskError) -> [UInt8] {
    let bytes = state.withLock { state in state.entries[path].flatMap { state.files[$0]?.bytes } }
    guard let bytes else { throw DiskError(code: ENOENT) }
    return bytes
  }

  func makeFolder(_ path: String) throws(DiskError) { try change(.makeFolder(path)) }

  func create(_ path: String) throws(DiskError) -> CInt {
    try perform { state throws(DiskError) in
      guard state.entries[path] == nil else { throw DiskError(code: EEXIST) }
      state.lastFile += 1
      state.files[state.lastFile] = File()
      state.changes.append(.link(path, state.lastFile))
      state.entries[path] = state.lastFile
      return CInt(state.lastFile)
    }
  }

  /// A hundred bytes at a time, so that power can go in between.
  func write(_ bytes: ArraySlice<UInt8>, to file: CInt) throws(DiskError) -> Int {
    try perform { state throws(DiskError) in
      let part = bytes.prefix(100)
      state.files[Int(file)]?.bytes += part
      return part.count
    }
  }

  func sync(_ file: CInt) throws(DiskError) {
    try perform { state throws(DiskError) in
      let count = state.files[Int(file)]?.bytes.count ?? 0
      state.files[Int(file)]?.synced = count
    }
  }

  func close(_ file: CInt) throws(DiskError) { try perform { _ throws(DiskError) in } }
  func rename(_ path: String, to new: String) throws(DiskError) { try change(.move(path, to: new)) }
  func remove(_ path: String) throws(DiskError) { try change(.unlink(path)) }

  func syncFolder(_ path: String) throws(DiskError) {
    try perform { state throws(DiskError) in
      state.changes = []
      (state.durableEntries, state.durableFolders) = (state.entries, state.folders)
    }
  }
}
