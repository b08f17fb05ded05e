import Synchronization

/// Where a phone saves its state. One phone uses it at a time.
package protocol PreservationStore: Sendable {
  /// The folder of the state; nil for a store in memory.
  var path: String? { get }

  /// The last saved state; an empty one where nothing was saved. A corrupt file is quarantined, never deleted; a file
  /// of another version is left in place and is an error, because the blepera that wrote it may still need it.
  func load() throws(PreservationFailure) -> LoadedState

  /// Once it returns, the state survives a loss of power; where it throws anything but `cannotSync`, the state saved
  /// before is unchanged.
  func save(_ state: PreservedState) throws(PreservationFailure)
}

extension PreservationStore {
  package var path: String? { nil }

  static func encode(_ state: PreservedState) throws(PreservationFailure) -> [UInt8] {
    do throws(InvalidState) { return try StateFile.encode(state) } catch { throw .inconsistent(error) }
  }
}

/// The result of loading a phone's state.
package struct LoadedState: Hashable, Sendable {
  package var state: PreservedState
  /// The corrupt file that was found instead of a state, to be reported to the user.
  package var quarantined: QuarantinedFile?

  package init(state: PreservedState, quarantined: QuarantinedFile? = nil) {
    self.state = state
    self.quarantined = quarantined
  }
}

/// A corrupt state file that was renamed.
package struct QuarantinedFile: Hashable, Sendable {
  /// The path of the state file.
  package let path: String
  /// The new path of the corrupt file.
  package let kept: String
  package let corruption: StateFileCorruption
}

extension QuarantinedFile: CustomStringConvertible {
  /// A sentence with the remedy.
  package var description: String {
    "\(path) \(corruption); it is kept as \(kept), and nothing is restored from it: start the apps again."
  }
}

/// Why the preserved state cannot be read or written. The description is a sentence with the remedy.
package enum PreservationFailure: Error, Hashable, Sendable {
  case badName(String)
  case noHome
  /// Other users can enter the folder, or own it.
  case unsafeFolder(String, reason: String)
  case cannotRead(String, reason: String)
  /// The state saved before is unchanged.
  case cannotWrite(String, reason: String)
  /// The state is written, but a loss of power might lose it.
  case cannotSync(String, reason: String)
  /// Thrown by reading without side effects; `load` quarantines the file.
  case corrupt(String, StateFileCorruption)
  case unknownVersion(String, Int)
  /// The state breaks an invariant and could not be read again.
  case inconsistent(InvalidState)
}

extension PreservationFailure: CustomStringConvertible {
  package var description: String {
    switch self {
    case .badName(let name):
      "'\(name)' is not a valid name for a phone; use at most 32 letters, digits, '-' and '_'."
    case .noHome:
      "no folder for the preserved state: set HOME or XDG_STATE_HOME to an absolute path."
    case .unsafeFolder(let path, let reason):
      "\(path) \(reason); make it yours with mode 0700, or set XDG_STATE_HOME to a folder of your own."
    case .cannotRead(let path, let reason):
      "\(path) cannot be read: \(reason); repair or move it, or set XDG_STATE_HOME to another folder."
    case .cannotWrite(let path, let reason):
      """
      \(path) cannot be written: \(reason); the state saved before is unchanged. Free disk space, correct the \
      permissions, or set XDG_STATE_HOME to another folder.
      """
    case .cannotSync(let path, let reason):
      "\(path) is written but might not survive a loss of power: \(reason); check the disk."
    case .corrupt(let path, let corruption):
      "\(path) \(corruption); the next phone renames it and starts without it."
    case .unknownVersion(let path, let version): "\(path) \(StateFileError.advice(for: version))"
    case .inconsistent(let invalid):
      "the state cannot be saved: \(invalid). This is a bug in blepera; please report it."
    }
  }
}

/// A store in memory for tests, with the bytes and errors of a file.
package final class InMemoryPreservationStore: PreservationStore {
  private struct Contents {
    var file: [UInt8]?
    var quarantine: [String: [UInt8]] = [:]
    var failure: PreservationFailure?
  }

  private static let path = "state.json"
  private let contents = Mutex(Contents())

  package init() {}

  /// The bytes of the state file; nil where nothing was saved.
  package var file: [UInt8]? {
    get { contents.withLock { $0.file } }
    set { contents.withLock { $0.file = newValue } }
  }

  /// The corrupt files by name.
  package var quarantine: [String: [UInt8]] { contents.withLock { $0.quarantine } }

  /// The error that saving throws; nil for success.
  package var failure: PreservationFailure? {
    get { contents.withLock { $0.failure } }
    set { contents.withLock { $0.failure = newValue } }
  }

  package func load() throws(PreservationFailure) -> LoadedState {
    guard let bytes = file else { return LoadedState(state: PreservedState()) }
    do throws(StateFileError) {
      return LoadedState(state: try StateFile.decode(bytes))
    } catch {
      switch error {
      case .corrupt(let corruption):
        return LoadedState(state: PreservedState(), quarantined: quarantine(bytes, corruption))
      case .unknownVersion(let version): throw .unknownVersion(Self.path, version)
      }
    }
  }

  package func save(_ state: PreservedState) throws(PreservationFailure) {
    let bytes = try Self.encode(state)
    if let failure { throw failure }
    file = bytes
  }

  private func quarantine(_ bytes: [UInt8], _ corruption: StateFileCorruption) -> QuarantinedFile {
    contents.withLock { contents in
      let kept = "\(Self.path).damaged-\(contents.quarantine.count + 1)"
      contents.quarantine[kept] = bytes
      contents.file = nil
      return QuarantinedFile(path: Self.path, kept: kept, corruption: corruption)
    }
  }
}
