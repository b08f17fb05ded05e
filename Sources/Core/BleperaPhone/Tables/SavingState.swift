import BleperaBluetooth
import BleperaLoop
import BleperaPreservation

/// The state that is being saved, and the output that must wait until it is saved.
struct SavingState {
  let store: any PreservationStore
  /// The state that was saved last.
  private var saved = PreservedState(apps: [])
  /// The identity of the loaded state, which a radio without one of its own keeps for the next start.
  private(set) var identity: PhoneIdentity?
  /// A sentence: the loaded state was corrupt, and where the file is now.
  private(set) var damage: String?
  /// Why the last change could not be saved.
  private(set) var failure: String?
  /// The apps whose state is not saved, and why, by bundle identifier.
  private(set) var leftOut: [String: String] = [:]
  /// Whether the screen has been off since before the phone's start.
  var isScreenRestored = false
  /// Whether the state has changed and is not saved yet.
  private(set) var isPending = false
  /// Whether the state is saved at the end of this turn of the loop.
  private var isScheduled = false
  /// Saves a change that may wait for others.
  private var timer: (any LoopTimer)?
  /// Saves changes that nobody waits for, or that could not be saved.
  private var laterTimer: (any LoopTimer)?
  /// The output that acknowledges unsaved changes.
  private var outputs: [() -> Void] = []

  init(_ store: any PreservationStore) { self.store = store }

  // MARK: When

  /// The state has changed; false where it is saved at the end of this turn already.
  mutating func schedule() -> Bool {
    defer { isScheduled = true }
    isPending = true
    return !isScheduled
  }

  /// The state has changed, and is saved after `start`'s timer unless that is to happen anyway.
  mutating func schedule(_ start: () -> any LoopTimer) {
    isPending = true
    if !isScheduled, timer == nil { timer = start() }
  }

  /// Schedules a change that counts only when the timer has ended.
  mutating func scheduleLater(_ start: () -> any LoopTimer) {
    if laterTimer == nil { laterTimer = start() }
  }

  mutating func laterTimerEnded() { laterTimer = nil }

  /// Adds output that waits for a pending change.
  mutating func add(_ output: @escaping () -> Void) { outputs.append(output) }

  /// Begins to save; false where nothing has changed.
  mutating func begin() -> Bool {
    isScheduled = false
    guard isPending else { return false }
    isPending = false
    for timer in [timer, laterTimer] { timer?.cancel() }
    (timer, laterTimer) = (nil, nil)
    return true
  }

  /// Removes and returns the output that has waited.
  mutating func takeOutputs() -> [() -> Void] {
    defer { outputs = [] }
    return outputs
  }

  // MARK: The store

  mutating func load() throws(PreservationFailure) -> PreservedState {
    let loaded = try store.load()
    (saved, identity) = (loaded.state, loaded.state.identity)
    damage = loaded.quarantined.map { "\($0)" }
    return loaded.state
  }

  /// Saves a state that differs from the last, or that could not be saved before.
  ///
  /// - Returns: what cannot be saved and was not reported before, with the app that it is of; nil for all.
  mutating func save(_ state: PreservedState) -> [(reason: String, app: String?)] {
    guard state != saved || failure != nil else { return [] }
    do throws(PreservationFailure) {
      let former = leftOut
      leftOut = Dictionary(try write(state).map { ($0.app, Self.text($0.violation)) }) { first, _ in first }
      (saved, failure) = (state, nil)
      return leftOut.sorted { $0.key < $1.key }.filter { former[$0.key] != $0.value }.map { ($0.value, $0.key) }
    } catch {
      defer { failure = "\(error)" }
      return failure == nil ? [("\(error)", nil)] : []
    }
  }

  /// Writes the state without the apps whose state could not be read again, which are returned.
  private func write(_ state: PreservedState) throws(PreservationFailure) -> [(app: String, violation: InvalidState)] {
    do throws(PreservationFailure) {
      try store.save(state)
      return []
    } catch {
      guard case .inconsistent = error else { throw error }
      var rest = state
      let leftOut = rest.removeInconsistentApps()
      try store.save(rest)
      return leftOut
    }
  }

  private static func text(_ violation: InvalidState) -> String {
    "the app is left out of the saved state: \(violation). This is a bug in blepera; please report it."
  }
}
