/// Where a system keeps its state. One system at a time uses it.
package protocol PreservationStore: Sendable {
  /// What was saved last, an empty state where nothing was. A damaged document is set aside, and nothing of it deleted;
  /// one of a newer version stays where it is and is an error, because the blepera that wrote it may want it yet.
  func load() throws(PreservationFailure) -> LoadedState

  /// Once it returns, the state outlasts a loss of power; when it throws, what was saved before is there still, save
  /// for `cannotSync`.
  func save(_ state: PreservedState) throws(PreservationFailure)
}
