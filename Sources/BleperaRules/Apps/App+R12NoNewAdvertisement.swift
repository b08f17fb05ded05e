import BleperaBluetooth
/// R12: from iOS 14 on, advertising that an app starts in the background begins at its next foreground.
///
/// Stopping takes effect at once: Apple's `stopAdvertising()` documents no exception for the background.
extension App {
  /// Advertising ends a launch: an inactive app then moves to the background.
  mutating func startAdvertising(_ fields: AdvertisementData, order: Int, at now: Duration) -> [Policy.Action] {
    requested = fields
    requestOrder = order
    if mayStartAdvertising {
      startsAsForeground = false
      applyRequest()
    }
    let actions = state == .inactive ? enterBackground(.launchFinished, at: now) : []
    return actions + (advertisingWithheldBy.map { [.withholdAdvertising(id, $0)] } ?? [])
  }

  mutating func stopAdvertising() -> [Policy.Action] {
    requested = nil
    effective = nil
    return []
  }

  /// Puts the requested advertisement into effect.
  mutating func applyRequest() {
    effective = requested
    startOrder = requestOrder
  }

  private var mayStartAdvertising: Bool {
    switch phase {
    case .inactive, .foreground: true
    case .background, .suspended, .gone: rules.mayStartInBackground.value || startsAsForeground
    }
  }

  /// The rule that keeps the requested advertisement off the air.
  var advertisingWithheldBy: RuleID? {
    guard requested != nil else { return nil }
    switch phase {
    case .inactive, .foreground: return nil
    case .background, .suspended, .gone:
      guard hasBackgroundMode else { return .r4 }
      return requested == effective ? nil : .r12
    }
  }
}
