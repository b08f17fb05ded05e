/// R12: the requested fields that are not in effect.
extension AdvertisementPlanner {
  static func withheld(_ advertisers: [Advertiser]) -> [PlanReason] {
    advertisers.filter(\.hasBackgroundMode).flatMap { advertiser in
      let asked = advertiser.asked?.all ?? []
      let granted = advertiser.granted?.all ?? []
      return asked.filter { !granted.contains($0) }.map { PlanReason(advertiser.app, $0, .withheld, .r12) }
    }
  }
}
