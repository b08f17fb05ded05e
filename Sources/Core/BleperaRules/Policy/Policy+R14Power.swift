/// R14: power-off pauses advertising and disconnects all centrals; a reset also clears services and advertisements.
extension Policy {
  mutating func change(to new: RadioPower) -> [Action] {
    guard new != power else { return [] }
    power = new
    poweredOnSince = new == .on ? clock : nil
    switch new {
    case .on: return []
    case .off: return loseCentrals()
    case .unavailable: return loseCentrals() + changeAll { $0.forgetAdvertising() } + [.clearDatabase]
    }
  }

  private mutating func loseCentrals() -> [Action] {
    let error = shared.timeoutError.value
    return changeAll { $0.refuseRequests(error, .r14) }
  }
}

extension AppModel {
  fileprivate mutating func forgetAdvertising() -> [Policy.Action] {
    for index in managers.indices { managers[index].stopAdvertising() }
    return []
  }
}
