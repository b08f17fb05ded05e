import BleperaBluetooth
/// R3: the background interval applies only where no foreground app advertises.
extension AdvertisementPlanner {
  /// The shortest of the apps' intervals, which profiles may override.
  static func interval(
    _ pace: IntervalKind, of advertisers: [Advertiser], _ rules: RuleSet
  ) -> AdvertisingInterval {
    let all = advertisers.map { advertiser in
      let rules = rules.applying(advertiser.overrides)
      return pace == .foreground ? rules.foregroundInterval.value : rules.backgroundInterval.value
    }
    let shortest = all.min { ($0.minimum, $0.maximum) < ($1.minimum, $1.maximum) }
    return shortest ?? (pace == .foreground ? rules.foregroundInterval.value : rules.backgroundInterval.value)
  }
}
