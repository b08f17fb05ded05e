import Synchronization

/// The state as bytes in memory, for tests: the same document, and the same answers.
package final class InMemoryPreservationStore: PreservationStore {
  private struct Contents {
    var document: [UInt8]?
    var setAside: [String: [UInt8]] = [:]
    var failure: PreservationFailure?
  }

  private static let path = "state.plist"
  private let contents = Mutex(Contents())

  package init() {}

  /// What a file would hold; nil where nothing was saved.
  package var document: [UInt8]? {
    get { contents.withLock { $0.document } }
    set { contents.withLock { $0.document = newValue } }
  }

  /// The damaged documents by name.
  package var setAside: [String: [UInt8]] { contents.withLock { $0.setAside } }

  /// What saving throws; nil lets it succeed.
  package var failure: PreservationFailure? {
    get { contents.withLock { $0.failure } }
    set { contents.withLock { $0.failure = newValue } }
  }

  package func load() throws(PreservationFailure) -> LoadedState {
    guard let bytes = document else { return LoadedState(state: PreservedState()) }
    do throws(StateDocumentError) {
      return LoadedState(state: try StateDocument.decode(bytes))
    } catch {
      switch error {
      case .damaged(let damage): return LoadedState(state: PreservedState(), setAside: setAside(bytes, damage))
      case .newerVersion(let version): throw .newerVersion(Self.path, version)
      }
    }
  }

  package func save(_ state: PreservedState) throws(PreservationFailure) {
    let bytes: [UInt8]
    do throws(KeyProblem) {
      bytes = try StateDocument.encode(state)
    } catch {
      throw .inconsistent(error)
    }
    if let failure { throw failure }
    document = bytes
  }

  private func setAside(_ bytes: [UInt8], _ damage: Damage) -> SetAside {
    contents.withLock { contents in
      let kept = "\(Self.path).damaged-\(contents.setAside.count + 1)"
      contents.setAside[kept] = bytes
      contents.document = nil
      return SetAside(path: Self.path, kept: kept, damage: damage)
    }
  }
}
