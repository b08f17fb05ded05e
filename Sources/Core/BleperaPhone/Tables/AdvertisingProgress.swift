import BleperaRules

/// The advertisement that the rules require: how far it is, and the one that comes next.
struct AdvertisingProgress {
  /// off -> starting; starting -> onAir, stopping; onAir -> starting, stopping; stopping -> starting, off.
  enum State {
    /// No app's advertisement is to be on the air.
    case off
    /// No app's advertisement is to be on the air; the radio has not reported that the last one has left the air.
    case stopping
    /// The radio has the advertisement, and has not reported that it is on the air.
    case starting
    case onAir
  }

  private(set) var state = State.off
  /// The last plan of the rules, until all their events are handled.
  var plan: AdvertisementPlan?
  /// The limitations of the radio that were reported.
  private var warnings: Set<String> = []

  mutating func takePlan() -> AdvertisementPlan? {
    defer { plan = nil }
    return plan
  }

  /// The radio gets another advertisement; `isOfApps` is false for none, and for the phone's own.
  mutating func requested(isOfApps: Bool) {
    switch state {
    case _ where isOfApps: state = .starting
    case .off: break
    case .stopping, .starting, .onAir: state = .stopping
    }
  }

  /// The radio reports an advertisement on the air.
  ///
  /// - Returns: the new state; nil where the radio only advertises again after a connection, or where the phone is
  ///   alone on the air.
  mutating func started() -> State? {
    switch state {
    // The phone's own advertisement has replaced an app's.
    case .stopping: state = .off
    case .starting: state = .onAir
    case .off, .onAir: return nil
    }
    return state
  }

  /// The radio reports that nothing is on the air; false where that is not new.
  mutating func stopped() -> Bool {
    guard case .stopping = state else { return false }
    state = .off
    return true
  }

  /// The radio tries an app's advertisement again.
  mutating func failed() { state = .starting }

  /// The radio has lost the advertisement, and restores it; false where it is not an app's.
  mutating func lost() -> Bool {
    guard case .onAir = state else { return false }
    state = .starting
    return true
  }

  /// Whether a limitation was not reported since it began to apply; it counts as reported then.
  mutating func isNew(warning id: String, applies: Bool) -> Bool {
    guard applies else {
      warnings.remove(id)
      return false
    }
    return warnings.insert(id).inserted
  }

  func hasReported(warning id: String) -> Bool { warnings.contains(id) }
}
