import BleperaBluetooth
/// R12: from iOS 14 on, what an app changes in the background counts from the next foreground.
///
/// A stop is such a change: an app changes its advertisement by stopping and starting again, and the old one stayed on
/// the air (Hovanki, iOS 26.2.1).
extension App {
  /// A launch into the background is over once the app advertises.
  mutating func startAdvertising(_ fields: AdvertisementData, order: Int, at now: Duration) -> [Policy.Action] {
    asked = fields
    askOrder = order
    if mayChangeAdvertising {
      startsAsInFront = false
      grantAll()
    }
    let actions = state == .inactive ? enterBackground(.launchOver, at: now) : []
    return actions + (advertisingWithheldBy.map { [.withholdAdvertising(id, $0)] } ?? [])
  }

  mutating func stopAdvertising() -> [Policy.Action] {
    asked = nil
    if mayChangeAdvertising { granted = nil }
    return []
  }

  /// At the foreground.
  mutating func grantAll() {
    granted = asked
    startOrder = askOrder
  }

  private var mayChangeAdvertising: Bool {
    switch phase {
    case .inactive, .foreground: true
    case .background, .suspended, .gone: rules.mayStartInBackground.value || startsAsInFront
    }
  }

  /// The rule that keeps what the app asks for off the air.
  var advertisingWithheldBy: RuleID? {
    guard asked != nil else { return nil }
    switch phase {
    case .inactive, .foreground: return nil
    case .background, .suspended, .gone:
      guard hasBackgroundMode else { return .r4 }
      return asked == granted ? nil : .r12
    }
  }
}
