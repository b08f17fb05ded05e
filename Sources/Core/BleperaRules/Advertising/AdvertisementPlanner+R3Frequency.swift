import BleperaBluetooth

/// R3: the background interval applies only where no foreground app advertises.
extension AdvertisementPlanner {
  /// The shortest of the apps' intervals, which profiles may override.
  static func interval(
    _ kind: IntervalKind, of advertisers: [Advertiser], _ rules: RuleSet
  ) -> AdvertisingInterval {
    let usual = interval(kind, rules)
    let all = advertisers.map { advertiser in
      advertiser.overrides == RuleOverrides() ? usual : interval(kind, rules.applying(advertiser.overrides))
    }
    return all.min { ($0.minimum, $0.maximum) < ($1.minimum, $1.maximum) } ?? usual
  }

  /// The interval of the set with Handoff, which is shorter than the intervals of other sets.
  static func interval(ofHandoff isNew: Bool, _ rules: RuleSet) -> AdvertisingInterval {
    isNew ? rules.handoffInterval.value.first : rules.handoffInterval.value.then
  }

  private static func interval(_ kind: IntervalKind, _ rules: RuleSet) -> AdvertisingInterval {
    kind == .foreground ? rules.foregroundInterval.value : rules.backgroundInterval.value
  }
}
