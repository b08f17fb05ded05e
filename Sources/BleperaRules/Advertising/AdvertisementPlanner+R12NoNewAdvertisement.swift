/// R12: what differs between what an app asks for and what it is granted.
extension AdvertisementPlanner {
  static func withheld(_ advertisers: [Advertiser]) -> [PlanReason] {
    advertisers.filter(\.hasBackgroundMode).flatMap { advertiser in
      let asked = advertiser.asked?.all ?? []
      let granted = advertiser.granted?.all ?? []
      return asked.filter { !granted.contains($0) }.map { PlanReason(advertiser.app, $0, .withheld, .r12) }
        + granted.filter { !asked.contains($0) }.map { PlanReason(advertiser.app, $0, .kept, .r12) }
    }
  }
}
