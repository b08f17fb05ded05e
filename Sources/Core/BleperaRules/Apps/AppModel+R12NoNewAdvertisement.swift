import BleperaBluetooth

/// R12: from iOS 14 on, advertising that an app starts in the background begins at its next foreground.
///
/// Stopping takes effect at once: Apple's `stopAdvertising()` documents no exception for the background.
extension AppModel {
  /// Advertising ends a launch: an inactive app then moves to the background.
  mutating func startAdvertising(
    _ fields: AdvertisementData, by manager: ManagerID, order: Int, at now: Duration
  ) -> [Policy.Action] {
    let mayStart = mayStartAdvertising
    let starts = change(manager) {
      guard $0.requested == nil else { return false }
      $0.requested = fields
      $0.requestOrder = order
      if mayStart { $0.applyRequest() }
      return true
    }
    guard starts == true else { return [] }
    if mayStart { startsAsForeground = false }
    let actions = state == .inactive ? enterBackground(.launchFinished, at: now) : []
    return actions + (advertisingWithheldBy.map { [.withholdAdvertising(id, $0)] } ?? [])
  }

  mutating func stopAdvertising(by manager: ManagerID) -> [Policy.Action] {
    _ = change(manager) { $0.stopAdvertising() }
    return []
  }

  /// Puts the requested advertisements into effect.
  mutating func applyRequests() {
    for index in managers.indices { managers[index].applyRequest() }
  }

  private var mayStartAdvertising: Bool {
    switch phase {
    case .inactive, .foreground: true
    case .background, .suspended, .terminated: rules.mayStartInBackground.value || startsAsForeground
    }
  }

  /// The rule that keeps the requested advertisement off the air.
  var advertisingWithheldBy: RuleID? {
    guard isAdvertising else { return nil }
    switch phase {
    case .inactive, .foreground: return nil
    case .background, .suspended, .terminated:
      guard hasBackgroundMode else { return .r4 }
      return managers.allSatisfy { $0.requested == $0.effective } ? nil : .r12
    }
  }
}

extension AppModel.Manager {
  mutating func stopAdvertising() {
    requested = nil
    effective = nil
  }

  mutating func applyRequest() {
    effective = requested
    startOrder = requestOrder
  }
}
