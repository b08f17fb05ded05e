import Preservation
import Synchronization

/// What a phone of a story keeps of its apps: the values themselves, without a document or a disk.
final class KeptState: PreservationStore {
  private let state = Mutex(PreservedState())

  func load() throws(PreservationFailure) -> LoadedState { LoadedState(state: state.withLock { $0 }) }

  func save(_ state: PreservedState) throws(PreservationFailure) { self.state.withLock { $0 = state } }
}
