/// R12: the requested fields that are not in effect.
extension AdvertisementPlanner {
  static func withheld(_ advertisers: [Advertiser]) -> [PlanReason] {
    advertisers.filter { $0.hasBackgroundMode && $0.requested != $0.effective }.flatMap { advertiser in
      let requested = advertiser.requested?.all ?? []
      let effective = advertiser.effective?.all ?? []
      return requested.filter { !effective.contains($0) }.map {
        PlanReason(app: advertiser.app, field: $0, outcome: .withheld, rule: .r12)
      }
    }
  }
}
