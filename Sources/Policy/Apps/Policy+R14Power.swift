/// R14: off, advertising pauses and every central is gone; below that everything is forgotten.
extension Policy {
  mutating func powerChanged() -> [Action] {
    let old = power.state
    power.state = power.effective
    guard power.state != old else { return [] }
    power.onSince = power.state == .on ? clock : nil
    switch power.state {
    case .on: return []
    case .off: return loseCentrals()
    case .unavailable: return loseCentrals() + changeAll { $0.forgetAdvertising() } + [.clearDatabase]
    }
  }

  private mutating func loseCentrals() -> [Action] {
    let error = rules.cutOffError.value
    return changeAll { $0.refuseUnanswered(error, .r14) }
  }
}

extension App {
  fileprivate mutating func forgetAdvertising() -> [Policy.Action] {
    asked = nil
    granted = nil
    return []
  }
}
