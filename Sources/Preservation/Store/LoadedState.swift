/// What a store had.
package struct LoadedState: Hashable, Sendable {
  package var state: PreservedState
  /// What was found in its place, to be said to the user.
  package var setAside: SetAside?

  package init(state: PreservedState, setAside: SetAside? = nil) {
    self.state = state
    self.setAside = setAside
  }
}
